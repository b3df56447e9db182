"""A stamp differs where a file does, and is none where it would not."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dgpin import stamp


@pytest.fixture(name="tree")
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files and a link, which count as old."""
    monkeypatch.setattr(stamp, "RACE", -(10**12))
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    for name in ("a", "b", "inner/c"):
        (tree / name).write_text("1234")
    (tmp_path / "outside").write_text("1234")
    (tree / "link").symlink_to("../outside")
    return tree


def _same_size_and_time(file: Path) -> None:
    """Write other contents of the same length and give back the time of the old ones."""
    before = file.stat()
    file.write_text("4321")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "contents": lambda tree: (tree / "a").write_text("12345"),
    "contents of the same size and time": lambda tree: _same_size_and_time(tree / "inner/c"),
    "mode": lambda tree: (tree / "a").chmod(0o700),
    "name": lambda tree: (tree / "a").rename(tree / "z"),
    "another": lambda tree: (tree / "new").write_text(""),
    "gone": lambda tree: (tree / "inner/c").unlink(),
    "target": lambda tree: (tree.parent / "outside").write_text("12345"),
    "no target": lambda tree: (tree.parent / "outside").unlink(),
    "exchanged": lambda tree: (tree / "a").replace(tree / "b"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_shows(tree: Path, change: str) -> None:
    """Whatever happens to a file, the stamp is another."""
    before = stamp.of_tree(tree)

    CHANGES[change](tree)

    assert "" not in {before, stamp.of_tree(tree)}
    assert before != stamp.of_tree(tree)


def test_nothing_changed(tree: Path) -> None:
    """Reading changes nothing, and neither does Python's own cache."""
    before = stamp.of_tree(tree)

    (tree / "a").read_text()
    (tree / "__pycache__").mkdir()
    (tree / "__pycache__/a.pyc").write_bytes(b"")

    assert before == stamp.of_tree(tree)


def test_what_changed_just_now(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may change again within its time stamp, so there is no stamp yet."""
    monkeypatch.setattr(stamp, "RACE", 10**12)

    assert "" == stamp.of_tree(tree)


def test_a_link_to_a_directory(tree: Path) -> None:
    """What lies behind it is not seen, so there is no stamp."""
    (tree / "there").symlink_to("inner")

    assert "" == stamp.of_tree(tree)
