"""A source that lies in a directory."""

from pathlib import Path

import pytest

from dgpin.source.directory import DirTree, NoDirectoryError


def test_files(tmp_path: Path) -> None:
    """Every file is listed with `/` and read; directories and .git are not."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/f.h").write_bytes(b"\xff1")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text("gitdir: elsewhere\n")

    tree = DirTree(tmp_path)

    assert {"a/b/f.h"} == tree.paths()
    assert b"\xff1" == tree.read("a/b/f.h")
    assert {} == tree.gitlinks()


@pytest.mark.parametrize("path", ["a", "missing", "../secret", "out", "dangling", "circle", ""])
def test_no_such_file(tmp_path: Path, path: str) -> None:
    """Directories, missing files and everything outside are no files of the tree."""
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (tmp_path / "secret").write_text("x")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "dangling").symlink_to("nothing")
    (root / "circle").symlink_to("circle")
    tree = DirTree(root)

    assert frozenset() == tree.paths()
    with pytest.raises(KeyError):
        tree.read(path)


def test_link_inside(tmp_path: Path) -> None:
    """A link to a file of the tree is a file of the tree."""
    (tmp_path / "real.h").write_text("x")
    (tmp_path / "link.h").symlink_to("real.h")

    assert (frozenset({"real.h", "link.h"}), b"x") == (
        DirTree(tmp_path).paths(),
        DirTree(tmp_path).read("link.h"),
    )


def test_no_directory(tmp_path: Path) -> None:
    """What is no directory is refused with its name."""
    with pytest.raises(NoDirectoryError, match="is not a directory"):
        DirTree(tmp_path / "missing")
