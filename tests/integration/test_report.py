"""`dgpin report` on evidence files, and on what the commands themselves write."""

import json
from pathlib import Path

import jsonschema
import pytest

import dgpin
from dgpin.cli.app import main
from dgpin.evidence.join import join
from dgpin.evidence.values import Kind
from tests.evidence import documents
from tests.evidence.documents import check, smoke
from tests.world import World

SCHEMA = Path(dgpin.__file__).parent / "render/schemas/report.json"


@pytest.mark.parametrize(
    ("require", "code"),
    [("", 1), ("sm_100", 0), ("sm_90,sm_100", 1), ("sm_100, sm_120", 3)],
)
def test_exit_code(tmp_path: Path, require: str, code: int) -> None:
    """A required architecture that failed exits 1, one without evidence 3."""
    files = [
        documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm", "fail"))),
        documents.write(tmp_path / "b.json", smoke("sm_100", check("gemm"))),
    ]
    words = ["--require", require] if require else []

    assert code == main(["report", *map(str, files), *words])


def test_each_requirement_counts(tmp_path: Path) -> None:
    """The option may be given again, as that of verify."""
    evidence = documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm")))
    words = ["report", str(evidence), "--require", "sm_100", "--require", "sm_90"]

    assert (3, 0) == (main(words), main([*words[:2], *words[4:]]))


@pytest.mark.parametrize("require", ["", " ", ",", "sm90", "sm_90,hopper"])
def test_a_requirement_that_names_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], require: str
) -> None:
    """What is required is an architecture; none at all is not the same as no --require."""
    evidence = documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm")))

    for words in (["--require", require], ["--require", "sm_90", "--require", require]):
        assert 2 == main(["report", str(evidence), *words])
        assert "--require" in capsys.readouterr().err


def test_evidence_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report that would take the place of a file that it joins is refused, however named."""
    evidence = documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm")))
    before = evidence.read_bytes()

    assert 2 == main(["report", str(evidence), "-o", f"json={tmp_path}/./a.json"])
    assert "that file is evidence" in capsys.readouterr().err
    assert before == evidence.read_bytes()


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON follows its schema and says what was refused."""
    good = documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm")))
    bad = documents.write(tmp_path / "b.json", "{")

    code = main(["report", str(good), str(bad), "--json"])
    answer = json.loads(capsys.readouterr().out)

    jsonschema.validate(answer, json.loads(SCHEMA.read_text()))
    assert (3, "unknown", [str(bad)]) == (
        code,
        answer["verdict"],
        [refused["file"] for refused in answer["refused"]],
    )


def test_json_of_every_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever commands wrote the evidence, the JSON follows its schema."""
    written = [
        smoke("sm_90", check("gemm")),
        documents.pin_check("ab" * 20),
        documents.bump("ab" * 20),
        documents.diff_api(host=True),
        documents.carry(),
        documents.build("pass"),
        documents.lint("error"),
        documents.verify(),
    ]
    files = [documents.write(tmp_path / f"{n}.json", each) for n, each in enumerate(written)]

    main(["report", *map(str, files), "--json"])
    answer = json.loads(capsys.readouterr().out)

    jsonschema.validate(answer, json.loads(SCHEMA.read_text()))
    kinds = {kind.value for kind in Kind if kind is not Kind.SMOKE}
    assert kinds == {section["kind"] for section in answer["sections"]}


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run writes the page and the Markdown, and says nothing else."""
    evidence = documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm")))
    page, markdown = tmp_path / "page.html", tmp_path / "page.md"

    main(["report", str(evidence), "-o", f"html={page}", "-o", f"markdown={markdown}"])

    assert "" == capsys.readouterr().out
    assert page.read_text().startswith("<!doctype html>")
    assert "| gemm | pass 1.4e-06 (limit 1e-05) |" in markdown.read_text()


def test_evidence_of_every_command(world: World, tmp_path: Path) -> None:
    """What the commands themselves write about one move is read, and none of it refused."""
    loss = "deep_gemm.fp8_m_grouped_gemm_nt_masked"
    old, new = world.example.commits["sm120"], world.example.commits["port"]
    commands = {
        "bump": ("bump", new, "-n", "--accept-loss", loss),
        "diff-api": ("diff-api", old, new),
        "carry": ("carry", old, new, "--upstream", "main"),
        "lint": ("lint", "--build", new),
        "verify": ("verify", new, "--skip", "build,smoke"),
    }
    files = [tmp_path / f"{name}.json" for name in commands]
    for words, file in zip(commands.values(), files, strict=True):
        assert world.dgpin(*words, "-o", f"json={file}").code in {0, 1, 3}

    joined = join(files)

    assert (new, ()) == (joined.commit, joined.refused)
    assert {"verify", "bump", "diff-api", "lint", "carry"} == {
        section.kind.value for section in joined.sections
    }


def test_evidence_of_carry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What carry itself writes is evidence, and its lost fix fails the report."""
    for side, line in (("old", "    q_idx = min(lo, batch_size - 1);\n"), ("new", "")):
        (tmp_path / side).mkdir()
        body = "    const int lane = lane_idx();\n    search(lo, hi);\n"
        text = f"void f(int batch_size) {{\n{body}{line}    store(q_idx);\n}}\n"
        (tmp_path / side / "kernel.cuh").write_text(text)
    evidence = tmp_path / "carry.json"
    main(["carry", str(tmp_path / "old"), str(tmp_path / "new"), "-o", f"json={evidence}"])

    code = main(["report", str(evidence)])

    assert 1 == code
    assert "FAIL     Lost fixes" in capsys.readouterr().out
