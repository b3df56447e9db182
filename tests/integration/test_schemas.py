"""Every JSON answer is as its schema says."""

import json
from pathlib import Path

import jsonschema
import pytest

import dgpin
from dgpin.cli import app
from tests.example import make_deepgemm, make_host

SCHEMAS = Path(dgpin.__file__).parent / "render/schemas"


@pytest.fixture(scope="module", name="world")
def _world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Make a host and the commit to move it to."""
    example = make_deepgemm(tmp_path_factory.mktemp("example"))
    host = tmp_path_factory.mktemp("host") / "host"
    return make_host(host, example.url, example.commits["old"]), example.commits["port"]


@pytest.mark.parametrize("name", sorted(path.stem for path in SCHEMAS.glob("*.json")))
def test_a_schema_is_a_schema(name: str) -> None:
    """It is valid itself, refuses what it does not know, and bears its own name."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].startswith(f"dgpin/{name}/")
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("check", ["check"]),
        ("show", ["show"]),
        ("bump", ["bump", "-n", "--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked"]),
        ("show-env", ["show", "--env"]),
    ],
)
def test_an_answer_is_as_its_schema_says(
    name: str,
    words: list[str],
    world: tuple[Path, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No field is missing, none is there that the schema does not know."""
    host, commit = world
    monkeypatch.chdir(host)

    app.main([*words, *([commit] if name == "bump" else []), "--json"])

    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, json.loads((SCHEMAS / f"{name}.json").read_text()))
