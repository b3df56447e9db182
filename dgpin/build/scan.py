"""The headers of a source where there is no compiler to ask: read as text."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from dgpin.build.headers import Closure
from dgpin.pin import headers as known
from dgpin.pin import includes


class _Disk:
    """Files below some directories, by absolute paths."""

    def __init__(self, directories: Iterable[str]) -> None:
        self._paths = frozenset(
            os.path.join(parent, name)  # noqa: PTH118 - thousands of files
            for directory in directories
            for parent, _, names in os.walk(directory)
            for name in names
        )

    def paths(self) -> frozenset[str]:
        """Return every file."""
        return self._paths

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        return Path(path).read_bytes()

    def gitlinks(self) -> Mapping[str, str]:
        """Return nothing: these directories are no repository."""
        return {}


def closure(source: Path, sources: Sequence[Path], flags: Sequence[str]) -> Closure:
    """Return what the sources certainly include and no directory has.

    What only an `#if` leads to is left out, and so are the standard library's headers: which of
    them count is the compiler's business, which is missing itself.
    """
    searched = [flag[2:] for flag in flags if flag.startswith("-I")]
    after = [path for word, path in pairwise(flags) if word == "-idirafter"]
    directories = [os.path.normpath(path) for path in (*searched, *after)]
    tree = _Disk([str(source / "csrc"), *directories])
    found = includes.closure(tree, [str(path) for path in sources], directories)
    missing = [
        external.header
        for external in found.externals
        if not external.conditional
        and known.owner(external.header) is not known.Owner.STANDARD
        and not any(
            Path(place, external.header).exists()
            for place in ("/usr/include", "/usr/local/include")
        )
    ]
    return Closure(files=tuple(found.files), missing=tuple(missing))
