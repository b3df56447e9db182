"""The mirrors' places in the cache: lock, stamp, and nobody else's files."""

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from dgpin import cache
from dgpin.cache import CacheError
from dgpin.errors import UnavailableError
from dgpin.source.address import Address

_STAMP = "dgpin-fetched"
_POLL = 0.05  # seconds


class NoMirrorError(UnavailableError):
    """Nothing is known of a repository, and the network was not to be used."""

    hint = "Run the same command once with network, without --offline."

    def __init__(self, shown: str) -> None:
        super().__init__(f"there is no copy of {shown} in the cache")


class BusyError(UnavailableError):
    """Another dgpin is fetching the same repository and does not come to an end."""

    hint = "Wait for it to end, then run the same command again."

    def __init__(self, shown: str) -> None:
        super().__init__(f"another dgpin is fetching {shown}")


class DamagedError(UnavailableError):
    """Git could not read a mirror that is there."""

    hint = "Delete that directory and run the same command again; it is only a cache."

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"the mirror {path} cannot be read: {why}")


def place(address: Address, *, kind: str = "mirrors") -> Path:
    """Return where the mirror of a repository lies or would lie.

    Submodules have a `kind` of their own: they hold single commits and no refs.
    """
    return cache.root() / kind / f"{address.key}.git"


def stamp(path: Path) -> str:
    """Return when the remote was last asked (ISO 8601 with offset); empty without a mirror.

    Raises:
        CacheError: the mirror belongs to another user, whose git configuration could run programs.
    """
    if os.path.lexists(path) and not cache.is_own(path):
        raise CacheError(path, "it is a link, or belongs to another user")
    try:
        return (path / _STAMP).read_text("utf-8").strip()
    except OSError:
        return ""


def known(address: Address) -> str:
    """Return when the mirror of a repository was last brought up to date.

    Raises:
        NoMirrorError: there is none.
        CacheError: as `stamp`.
    """
    if not (found := stamp(place(address))):
        raise NoMirrorError(address.shown)
    return found


def now() -> str:
    """Return the time as stamps have it: UTC, so that they sort as text."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def shown(time_: str) -> str:
    """Return a stamp for people: without the fraction of the second."""
    return time_[:19] + time_[26:]


def set_stamp(path: Path, began: str) -> None:
    """Record that the mirror shows what the remote had when the fetch began."""
    draft = path / f"{_STAMP}.new"
    try:
        draft.write_text(began + "\n", "utf-8")
        draft.replace(path / _STAMP)
    except OSError as error:
        raise CacheError(path, error.strerror) from error


@contextlib.contextmanager
def locked(path: Path, *, shown: str, limit: float) -> Iterator[None]:
    """Hold the lock of a mirror; the kernel drops it when dgpin dies. `limit` is in seconds.

    Raises:
        CacheError: the cache cannot be written.
        BusyError: the lock was not free in time.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise CacheError(path.parent, error.strerror) from error
    try:
        _wait(handle, shown=shown, limit=limit)
        yield
    finally:
        os.close(handle)


def _wait(handle: int, *, shown: str, limit: float) -> None:
    end = time.monotonic() + limit
    while not _took(handle):
        if time.monotonic() > end:
            raise BusyError(shown)
        time.sleep(_POLL)


def _took(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def discard(path: Path) -> None:
    """Remove a mirror that was never completed, or a file in its place."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def clear_stale_locks(path: Path) -> None:
    """Remove the lock files of a git that was killed; only for the holder of the mirror's lock."""
    for name in ("packed-refs", "HEAD", "config", "shallow"):
        (path / f"{name}.lock").unlink(missing_ok=True)
    for lock in path.joinpath("refs").rglob("*.lock"):
        lock.unlink(missing_ok=True)
