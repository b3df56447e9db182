"""What is refused before anything is written."""

import os
from pathlib import Path

import pytest

from dgpin import files
from tests.files.edits import edit, refusing, write


def _outside(root: Path) -> None:
    (root.parent / "outside").mkdir(exist_ok=True)
    (root.parent / "outside/a.txt").write_bytes(b"old a\n")
    (root / "out").symlink_to(root.parent / "outside")
    (root / "out.txt").symlink_to(root.parent / "outside/a.txt")
    (root / "loop").symlink_to("loop")
    (root / ".git/config").write_bytes(b"old a\n")
    (root / "config").symlink_to(".git/config")
    os.mkfifo(root / "pipe")


@pytest.mark.parametrize(
    "path",
    [
        "../outside/a.txt",
        "sub/../../outside/a.txt",
        "/etc/passwd",
        "out/a.txt",
        "out.txt",
        "loop",
        ".git/config",
        ".GIT/config",
        "config",
        ".dgpin/a.txt",
        "sub",
        "pipe",
        "",
        ".",
        "a\0b",
        "x" * 300,
    ],
)
def test_paths_that_lead_elsewhere_are_refused(root: Path, path: str) -> None:
    """`..`, links that lead out, git's own files, and what is no file: exit 2."""
    _outside(root)

    with pytest.raises(files.OutsideError) as caught:
        write(root, edit("sub/b.txt", old=b"old b\n"), edit(path))

    assert 2 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()
    assert b"old a\n" == (root.parent / "outside/a.txt").read_bytes()
    assert b"old a\n" == (root / ".git/config").read_bytes()


@pytest.mark.parametrize("path", ["out/new", "../new", ".git/hooks", ".dgpin"])
def test_new_files_are_made_inside_only(root: Path, path: str) -> None:
    """The same holds for a file that does not exist yet."""
    _outside(root)

    with pytest.raises(files.OutsideError):
        write(root, edit(path, old=None))

    assert not (root.parent / "outside/new").exists()
    assert not (root.parent / "new").exists()


def test_a_second_hard_link_is_refused(root: Path) -> None:
    """The other name would keep the old text; the message says how to part the two."""
    os.link(root / "a.txt", root / "other")

    with pytest.raises(files.UnwritableError, match=r"a\.txt: has another hard link") as caught:
        write(root, edit("sub/b.txt", old=b"old b\n"), edit("a.txt"))

    assert 2 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


def test_two_texts_for_one_file_are_refused(root: Path) -> None:
    """A link and the file behind it cannot be given different texts."""
    (root / "link").symlink_to("a.txt")

    with pytest.raises(files.UnwritableError, match=r"link: is the same file as a\.txt"):
        write(root, edit("a.txt"), edit("link", new=b"other\n"))

    assert b"old a\n" == (root / "a.txt").read_bytes()


@pytest.mark.parametrize(
    ("path", "old"),
    [
        ("a.txt", b"another text\n"),
        ("missing.txt", b"old\n"),
        ("sub/deep/missing.txt", b"old\n"),
        ("a.txt/below", b"old\n"),
        ("a.txt", None),
        ("dangling", None),
    ],
)
def test_a_file_that_is_not_what_was_read_is_refused(
    root: Path, path: str, old: bytes | None
) -> None:
    """Changed, gone or come into being since it was read: exit 3, and every site stays."""
    (root / "dangling").symlink_to("nowhere")

    with pytest.raises(files.ChangedError) as caught:
        write(root, edit("sub/b.txt", old=b"old b\n"), edit(path, old=old))

    assert 3 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()
    assert b"old a\n" == (root / "a.txt").read_bytes()


def test_a_new_file_needs_its_directory(root: Path) -> None:
    """dgpin makes no directories in the host."""
    with pytest.raises(files.WriteError, match=r"new/dgpin\.toml: cannot be written: No such file"):
        write(root, edit("sub/b.txt", old=b"old b\n"), edit("new/dgpin.toml", old=None))

    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


def test_a_file_whose_owner_cannot_be_kept_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another owner's file: the new one would belong to someone else."""
    look = os.fstat

    def another_owner(descriptor: int) -> os.stat_result:
        found = list(look(descriptor))
        found[4] += 1  # st_uid
        return os.stat_result(found)

    monkeypatch.setattr("dgpin.files.staging.os.fstat", another_owner)
    disk = refusing("set_owner", PermissionError(1, "Operation not permitted"))

    with (
        pytest.raises(files.WriteError, match=r"a\.txt: .*nothing was written"),
        files.locked(root, command="bump", disk=disk) as tree,
    ):
        tree.apply([edit("a.txt"), edit("sub/b.txt", old=b"old b\n")])

    assert b"old b\n" == (root / "sub/b.txt").read_bytes()
