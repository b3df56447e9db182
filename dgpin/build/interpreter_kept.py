"""What an interpreter said about itself, for as long as nothing that it said it from has changed.

To start an interpreter takes 30 ms, and a build for four Pythons asks each of them.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from dgpin import cache

_ELF = b"\x7fELF"


def answer(found: str, modules: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the answer of this program to these questions, if it would be the same now."""
    kept = cache.read_json(_name(found, modules))
    try:
        same = kept["seen"] == _seen(found, kept["answer"]["path"])
        return dict(kept["answer"]) if same and "homes" in kept["answer"] else None
    except (KeyError, TypeError, OSError):
        return None


def keep(found: str, modules: Sequence[str], said: Mapping[str, Any]) -> None:
    """Keep an answer. That of a script is not kept: it may ask another program each time."""
    with suppress(OSError):
        with open(found, "rb") as file:  # noqa: PTH123 - pathlib costs more than the rest
            is_program = file.read(4) == _ELF
        if is_program:
            seen = _seen(found, said["path"])
            cache.write_json(_name(found, modules), {"seen": seen, "answer": dict(said)})


def _name(found: str, modules: Sequence[str]) -> str:
    asked = "\0".join([found, *modules]).encode(errors="surrogatepass")
    return f"pythons/{hashlib.sha256(asked).hexdigest()[:32]}.json"


def _seen(found: str, search: Sequence[str]) -> list[list[object]]:
    """Return the state of all that the answer depends on.

    That is the program, what makes it a virtual environment, the directories in which it looks for
    modules, which change when a package comes or goes, and the files there that lead elsewhere.
    """
    home = os.path.dirname(found)  # noqa: PTH120 - pathlib costs more than the rest
    own = [found, f"{home}/pyvenv.cfg", f"{home}/../pyvenv.cfg"]
    leading = [
        entry.path
        for folder in search
        if os.path.isdir(folder)  # noqa: PTH112 - as above
        for entry in os.scandir(folder)
        if entry.name.endswith(".pth")
    ]
    return [[path, *_state(path)] for path in (*own, *search, *sorted(leading))]


def _state(path: str) -> list[int]:
    try:
        state = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return []
    return [state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size]
