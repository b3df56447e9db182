"""The few facts of a shared object that dgpin needs, read from its bytes: what it is linked to.

Layout: the System V ABI's ELF-64, little-endian, as on every platform that DeepGEMM has.
"""

import struct
from collections.abc import Iterator

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_SHT_DYNAMIC = 6
_DT_NEEDED = 1


def needed(data: bytes) -> tuple[str, ...] | None:
    """Return the libraries that a shared object asks for, in order; None when it is none."""
    if not data.startswith(_MAGIC):
        return None
    try:
        return tuple(_needed(data))
    except (struct.error, IndexError):
        return None


def _needed(data: bytes) -> Iterator[str]:
    (table,) = struct.unpack_from("<Q", data, 0x28)  # e_shoff
    size, count = struct.unpack_from("<HH", data, 0x3A)  # e_shentsize, e_shnum
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + at * size) for at in range(count)]
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != _SHT_DYNAMIC:
            continue
        names = sections[link][4]
        for at in range(offset, offset + length, 16):
            tag, value = struct.unpack_from("<qQ", data, at)
            if tag == _DT_NEEDED:
                end = data.index(b"\0", names + value)
                yield data[names + value : end].decode(errors="replace")
