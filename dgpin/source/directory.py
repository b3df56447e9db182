"""A source that lies in a directory: an sdist, a build's headers, a checkout."""

from collections.abc import Mapping
from pathlib import Path


class DirTree:
    """The files of a directory. Links that lead outside it are not followed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def paths(self) -> frozenset[str]:
        """Return every file."""
        raise NotImplementedError

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            KeyError: there is no such file.
        """
        raise NotImplementedError

    def gitlinks(self) -> Mapping[str, str]:
        """Return the submodules that a checkout's HEAD records; empty without git."""
        raise NotImplementedError
