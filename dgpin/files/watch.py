"""Whether other programs have a file open for writing, asked of the kernel by leases.

A read lease is given only on a file that nobody has open for writing. From then on whoever opens
it so waits until the lease ends, and the lease says so: a save that is about to come is known
before a byte of it is written. Renaming the file or over it is held up by nothing.
"""

import fcntl
import os
import signal
from pathlib import Path
from typing import NamedTuple

# They answer "would block" instead of "no such thing".
_REMOTE = frozenset({"nfs4", "cifs", "smb3"})


class _Lease(NamedTuple):
    descriptor: int
    device: int
    inode: int


class Watch:
    """Leases on files, whatever their names become. A context: at its end all of them end.

    Without rights to a lease (a file of another owner), or on a file system that has none,
    nothing is seen, and a file counts as quiet.
    """

    __slots__ = ("_leases",)

    def __init__(self) -> None:
        self._leases: list[_Lease] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        while self._leases:
            os.close(self._leases.pop().descriptor)

    def begin(self, path: Path) -> bool:
        """Watch the file that has a name now; False if someone has it open for writing."""
        if self._find(path) is not None:
            return self.is_quiet(path)
        try:
            # Neither a pipe nor the lease of another program holds this up.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(path, flags)
        except OSError:
            return True
        try:
            # The kernel tells of an opening by a signal. It is asked instead, and SIGURG does
            # nothing; SIGIO, which it would send, ends the process.
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            found = os.fstat(descriptor)
        except OSError as error:
            device = os.fstat(descriptor).st_dev
            os.close(descriptor)
            return not isinstance(error, BlockingIOError) or _is_remote(device)
        self._leases.append(_Lease(descriptor, found.st_dev, found.st_ino))
        return True

    def is_quiet(self, path: Path) -> bool:
        """Whether nobody has opened a watched file for writing since; others count as quiet."""
        lease = self._find(path)
        return lease is None or fcntl.fcntl(lease.descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK

    def _find(self, path: Path) -> _Lease | None:
        try:
            found = path.lstat()
        except OSError:
            return None
        for lease in self._leases:
            if (lease.device, lease.inode) == (found.st_dev, found.st_ino):
                return lease
        return None


def _is_remote(device: int) -> bool:
    """Whether a file system refuses a lease also where its server has not lent us the file."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return kind_of(device, mounts) in _REMOTE


def kind_of(device: int, mounts: str) -> str | None:
    """Return a device's kind of file system by a table of mounts, as proc(5) describes it."""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        mount, _, system = line.partition(" - ")
        if number in mount.split(" ")[2:3]:
            return system.split(" ")[0]
    return None
