"""`dgpin lint` and `dgpin diff-api --host` on builds that are really loaded."""

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

import dgpin
from dgpin.api.host.scan import scan
from dgpin.cli.app import main
from tests.api.builds import python, write

SCHEMAS = Path(dgpin.__file__).parent / "render/schemas"
A = "def gemm(a, fast=False): ...\ndef other(a): ...\n"
B = "def gemm(a): ...\ndef better(a): ...\n"
HOST = """\
import deep_gemm


def run(x, beta):
    other = getattr(deep_gemm, "other", None)
    return deep_gemm.gemm(x, fast=True), other
"""


@pytest.fixture(scope="module", name="interpreter")
def _interpreter(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(python(tmp_path_factory.mktemp("python")).path)


@pytest.fixture(scope="module", name="world")
def _world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two builds and a host."""
    root = tmp_path_factory.mktemp("world")
    write(root / "a", {"deep_gemm/__init__.py": A})
    write(root / "b", {"deep_gemm/__init__.py": B})
    (root / "host").mkdir()
    (root / "host" / "main.py").write_text(HOST)
    return root


def diff(world: Path, interpreter: str, *words: str, b: str = "b") -> int:
    """Run `diff-api` with the host."""
    sides = [f"{world}/a", f"{world}/{b}", "--host", f"{world}/host"]
    return main(["diff-api", *sides, "--python", interpreter, *words])


def test_the_uses_decide(world: Path, interpreter: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Uses that break are listed by effect, with their lines, and make it exit 1."""
    code = diff(world, interpreter)
    text = capsys.readouterr().out

    assert code == 1
    assert "main.py:6  TypeError: gemm in B: there is no `fast`" in text
    assert "main.py:5  B has no other, so getattr gives its default" in text
    assert text.rstrip().endswith("2 uses break")


def test_uses_that_the_host_lives_with(
    world: Path, interpreter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """[allow] takes a use by its fingerprint; an entry that names nothing is itself a finding."""
    host = tmp_path / "host"
    shutil.copytree(world / "host", host)
    asked = ["diff-api", f"{world}/a", f"{world}/b", "--host", str(host), "--python", interpreter]
    main([*asked, "--json"])
    named = [
        each["fingerprint"] for each in json.loads(capsys.readouterr().out)["host"]["findings"]
    ]
    sites = "[sites]\n\"f\" = '<commit>'\n"

    def allowed(*names: str) -> tuple[int, str]:
        entries = (f'[[allow]]\nname = "{name}"\nreason = "we wait for 2.9"\n' for name in names)
        (host / "dgpin.toml").write_text(sites + "".join(entries))
        return main(asked), capsys.readouterr().out

    some, _ = allowed(named[0])
    code, text = allowed(*named)
    stale, complaint = allowed(*named, "0" * 16)

    assert [1, 0, 1] == [some, code, stale]
    assert "accepted: we wait for 2.9" in text
    assert text.rstrip().endswith("no use breaks, 2 accepted")
    assert "names no finding" in complaint


def test_nothing_breaks(world: Path, interpreter: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A build against itself exits 0."""
    assert diff(world, interpreter, b="a") == 0
    assert capsys.readouterr().out.rstrip().endswith("no use breaks")


def test_json(world: Path, interpreter: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The host's part of the document has the lines, the symbols and the cures."""
    diff(world, interpreter, "--json")

    answer = json.loads(capsys.readouterr().out)
    findings = answer["host"]["findings"]

    jsonschema.validate(answer, json.loads((SCHEMAS / "diff-api.json").read_text()))
    assert [
        ("use-call-raises", "main.py", 6, "deep_gemm.gemm", "fast"),
        ("use-silently-off", "main.py", 5, "deep_gemm.other", ""),
    ] == [(f["rule"], f["path"], f["line"], f["symbol"], f["parameter"]) for f in findings]


def test_annotations(world: Path, interpreter: str, capsys: pytest.CaptureFixture[str]) -> None:
    """GitHub and SARIF get the host's file and line."""
    diff(world, interpreter, "-o", "github")
    annotations = capsys.readouterr().out
    diff(world, interpreter, "-o", "sarif")
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]

    assert "file=main.py,line=6" in annotations
    places = [result["locations"][0]["physicalLocation"] for result in results]
    assert [("main.py", 6), ("main.py", 5)] == [
        (p["artifactLocation"]["uri"], p["region"]["startLine"]) for p in places
    ]


def test_lint(world: Path, interpreter: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Lint exits 1 for errors, 0 for notes alone, and its JSON follows its schema."""
    words = ["--host", f"{world}/host", "--python", interpreter, "--json"]
    bad = main(["lint", "--build", f"{world}/b", *words])
    answer = json.loads(capsys.readouterr().out)
    good = main(["lint", "--build", f"{world}/a", *words])
    other = json.loads(capsys.readouterr().out)

    for document in (answer, other):
        jsonschema.validate(document, json.loads((SCHEMAS / "lint.json").read_text()))
    assert (1, 0) == (bad, good)
    assert [("broken-call", 6), ("silent-none", 5)] == sorted(
        (f["rule"], f["line"]) for f in answer["findings"]
    )


def test_a_file_with_an_odd_name(
    world: Path, interpreter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SARIF gets a URI and Markdown one cell, whatever the file is called."""
    (tmp_path / "a|b %é.py").write_text(HOST)
    asked = ["diff-api", f"{world}/a", f"{world}/b", "--host", str(tmp_path)]

    main([*asked, "--python", interpreter, "-o", "sarif"])
    result = json.loads(capsys.readouterr().out)["runs"][0]["results"][0]
    main([*asked, "--python", interpreter, "-o", "markdown"])
    row = next(line for line in capsys.readouterr().out.splitlines() if ".py" in line)

    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "a%7Cb%20%25%C3%A9.py"}
    assert row.startswith("| `a\\|b %é.py:6` | ")


@pytest.mark.parametrize("form", ["text", "markdown", "github", "sarif"])
def test_lint_in_every_form(
    world: Path, interpreter: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each form names the file and the line."""
    words = ["--host", f"{world}/host", "--python", interpreter]

    main(["lint", "--build", f"{world}/b", *words, "-o", form])

    assert "main.py" in capsys.readouterr().out


@pytest.mark.parametrize("rule", ["falsy-default", "use-silently-off"])
def test_explain(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The rules of lint and of uses are explained like the others."""
    assert main(["explain", rule]) == 0
    assert rule in capsys.readouterr().out


def test_a_file_that_does_not_parse_is_incomplete(
    world: Path, interpreter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without errors, a file that could not be read makes lint exit 3, and is named."""
    (tmp_path / "bad.py").write_text("import deep_gemm\ndef f(:\n")

    code = main(["lint", "--build", f"{world}/a", "--host", str(tmp_path), "--python", interpreter])

    assert code == 3
    assert "bad.py  it does not parse" in capsys.readouterr().out


def git(folder: Path, *words: str) -> None:
    """Run git."""
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


def test_gits_list(tmp_path: Path) -> None:
    """In a repository, tracked and new files are read, ignored and deleted ones are not."""
    git(tmp_path, "init", "-q")
    for name in ("tracked", "deleted", "new", "ignored"):
        (tmp_path / f"{name}.py").write_text("import deep_gemm\n")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    git(tmp_path, "add", "tracked.py", "deleted.py")
    (tmp_path / "deleted.py").unlink()

    answer = scan(tmp_path)

    assert ["new.py:1", "tracked.py:1"] == [str(use.place) for use in answer.uses]
    assert ["deleted.py"] == [skipped.path for skipped in answer.skipped]
    assert not answer.unread


def test_a_host_below_the_repository(tmp_path: Path) -> None:
    """A host that is a directory of a repository is listed by itself."""
    git(tmp_path, "init", "-q")
    host = tmp_path / "python"
    host.mkdir()
    (host / "a.py").write_text("import deep_gemm\n")
    (tmp_path / "b.py").write_text("import deep_gemm\n")

    assert ["a.py:1"] == [str(use.place) for use in scan(host).uses]


def test_explain_says_whose_rules_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    """The rules of check are on a page of their own."""
    assert 2 == main(["explain", "gone-file"])

    assert "docs/reference/check-rules.md" in capsys.readouterr().err
