"""Schemas of torch ops out of a shared object, nothing of which is loaded.

TORCH_LIBRARY keeps the texts given to `m.def` as they are. pybind11 writes its signatures when it
is loaded, so there is nothing to read in such an extension.
"""

import re
from pathlib import Path

from dgpin.api import schema
from dgpin.api.surface import PACKAGE

_SCHEMA = re.compile(
    rb"(?:\w+::)?[A-Za-z_]\w*(?:\.\w+)?\([^\0()]*(?:\([^\0]*?\)[^\0()]*)*\) *-> *[^\0]+(?=\0)"
)
_TEXT = re.compile(rb"[\t\n\x20-\x7e]+")


def schemas(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the schemas in a shared object as (namespace, text), in order and without repeats."""
    image = path.read_bytes()
    found: dict[str, str] = {}
    for match in _SCHEMA.finditer(image):
        if not _TEXT.fullmatch(match.group(0)):
            continue
        text = match.group(0).decode()
        parsed = schema.parse(text)
        if parsed is not None:
            found.setdefault(text, parsed.namespace or _namespace(image))
    return tuple((space, text) for text, space in found.items())


def _namespace(image: bytes) -> str:
    """Return the library's own namespace: `deep_gemm` unless only `deep_gemm_…` is in it."""
    names = re.findall(rb"\0(deep_gemm\w*)\0", image)
    plain = PACKAGE.encode()
    return plain.decode() if plain in names or not names else names[0].decode()
