"""What an archive may do when it is read: stay in its directory, stay small, be whole."""

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import PurePosixPath

from dgpin.errors import UnavailableError

LARGEST = 4 * 2**30  # bytes that one archive may become; a build's package has some hundred million
RATIO = 200  # bytes out of one; compiled kernels and headers stay below 20
SMALL = 64 * 2**20  # bytes; below this the ratio does not matter

# What zipfile and tarfile raise for a damaged archive, depending on where the damage is.
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,  # a password
    IndexError,
    ValueError,
    OverflowError,
    OSError,
)


class BombError(UnavailableError):
    """An archive that is, or unpacks to, more than any build holds."""

    hint = "Fetch it again, from where you trust it."

    def __init__(self, label: str, why: str) -> None:
        super().__init__(f"{label}: {why}; refused")


def leads_out(info: zipfile.ZipInfo) -> bool:
    """Tell whether a member would land outside the directory that it is unpacked to, or is a
    link."""
    path = PurePosixPath(info.filename.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or stat.S_ISLNK(info.external_attr >> 16)


def check_size(members: Iterable[zipfile.ZipInfo], *, label: str) -> None:
    """Refuse members that become too large; zipfile reads no more of each than it declares.

    Raises:
        BombError: they do.
    """
    members = list(members)
    check_sizes(
        sum(info.file_size for info in members),
        packed=sum(info.compress_size for info in members),
        label=label,
    )


def check_sizes(size: int, *, packed: int, label: str) -> None:
    """Refuse what becomes too large, as a whole or for what it was.

    Raises:
        BombError: it does.
    """
    if size > LARGEST:
        raise BombError(label, f"unpacks to {size} bytes, more than {LARGEST}")
    if size > SMALL and size > RATIO * packed:
        raise BombError(label, f"unpacks to {size} bytes from {packed}")


def within(chunks: Iterable[bytes], *, largest: int, label: str) -> bytes:
    """Return what is sent, as long as it is not more than `largest` bytes; no more is read.

    Raises:
        BombError: it is more.
    """
    whole = bytearray()
    for chunk in chunks:
        whole += chunk
        if len(whole) > largest:
            raise BombError(label, f"more than {largest} bytes are sent")
    return bytes(whole)
