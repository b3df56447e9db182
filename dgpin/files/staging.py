"""A new file that is to take the place of another, with all that marks the other."""

import errno
import os
import stat
from pathlib import Path

from dgpin.files.disk import UNSUPPORTED, Disk

# What the copying of an extended attribute may answer: it is the file system's or the system's
# own (security labels), and a new file has got its own.
_ATTRIBUTE_STAYS = UNSUPPORTED | {errno.EPERM, errno.EACCES, errno.ENODATA}


def create(disk: Disk, path: Path, text: bytes, *, like: Path | None = None) -> None:
    """Write a new file so that it would survive a loss of power; its name is not yet safe.

    With `like`, it has that file's owner, group, permissions, and what extended attributes can
    be copied.

    Raises:
        OSError: one of the calls failed; the file may be there in part.
    """
    descriptor = disk.create(path, 0o666 if like is None else 0o600)
    try:
        rest = memoryview(text)
        while rest:
            rest = rest[disk.write(descriptor, bytes(rest)) :]
        if like is not None:
            _dress(disk, descriptor, like)
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def _dress(disk: Disk, descriptor: int, like: Path) -> None:
    model, mine = like.lstat(), os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (model.st_uid, model.st_gid):
        disk.set_owner(descriptor, model.st_uid, model.st_gid)
    # Only now: a change of owner clears set-user-id.
    disk.set_mode(descriptor, stat.S_IMODE(model.st_mode))
    for name in _attributes(like):
        _copy_attribute(disk, descriptor, like, name)


def _attributes(path: Path) -> list[str]:
    try:
        return os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        if error.errno in UNSUPPORTED:
            return []
        raise


def _copy_attribute(disk: Disk, descriptor: int, like: Path, name: str) -> None:
    try:
        disk.set_attribute(descriptor, name, os.getxattr(like, name, follow_symlinks=False))
    except OSError as error:
        if error.errno not in _ATTRIBUTE_STAYS:
            raise
