"""The only door that writes the user's tree: every edit, or none."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dgpin.errors import UnavailableError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A file's whole text before and after.

    `path` is relative to the host's root, with `/`. `old` is None for a file that must not exist
    yet; its directory must.
    """

    path: str
    old: bytes | None
    new: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """What a dgpin that died left behind.

    `committed`: the next writing command finishes the work; otherwise it removes what was
    prepared, and no file of the host was changed. `paths` are the files that the run meant to
    write, relative to the root of the git work tree (or of the host, outside git).
    """

    journal: Path
    committed: bool
    paths: tuple[str, ...]


class OutsideError(UsageError):
    """A path leads out of the host, or to a place that is not the host's to state a pin in."""


class SharedFileError(UsageError):
    """A file has a second hard link."""


class BusyError(UnavailableError):
    """Another dgpin writes this tree at this moment."""


class InterruptedBumpError(UnavailableError):
    """A reading command found what an interrupted run left."""

    def __init__(self, found: Interrupted) -> None:
        super().__init__("a bump was interrupted")
        self.found = found


class ChangedError(UnavailableError):
    """A file was changed by someone else meanwhile; it is never overwritten."""


class WriteError(UnavailableError):
    """The system refused a write; nothing was written."""


class Tree:
    """A host whose files no other dgpin writes while this one is open.

    `recovered` is what an earlier, interrupted run had left, and has been dealt with; show it.
    """

    root: Path
    recovered: Interrupted | None

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            OutsideError: the path leads out of the host.
            FileNotFoundError: there is no such file.
        """
        raise NotImplementedError

    def apply(self, edits: Sequence[Edit]) -> None:
        """Make every edit, or leave every file as it is.

        Raises:
            OutsideError, SharedFileError: one of the files is not to be written.
            ChangedError: a file no longer holds its old text.
            WriteError: the system refused; nothing was written.
        """
        raise NotImplementedError


@contextmanager
def locked(root: Path) -> Iterator[Tree]:
    """Lock the tree, finish or undo what an interrupted run left, then let the caller write.

    Raises:
        BusyError: another dgpin holds the lock.
        ChangedError: an interrupted run cannot be finished.
    """
    raise NotImplementedError
    yield Tree()


def pending(root: Path) -> Interrupted | None:
    """Return what an interrupted run left; for commands that read. Writes nothing."""
    raise NotImplementedError


def read_all(root: Path, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of files as they were at one moment, none of it in the midst of a bump.

    A file that does not exist is left out.

    Raises:
        InterruptedBumpError: an interrupted run left the tree as it is.
        BusyError: another dgpin writes this tree and does not come to an end.
        OutsideError: a path leads out of the host.
    """
    raise NotImplementedError


def locate(root: Path, path: str) -> Path:
    """Return the real file behind a path of the host; links are followed inside the host only.

    Raises:
        OutsideError: the path leads out of the host.
        FileNotFoundError: there is no such file.
    """
    raise NotImplementedError


def state_directory(root: Path) -> Path:
    """Return the place of lock and journal; it exists only while a command writes."""
    raise NotImplementedError


def write_result(path: Path, text: str) -> None:
    """Write a result that the user asked for, whole or not at all.

    Raises:
        UsageError: the directory does not exist.
        WriteError: the system refused.
    """
    raise NotImplementedError
