"""`dgpin verify` from end to end, on the example and without a GPU."""

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

import dgpin
from dgpin.evidence.join import join
from dgpin.render import report
from tests.example import Example
from tests.world import World, state

SCHEMAS = Path(dgpin.__file__).parent / "render/schemas"
ALIAS = "deep_gemm.fp8_m_grouped_gemm_nt_masked"


def _json(world: World, *words: str) -> tuple[int, dict[str, Any]]:
    said = world.dgpin("verify", *words, "--json")
    assert said.out, said.err
    value: dict[str, Any] = json.loads(said.out)
    return said.code, value


def _verdicts(value: dict[str, Any]) -> dict[str, str]:
    return {step["step"]: step["verdict"] for step in value["steps"]}


def _messages(value: dict[str, Any], step: str) -> list[str]:
    rows = next(each["rows"] for each in value["steps"] if each["step"] == step)
    return [row["message"] for row in rows if row["verdict"] == "fail"]


def test_the_pin_as_it_stands(world: World) -> None:
    """What can be told here passes, nothing moves, and what cannot be told makes it 3."""
    code, value = _json(world)

    assert {
        "check": "pass",
        "diff-api": "skip",
        "lint": "pass",
        "carry": "skip",
        "build": "unknown",
        "smoke": "unknown",
    } == _verdicts(value)
    assert (3, None, "unknown") == (code, value["old"], value["verdict"])
    assert ["sm_90", "sm_100", "sm_120"] == [
        each["architecture"] for each in value["architectures"]
    ]


class Moved(NamedTuple):
    """What a move came to, in every form, and whether the host was left as it was."""

    code: int
    value: dict[str, Any]
    screen: list[str]
    annotations: str
    untouched: bool


@pytest.fixture(name="moved", scope="module")
def _moved(
    example: Example, first: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Moved:
    root = tmp_path_factory.mktemp("moved")
    shutil.copytree(first, root / "host", symlinks=True)
    world = World(example=example, host=root / "host")
    before = state(world.host)
    forms = {name: root / name for name in ("json", "text", "github")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(cache))
        patch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        words = [word for name, path in forms.items() for word in ("-o", f"{name}={path}")]
        said = world.dgpin("verify", "dev", *words)
    assert (said.out, said.err) == ("", "")
    return Moved(
        code=said.code,
        value=json.loads(forms["json"].read_text()),
        screen=forms["text"].read_text().splitlines(),
        annotations=forms["github"].read_text(),
        untouched=before == state(world.host),
    )


def test_a_move_before_it_is_written(moved: Moved) -> None:
    """Loss, floors and breaks are named; the host is as it was."""
    assert (1, "fail") == (moved.code, moved.value["verdict"])
    assert [
        f"the new source lacks {ALIAS}",
        "the source needs GCC 13; the host declares 11.3",
        "the source needs CUDA 12.9; the host declares 12.3, 12.8",
        "the comment says 2.6.1; the pin is version 2.8.0",
    ] == _messages(moved.value, "check")
    assert ["m_grouped_fp8_gemm_nt_contiguous", "fp8_m_grouped_gemm_nt_masked"] == [
        message.partition(" ")[0] for message in _messages(moved.value, "diff-api")
    ]
    assert moved.untouched


def test_evidence(moved: Moved) -> None:
    """The file is as its schema says, and what the commands wrote is as theirs say."""
    evidence = [step["evidence"] for step in moved.value["steps"] if step["evidence"]]
    names = [each["schema"].split("/")[1] for each in evidence]

    jsonschema.validate(moved.value, json.loads((SCHEMAS / "verify.json").read_text()))
    assert ["bump", "diff-api", "lint", "carry", "build"] == names
    for name, each in zip(names, evidence, strict=True):
        jsonschema.validate(each, json.loads((SCHEMAS / f"{name}.json").read_text()))


def test_the_evidence_says_what_the_steps_say(moved: Moved) -> None:
    """No loss is called accepted that nobody accepted, and no break is an error of lint as well."""
    bump, _, lint, *_ = [step["evidence"] for step in moved.value["steps"] if step["evidence"]]

    assert [] == bump["losses"]
    assert ("pass", ["note"]) == (
        _verdicts(moved.value)["lint"],
        [each["level"] for each in lint["findings"]],
    )


def test_the_report_of_it(moved: Moved, tmp_path: Path) -> None:
    """What only a step of verify says is in the report as well."""
    evidence = tmp_path / "verify.json"
    evidence.write_text(json.dumps(moved.value))
    text = report.markdown(join([evidence]))

    assert f"| check: loss | fail | the new source lacks {ALIAS} |" in text
    assert "Fragile uses: pass" in text


def test_one_screen(moved: Moved) -> None:
    """The text fits a screen, names the command that says more, and ends in what is not proved."""
    assert len(moved.screen) <= 40
    assert max(map(len, moved.screen)) <= 100
    assert [line for line in moved.screen if line.startswith("          more: dgpin diff-api ")]
    assert "not proved on sm_90, sm_100, sm_120: there is no GPU here" in moved.screen[-1]


def test_annotations(moved: Moved) -> None:
    """Findings in the host's files stand at their lines in a pull request."""
    assert "::error file=CMakeLists.txt,line=7,title=dgpin floor::" in moved.annotations


def test_an_accepted_loss_is_no_finding(world: World) -> None:
    """What bump would take, verify takes."""
    _, value = _json(world, "dev", "--accept-loss", ALIAS, "--skip", "lint,carry,build,smoke")

    assert not [message for message in _messages(value, "check") if "lacks" in message]
    assert ["skip"] * 4 == list(_verdicts(value).values())[2:]


def test_what_cannot_be_read_is_no_pass(world: World) -> None:
    """A file of the host that is no Python may use anything, as diff-api and lint say."""
    (world.host / "vllm/odd.py").write_text("import deep_gemm\ndef (\n")

    code, standing = _json(world, "--skip", "check,build,smoke")
    _, moved = _json(world, "dev", "--skip", "check,lint,carry,build,smoke")

    assert (3, "unknown") == (code, _verdicts(standing)["lint"])
    places = [row["places"][:1] for row in moved["steps"][1]["rows"] if row["verdict"] == "unknown"]
    assert [[{"path": "vllm/odd.py", "line": 0}]] == places


def test_an_exception_that_names_nothing_is_a_finding(world: World) -> None:
    """What diff-api holds against dgpin.toml, verify does."""
    world.configure("[sites]", '[[allow]]\nname = "0011"\nreason = "x"\n\n[sites]')

    _, value = _json(world, "dev", "--skip", "check,lint,carry,build,smoke")

    assert "[allow] 0011 names no finding of this comparison" in _messages(value, "diff-api")


def test_nothing_asked_is_nothing_told(world: World) -> None:
    """A run that leaves every step out is no pass."""
    code, value = _json(world, "--skip", "check,lint,build,smoke")

    assert (3, "skip") == (code, value["verdict"])


def test_a_hold_is_a_finding(world: World) -> None:
    """The bump would be refused; the other steps are answered all the same."""
    world.configure("[sites]", '[hold]\nreason = "wait for the release"\n\n[sites]')

    code, value = _json(world, "dev", "--skip", "lint,carry,build,smoke")

    assert 1 == code
    assert ["the pin is held: wait for the release"] == _messages(value, "check")
    assert "fail" == _verdicts(value)["diff-api"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("nonesuch",), 2, "has no commit, branch or tag `nonesuch`"),
        (("",), 2, "the ref '' is empty"),
        (("--require", "hopper"), 2, "--require hopper: that is no architecture"),
        (("--require", "sm_\uff19\uff10"), 2, "that is no architecture"),
        (("--require", "sm_90", "--skip", "smoke"), 2, "nothing else can prove it"),
        (("--skip", "tests"), 2, "The steps are check, diff-api, lint, carry, build, smoke."),
        (("dev", "--new", "nowhere"), 2, "nowhere: there is no such file or directory"),
        (("dev", "--new", "~nowhere/x"), 2, "~nowhere/x: there is no such file or directory"),
        (
            ("dev", "--new", "nowhere", "--skip", "check,diff-api,lint,carry,build"),
            2,
            "nowhere: there is no such file or directory",
        ),
        (("dev", "--accept-loss", "x"), 2, "--accept-loss x: that is not lost"),
        (("-o", "junit"), 2, "this command has no form `junit`"),
    ],
)
def test_a_wrong_request(world: World, words: tuple[str, ...], code: int, says: str) -> None:
    """It is refused as a whole, with what would be right."""
    said = world.dgpin("verify", *words)

    assert (code, "") == (said.code, said.out)
    assert says in said.err


