"""One dgpin at a time writes a tree."""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator

from dgpin.errors import UnavailableError
from dgpin.files.disk import Disk
from dgpin.files.home import Home

# A reading command holds the lock for an instant to learn whether anyone is alive.
_PATIENCE = 0.25  # seconds
_PAUSE = 0.01
_OPENINGS = 100  # how often others may take the directory away under our hands


class BusyError(UnavailableError):
    """Another dgpin writes this tree at this moment."""

    hint = "Wait until it has ended, then run the same command again."

    def __init__(self, home: Home) -> None:
        super().__init__(f"{home.top}: another dgpin is writing here")


class StateError(UnavailableError):
    """The place of lock and journal cannot be used, so nothing can be written safely."""

    hint = "dgpin needs to write there to make a bump all or nothing."

    def __init__(self, home: Home, reason: str) -> None:
        super().__init__(f"{home.state}: {reason}; nothing was written")


@contextlib.contextmanager
def hold(home: Home, disk: Disk) -> Iterator[None]:
    """Hold the lock; what it needed on disk is gone afterwards, save the journal of a failure.

    The kernel drops the lock when the process dies, so there are no stale ones.

    Raises:
        BusyError: another process holds it.
        StateError: the place for it cannot be used.
    """
    try:
        descriptor = _acquire(home, disk)
    except OSError as error:
        with contextlib.suppress(OSError):
            disk.remove_directory(home.state)
        raise StateError(home, error.strerror or str(error)) from error
    try:
        yield
    finally:
        try:
            # While it is still held: a process that opened it meanwhile sees that it is stale.
            with contextlib.suppress(OSError):
                disk.unlink(home.lock)
                disk.remove_directory(home.state)
        finally:
            os.close(descriptor)


def _acquire(home: Home, disk: Disk) -> int:
    give_up = time.monotonic() + _PATIENCE
    while True:
        descriptor = _open(home, disk)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed the file after we opened it.
            if os.path.samestat(os.fstat(descriptor), home.lock.lstat()):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() > give_up:
            raise BusyError(home)
        time.sleep(_PAUSE)


def _open(home: Home, disk: Disk) -> int:
    for _ in range(_OPENINGS):
        with contextlib.suppress(FileExistsError):
            disk.make_directory(home.state)
        # FileNotFoundError: the last holder has just removed the directory.
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISDIR(home.state.lstat().st_mode):
                raise StateError(home, "it is not a directory of dgpin's own")
            return disk.open_lock(home.lock)
    raise BusyError(home)


def is_held(home: Home) -> bool:
    """Whether a living process holds the lock. Writes nothing."""
    try:
        descriptor = os.open(home.lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    else:
        return False
    finally:
        os.close(descriptor)
