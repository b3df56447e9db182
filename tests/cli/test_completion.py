"""TAB: what a shell offers for a REF, and that nothing else is said."""

from pathlib import Path

import pytest

from dgpin.cli import app

SHA = "0" * 40
PACKED = f"""\
# pack-refs with: peeled fully-peeled sorted
{SHA} refs/heads/main
{SHA} refs/heads/nv_dev
{SHA} refs/pull/12/head
{SHA} refs/tags/v2.8.0
^{SHA}
"""


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a mirror with packed names and one that was fetched since."""
    root = tmp_path / "mirrors/one.git"
    (root / "refs/heads/feature").mkdir(parents=True)
    (root / "refs/heads/feature/next").write_text(f"{SHA}\n")
    (root / "packed-refs").write_text(PACKED)
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path))
    return root


def complete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, list[str], str]:
    """Ask as bash does, with the cursor behind the last word."""
    monkeypatch.setenv("_DGPIN_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(["dgpin", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    code = app.main([])
    said = capsys.readouterr()
    return code, said.out.split(), said.err


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("bump", "n"), ["nv_dev"]),
        (("bump", "v2"), ["v2.8.0"]),
        (("bump", "feature/"), ["feature/next"]),
        (("bump", "pull/"), ["pull/12/head"]),
        (("bump", "nothing"), []),
        (("build", "ma"), ["main"]),
        (("verify", "nv"), ["nv_dev"]),
        (("diff-api", "ma"), ["main"]),
        (("diff-api", "main", "nv"), ["nv_dev"]),
        (("carry", "main", "nv"), ["nv_dev"]),
        (("expl",), ["explain"]),
    ],
)
def test_names_of_the_mirrors(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    offered: list[str],
) -> None:
    """Branches and tags are offered, pull requests once they are asked for; stderr stays empty."""
    assert (0, offered, "") == complete(monkeypatch, capsys, *words)


def test_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing was ever fetched, nothing is offered and nothing is said."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "nowhere"))

    assert (0, [], "") == complete(monkeypatch, capsys, "bump", "n")


def test_damaged_mirror(
    mirror: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no list of names offers nothing; the names beside it are still there."""
    (mirror / "packed-refs").write_bytes(b"\xff\n\n")

    assert (0, ["feature/next"], "") == complete(monkeypatch, capsys, "bump", "f")