def test_what_is_required(world: World) -> None:
    """--require names the architectures; without a GPU each is unknown, with where it is told."""
    code, value = _json(world, "--require", "sm_90,sm_103", "--skip", "check,lint,build")

    assert 3 == code
    assert ["sm_90", "sm_103"] == value["required"]
    assert [("sm_90", "unknown"), ("sm_103", "unknown")] == [
        (each["architecture"], each["verdict"]) for each in value["architectures"]
    ]
    assert all("dgpin smoke --arch" in each["hint"] for each in value["architectures"])


@pytest.mark.parametrize("skip", ["lint,build", "check,lint,build"])
def test_architectures_of_the_source(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: str
) -> None:
    """A host that names none wants those of its source, whether that was read before or not."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "fresh"))
    for path in world.host.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (world.host / "pin").write_text(f"DG={world.example.commits['sm120']}\n")
    text = f"[pin]\nrepo = '{world.example.url}'\n[sites]\n'pin' = 'DG=<commit>'\n"
    (world.host / "dgpin.toml").write_text(text)

    for _ in range(2):
        _, value = _json(world, "--skip", skip)
        assert ["sm_90", "sm_100", "sm_120"] == [
            each["architecture"] for each in value["architectures"]
        ]


def test_without_network(world: World) -> None:
    """With the mirrors of an earlier run nothing is fetched, and the answer is the same."""
    _, first = _json(world, "dev", "--skip", "lint,build,smoke")
    _, second = _json(world, "dev", "--skip", "lint,build,smoke", "--offline")

    assert _verdicts(first) == _verdicts(second)
    assert _messages(first, "check") == _messages(second, "check")


def test_a_repository_that_is_gone(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known of REF, so nothing is answered: 3, with what to do."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "empty"))

    said = world.dgpin("verify", "dev", "--offline")

    assert 3 == said.code
    assert "there is no copy of" in said.err
