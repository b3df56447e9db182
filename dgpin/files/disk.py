"""The system calls with which `dgpin.files` changes something; tests make each fail in turn."""

import errno
import os
from functools import cache
from pathlib import Path
from typing import Any

_HERE = -100  # AT_FDCWD of <fcntl.h>
_NOREPLACE = 1  # RENAME_NOREPLACE and RENAME_EXCHANGE of <linux/fs.h>
_EXCHANGE = 2

# What file systems answer that have no such operation (NFS, some of FUSE).
UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP})


class Disk:
    """The real thing. Every method raises OSError, as the call beneath it does."""

    __slots__ = ()

    def make_directory(self, path: Path) -> None:
        """Make a directory that only its owner changes."""
        path.mkdir(mode=0o755)

    def remove_directory(self, path: Path) -> None:
        """Remove an empty directory."""
        path.rmdir()

    def open_lock(self, path: Path) -> int:
        """Open a lock file, making it where there is none; return its descriptor."""
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)

    def create(self, path: Path, mode: int) -> int:
        """Make a new file and return its descriptor; `mode` is subject to the umask."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(path, flags, mode)

    def write(self, descriptor: int, data: bytes) -> int:
        """Write some of the data; return how much."""
        return os.write(descriptor, data)

    def set_owner(self, descriptor: int, user: int, group: int) -> None:
        """Give the file to a user and a group."""
        os.fchown(descriptor, user, group)

    def set_mode(self, descriptor: int, mode: int) -> None:
        """Set the permission bits."""
        os.fchmod(descriptor, mode)

    def set_attribute(self, descriptor: int, name: str, value: bytes) -> None:
        """Set an extended attribute."""
        os.setxattr(descriptor, name, value)

    def sync(self, descriptor: int) -> None:
        """Wait until the file's data and metadata would survive a loss of power."""
        os.fsync(descriptor)

    def sync_directory(self, path: Path) -> None:
        """Wait until the names in a directory would survive a loss of power."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
        finally:
            os.close(descriptor)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file a new name, over whatever had it."""
        old.rename(new)

    def move(self, old: Path, new: Path) -> None:
        """Give a file a new name that nothing has yet."""
        _rename_with(_NOREPLACE, old, new)

    def exchange(self, one: Path, other: Path) -> None:
        """Let two files change their names in one step, so that neither is ever lost."""
        _rename_with(_EXCHANGE, one, other)

    def unlink(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()


def _rename_with(flags: int, old: Path, new: Path) -> None:
    import ctypes  # noqa: PLC0415 - only a command that writes pays for it

    call = _renameat2()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), os.fspath(new))
    if call(_HERE, os.fsencode(old), _HERE, os.fsencode(new), flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), os.fspath(new))


@cache
def _renameat2() -> Any:  # noqa: ANN401 - ctypes has no narrower type for a foreign function
    import ctypes  # noqa: PLC0415 - only a command that writes pays for it

    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
