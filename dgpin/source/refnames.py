"""The names that the mirrors know, for completion in a shell: read from files, without git."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from dgpin import cache, lines

_KINDS = ("refs/heads/", "refs/tags/")
_PULL = "pull/"


def beginning(prefix: str) -> list[str]:
    """Return the branches and tags of all mirrors that begin so; pull requests once asked for."""
    kinds = ("refs/",) if prefix.startswith(_PULL) else _KINDS
    names = {
        name.removeprefix(kind)
        for name in _names()
        for kind in kinds
        if name.startswith(kind + prefix)
    }
    return sorted(names)


def _names() -> Iterator[str]:
    with contextlib.suppress(OSError), os.scandir(cache.root() / "mirrors") as mirrors:
        for mirror in mirrors:
            if mirror.stat().st_uid == os.getuid():
                yield from _packed(mirror.path)
                yield from _loose(mirror.path)


def _packed(mirror: str) -> Iterator[str]:
    with contextlib.suppress(OSError):
        text = Path(mirror, "packed-refs").read_text(encoding="utf-8", errors="replace")
        for line in lines.split(text):
            if line[:1] not in "#^":
                yield line.partition(" ")[2]


def _loose(mirror: str) -> Iterator[str]:
    for directory, _, files in os.walk(f"{mirror}/refs"):
        for name in files:
            yield f"{directory}/{name}"[len(mirror) + 1 :]
