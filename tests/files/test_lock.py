"""One dgpin at a time writes a host, and where it keeps its lock."""

import fcntl
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dgpin import files
from tests.files.edits import edit, write


def test_a_second_writer_is_refused(root: Path) -> None:
    """While one dgpin writes, another one ends with 3, and the first one's lock stays."""
    with files.locked(root, command="bump"):
        with pytest.raises(files.BusyError) as caught, files.locked(root, command="bump"):
            pass
        assert (files.state_directory(root) / "lock").exists()

    assert 3 == caught.value.exit_code
    assert not files.state_directory(root).exists()


def test_two_hosts_of_one_repository_share_the_lock(root: Path) -> None:
    """They may share files."""
    with (
        files.locked(root / "sub", command="bump"),
        pytest.raises(files.BusyError),
        files.locked(root, command="bump"),
    ):
        pass


def test_a_lock_file_that_nobody_holds_is_no_obstacle(root: Path) -> None:
    """What a killed process leaves is taken over."""
    files.state_directory(root).mkdir()
    (files.state_directory(root) / "lock").touch()

    write(root, edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()
    assert not files.state_directory(root).exists()


def test_a_reader_does_not_disturb_a_writer(root: Path) -> None:
    """A reading command that asks whether anyone is alive holds the lock for an instant."""
    place = files.state_directory(root)
    place.mkdir()
    (place / "lock").touch()
    with (place / "lock").open() as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        signal.signal(signal.SIGALRM, lambda *_: fcntl.flock(reader, fcntl.LOCK_UN))
        signal.setitimer(signal.ITIMER_REAL, 0.05)

        write(root, edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_state_directory_that_is_none_is_refused(root: Path, kind: str) -> None:
    """A link or a file in its place is someone's doing: nothing is written through it."""
    place = files.state_directory(root)
    if kind == "file":
        place.write_text("")
    else:
        (root / "sub/elsewhere").mkdir()
        place.symlink_to(root / "sub/elsewhere")

    with pytest.raises(files.StateError, match="nothing was written"):
        write(root, edit("a.txt"))

    assert b"old a\n" == (root / "a.txt").read_bytes()


def test_state_lies_in_the_git_directory(root: Path) -> None:
    """For the root of a work tree and for a directory in it."""
    assert root / ".git/dgpin" == files.state_directory(root)
    assert root / ".git/dgpin" == files.state_directory(root / "sub")


def test_state_lies_in_a_linked_work_trees_own_git_directory(root: Path) -> None:
    """A .git file names it, absolutely or relative to itself."""
    (root / ".git/worktrees/w").mkdir(parents=True)
    (root / ".git/worktrees/w/HEAD").touch()
    (root / "sub/.git").write_text("gitdir: ../.git/worktrees/w\n")

    assert root / ".git/worktrees/w/dgpin" == files.state_directory(root / "sub")


@pytest.mark.parametrize("text", ["gitdir: /nowhere/at/all\n", "something else\n", ""])
def test_a_git_file_that_leads_nowhere_is_none(tmp_path: Path, text: str) -> None:
    """As in a copy of a work tree: the host keeps its own state."""
    (tmp_path / ".git").write_text(text)

    assert tmp_path / ".dgpin" == files.state_directory(tmp_path)


def test_state_outside_git_lies_in_the_host(tmp_path: Path) -> None:
    """An unpacked source distribution has no git directory."""
    assert tmp_path / ".dgpin" == files.state_directory(tmp_path)


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Give back what a test took."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.signal(signal.SIGALRM, before)
