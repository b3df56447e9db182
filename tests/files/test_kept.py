"""What a written file keeps of the one that it replaces."""

import os
import stat
from pathlib import Path

import pytest

from tests.files.edits import edit, names, write


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755])
def test_mode_is_kept(root: Path, mode: int) -> None:
    """The permission bits of a site are those that it had."""
    (root / "a.txt").chmod(mode)

    write(root, edit("a.txt"))

    assert mode == stat.S_IMODE((root / "a.txt").stat().st_mode)


def test_extended_attributes_are_kept(root: Path) -> None:
    """What the user attached to a file stays attached."""
    os.setxattr(root / "a.txt", "user.note", b"kept")

    write(root, edit("a.txt"))

    assert b"kept" == os.getxattr(root / "a.txt", "user.note")


def test_a_new_file_gets_the_mode_of_the_umask(root: Path) -> None:
    """A file that dgpin makes has the permissions of any file that the user makes."""
    before = os.umask(0o027)
    try:
        write(root, edit("dgpin.toml", old=None))
    finally:
        os.umask(before)

    assert 0o640 == stat.S_IMODE((root / "dgpin.toml").stat().st_mode)


def test_a_link_stays_a_link(root: Path) -> None:
    """A site that is a link inside the host: the file behind it is rewritten."""
    (root / "link").symlink_to("sub/b.txt")

    write(root, edit("link", old=b"old b\n"))

    assert "sub/b.txt" == str((root / "link").readlink())
    assert b"new\n" == (root / "sub/b.txt").read_bytes()


def test_two_names_of_one_file_are_written_once(root: Path) -> None:
    """A link and the file behind it may both be sites if the two edits agree."""
    (root / "link").symlink_to("a.txt")

    write(root, edit("link"), edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()


def test_an_edit_that_changes_nothing_touches_nothing(root: Path) -> None:
    """Running again does not even renew the file."""
    before = (root / "a.txt").stat()

    write(root, edit("a.txt", new=b"old a\n"))

    assert before == (root / "a.txt").stat()


def test_nothing_is_left_without_edits(root: Path) -> None:
    """The lock alone leaves nothing either."""
    before = names(root)

    write(root)

    assert before == names(root)
