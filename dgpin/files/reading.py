"""What a command that only reads sees of a bump that is under way or was interrupted."""

import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dgpin.errors import UnavailableError
from dgpin.files.home import Home, home
from dgpin.files.journal import TornError
from dgpin.files.location import locate, read
from dgpin.files.lock import BusyError, is_held
from dgpin.files.transaction import load

_PATIENCE = 2.0  # seconds: how long a reading command waits for a writing one
_PAUSE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """What a dgpin that died left behind.

    `decided`: each of its files may hold the old text or the new one, and the next writing
    command finishes them; otherwise none was touched, and it removes what had been prepared.
    `paths` are relative to the root of the git work tree (outside git: of the host).
    """

    command: str
    decided: bool
    paths: tuple[str, ...]


class InterruptedBumpError(UnavailableError):
    """A reading command found what an interrupted run had left."""

    def __init__(self, found: Interrupted) -> None:
        names = ", ".join(found.paths) or "its files"
        state = (
            f"each of {names} may be old or new"
            if found.decided
            else f"{names} had not been touched yet"
        )
        super().__init__(
            f"a {found.command} was interrupted: {state}",
            hint=f"Run the same `dgpin {found.command}` again: it first puts that in order.",
        )
        self.found = found


def pending(root: Path) -> Interrupted | None:
    """Return what an interrupted run left; None also while a living one is at work.

    Writes nothing.

    Raises:
        JournalError: the record of an interrupted run is damaged.
    """
    place = home(root)
    while (before := _trace(place)) is not None:
        if is_held(place):
            return None
        # It may have ended, and another may have begun, between the two looks.
        if _trace(place) == before:
            return _interrupted(place)
    return None


def _trace(place: Home) -> tuple[str, int, int] | None:
    for path in (place.journal, place.intent):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            found = path.lstat()
            return path.name, found.st_ino, found.st_ctime_ns
    return None


def _interrupted(place: Home) -> Interrupted:
    record = load(place.journal)
    decided = record is not None
    if record is None:
        with contextlib.suppress(TornError):
            record = load(place.intent)
    if record is None:
        return Interrupted(command="bump", decided=False, paths=())
    return Interrupted(command=record.command, decided=decided, paths=record.paths)


def read_all(root: Path, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of files as they stood at one moment, never a bump's half.

    A file that does not exist is left out. Writes nothing.

    Raises:
        InterruptedBumpError: an interrupted run left the tree as it is.
        BusyError: another dgpin writes this tree and does not come to an end.
        OutsideError: a path leads out of the host.
    """
    place, names = home(root), tuple(paths)
    give_up = time.monotonic() + _PATIENCE
    while True:
        marks = {name: _mark(root, name) for name in names}
        texts = {name: _read_if_any(root, name) for name in names}
        is_quiet = not place.journal.exists()
        # At the moment of that look every file was what it was before and after: no other
        # moment lies between.
        if is_quiet and marks == {name: _mark(root, name) for name in names}:
            if found := pending(root):
                raise InterruptedBumpError(found)
            return {name: text for name, text in texts.items() if text is not None}
        if found := pending(root):
            raise InterruptedBumpError(found)
        if time.monotonic() > give_up:
            raise BusyError(place)
        time.sleep(_PAUSE)


def _mark(root: Path, path: str) -> tuple[int, ...] | None:
    try:
        found = locate(root, path).stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _read_if_any(root: Path, path: str) -> bytes | None:
    with contextlib.suppress(FileNotFoundError):
        return read(root, path)
    return None
