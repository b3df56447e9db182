"""Schemas of torch ops out of a shared object, nothing of which is loaded.

TORCH_LIBRARY keeps the texts given to `m.def` as they are. pybind11 writes its signatures when it
is loaded, so there is nothing to read in such an extension.
"""

import re
from pathlib import Path

from dgpin.api import schema
from dgpin.api.surface import PACKAGE

# Each run of text once, and whether it ends as a text of C does.
_TEXT = re.compile(rb"([\t\n\x20-\x7e]+)(\0?)")
_NAME = re.compile(rb"(?:\w+::)?[A-Za-z_]\w*(?:\.\w+)?\Z")
_LONGEST = 1_000  # characters of an op's name


def schemas(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the schemas in a shared object as (namespace, text), in order and without repeats."""
    return found(path.read_bytes())


def found(image: bytes) -> tuple[tuple[str, str], ...]:
    """Return the schemas in the bytes of a shared object, as `schemas`."""
    known: dict[str, str] = {}
    own = _namespace(image)
    for run, end in _TEXT.findall(image):
        text = _schema(run) if end and b"->" in run else None
        parsed = schema.parse(text) if text is not None else None
        if text is not None and parsed is not None:
            known.setdefault(text, parsed.namespace or own)
    return tuple((space, text) for text, space in known.items())


def _schema(run: bytes) -> str | None:
    """Return the run from the name before its first parenthesis on; None without one."""
    begin = run.find(b"(")
    # What stands before the text in the image may look like text.
    name = _NAME.search(run, max(begin - _LONGEST, 0), begin) if begin > 0 else None
    return run[name.start() :].decode() if name is not None else None


def _namespace(image: bytes) -> str:
    """Return the library's own namespace: `deep_gemm` unless only `deep_gemm_…` is in it."""
    names = re.findall(rb"\0(deep_gemm\w*)\0", image)
    plain = PACKAGE.encode()
    return plain.decode() if plain in names or not names else names[0].decode()
