"""What a command that only reads sees of a bump that is under way or was interrupted."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from dgpin.errors import UnavailableError
from dgpin.files.home import Home, home
from dgpin.files.journal import TornError
from dgpin.files.lock import is_held
from dgpin.files.transaction import load


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
