"""Files that the user asked for by name, outside any host: `-o FORMAT=FILE`."""

import contextlib
import os
from pathlib import Path

from dgpin.errors import UsageError
from dgpin.files import staging
from dgpin.files.disk import Disk
from dgpin.files.failures import WriteError
from dgpin.files.journal import STAGED


def write_result(path: Path, text: str, *, disk: Disk | None = None) -> None:
    """Write a result that the user asked for, whole or not at all.

    A device, a pipe or the like is written to as it is.

    Raises:
        UsageError: there is no such directory, or the path is one itself.
        WriteError: the system refused.
    """
    target = path.resolve()
    if target.is_dir():
        raise UsageError(f"{path}: is a directory", hint="Name a file: -o FORMAT=FILE.")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no directory {path.parent}", hint="Make it first.")
    # Paths that are not UTF-8 come back as the bytes that they were.
    data = text.encode(errors="surrogateescape")
    try:
        if _is_a_channel(path):
            with path.open("ab") as channel:
                channel.write(data)
        else:
            _replace(target, data, disk or Disk())
    except OSError as error:
        raise WriteError(str(path), error) from error


def _is_a_channel(path: Path) -> bool:
    """Whether a path stands for what someone has open: /dev/stdout must not be replaced."""
    if path.exists() and not path.is_file():
        return True
    return str(path.absolute()).startswith(("/dev/std", "/dev/fd/", "/proc/"))


def _replace(target: Path, text: bytes, disk: Disk) -> None:
    draft = target.with_name(f"{STAGED}{os.urandom(4).hex()}")
    try:
        staging.create(disk, draft, text, like=target if target.exists() else None)
        disk.rename(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            disk.unlink(draft)
        raise
