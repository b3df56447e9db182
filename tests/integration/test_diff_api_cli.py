"""`dgpin diff-api` as a user runs it: exit codes, forms, refusals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dgpin
from dgpin.cli import app
from tests.api.builds import python, write

SCHEMA = Path(dgpin.__file__).parent / "render/schemas/diff-api.json"
Run = Callable[..., tuple[int, str, str]]
LEGACY = "try:\n    from . import legacy\nexcept Exception:\n    pass\n"


@pytest.fixture(scope="module", name="interpreter")
def _interpreter(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(python(tmp_path_factory.mktemp("python")).path)


@pytest.fixture(name="run")
def _run(
    interpreter: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        code = app.main(["diff-api", *words, "--python", interpreter])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture(name="builds")
def _builds(tmp_path: Path) -> Path:
    for name, init in {
        "a": "def f(a, b=1): ...\ndef g(x=1): ...",
        "breaks": "def f(a): ...\ndef g(x=1): ...",
        "risky": "def f(a, b=2): ...\ndef g(x=1): ...",
        "adds": "def f(a, b=1, c=2): ...\ndef g(x=1): ...\ndef h(): ...",
        "partly": LEGACY + "def f(a, b=1): ...\ndef g(x=1): ...",
    }.items():
        write(tmp_path / name, {"deep_gemm/__init__.py": init})
    write(tmp_path / "partly", {"deep_gemm/legacy.py": "import nowhere_at_all"})
    return tmp_path


@pytest.mark.parametrize(
    ("b", "code"), [("a", 0), ("adds", 0), ("risky", 0), ("breaks", 1), ("partly", 3)]
)
def test_exit_codes(builds: Path, run: Run, b: str, code: int) -> None:
    """1 for a break, 3 when none was seen but something could not be read, else 0."""
    assert builds.is_dir()
    assert code == run("a", b)[0]


def test_text(builds: Path, run: Run) -> None:
    """The text names what breaks, how, and the call that shows it."""
    assert builds.is_dir()
    _, out, err = run("a", "breaks")

    assert "call raises (1)\n  deep_gemm.f  without `b=1`  parameter-removed\n" in out
    assert "(a, [-b=1-])" in out
    assert "try  deep_gemm.f(a, b=1)\n" in out
    assert "A binds, 1 as `b`; B TypeError: got an unexpected keyword argument 'b'" in out
    assert out.endswith("1 breaking\n")
    assert "" == err


def document(builds: Path, run: Run, b: str) -> dict[str, Any]:
    """Return the JSON of a comparison with A, checked against the schema."""
    assert builds.is_dir()
    value = json.loads(run("a", b, "--json")[1])
    jsonschema.validate(value, json.loads(SCHEMA.read_text("utf-8")))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("b", ["a", "adds", "risky", "breaks", "partly"])
def test_json(builds: Path, run: Run, b: str) -> None:
    """Every answer fits the schema."""
    value = document(builds, run, b)

    expected = {"breaks": "fail", "partly": "unknown"}
    assert expected.get(b, "pass") == value["verdict"]


def test_forms(builds: Path, run: Run) -> None:
    """One run writes every form, each to its file."""
    forms = ("json", "markdown", "github", "sarif", "text")
    words = [word for form in forms for word in ("-o", f"{form}={form}.out")]
    code, out, _ = run("a", "breaks", *words)

    assert (1, "") == (code, out)
    said = {form: (builds / f"{form}.out").read_text("utf-8") for form in forms}
    assert (
        "| `deep_gemm.f` | without `b=1` (`parameter-removed`) | call raises |" in said["markdown"]
    )
    assert said["github"].startswith("::error")
    assert "deep_gemm.f: without `b=1`" in said["github"]


def test_sarif(builds: Path, run: Run) -> None:
    """Alerts keep their identity from run to run."""
    assert builds.is_dir()
    log = json.loads(run("a", "breaks", "-o", "sarif")[1])
    (result,) = log["runs"][0]["results"]
    again = json.loads(run("a", "breaks", "-o", "sarif")[1])["runs"][0]["results"][0]

    assert "2.1.0" == log["version"]
    assert ("parameter-removed", "error") == (result["ruleId"], result["level"])
    assert result["partialFingerprints"] == again["partialFingerprints"]
    assert ["parameter-removed"] == [r["id"] for r in log["runs"][0]["tool"]["driver"]["rules"]]


def test_allow(builds: Path, run: Run) -> None:
    """An accepted break no longer decides; an exception that names nothing is a finding."""
    fingerprint = document(builds, run, "breaks")["changes"][0]["fingerprint"]
    sites = '[sites]\n"pin.txt" = ["<commit>"]\n'
    text = f'{sites}[[allow]]\nname = "{fingerprint}"\nreason = "passed by place"\n'
    (builds / "dgpin.toml").write_text(text)
    code, out, _ = run("a", "breaks")

    assert 0 == code
    assert "accepted: passed by place" in out
    assert 1 == run("a", "a")[0]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("a", "nowhere/here"), 2, "nowhere/here"),
        (("./nowhere", "a"), 2, "./nowhere: there is no such file or directory"),
        (("a", "empty"), 2, "empty: there is no deep_gemm/__init__.py in it"),
        (("a", "note.txt"), 2, "note.txt: is a file, and no wheel"),
        (("a", "cut.whl"), 3, "cut.whl: is no whole wheel"),
        (("a", "two"), 2, "two: more than one build: deep_gemm, third_party/deep_gemm"),
        (("a", "pypi:numpy"), 2, "write it as pypi:NAME==VERSION"),
        (("a", "pypi:-r==x"), 2, "write it as pypi:NAME==VERSION"),
        (("installed", "a"), 3, "has no deep_gemm"),
        (("a", "text"), 3, "the package has no compiled `_C`"),
        (("a", "a", "-o", "yaml"), 2, "no form `yaml`"),
    ],
)
def test_refusals(builds: Path, run: Run, words: tuple[str, ...], code: int, says: str) -> None:
    """What cannot be compared is refused with one sentence and its cure."""
    (builds / "empty").mkdir()
    (builds / "note.txt").write_text("hello")
    (builds / "cut.whl").write_bytes(b"PK\x03\x04 cut short")
    write(builds / "two", {"deep_gemm/__init__.py": "", "third_party/deep_gemm/__init__.py": ""})
    write(builds / "text", {"deep_gemm/__init__.py": ""})
    (builds / "text/deep_gemm/_C.py").unlink()
    got, out, err = run(*words)

    assert (code, "") == (got, out)
    assert says in err
    assert err.startswith("dgpin: ")
    assert 2 <= len(err.splitlines())


def test_static(builds: Path, run: Run) -> None:
    """Read as text, Python's half gives the same finding, and says that it was only read."""
    assert builds.is_dir()
    code, out, _ = run("a", "breaks", "--static")

    assert 1 == code
    assert "read as text: nothing was loaded" in out
    assert "deep_gemm.f  without `b=1`  parameter-removed" in out
    assert "by its text" in out


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """A rule is explained with its before and after; an unknown one is refused."""
    code = app.main(["explain", "names-lost"])
    out = capsys.readouterr().out

    assert 0 == code
    assert "Before" in out
    assert 'm.def("f", &f, py::arg("a"));' in out
    assert 2 == app.main(["explain", "no-such-rule"])
