"""The files of a DeepGEMM source, wherever they lie: a git commit or a directory."""

from collections.abc import Mapping
from typing import Protocol


class Tree(Protocol):
    """A source's files at one moment. Paths are relative, with `/`."""

    def paths(self) -> frozenset[str]:
        """Return every file, those of checked-out or mirrored submodules included."""
        ...

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            KeyError: there is no such file.
        """
        ...

    def gitlinks(self) -> Mapping[str, str]:
        """Return the path of each submodule and the commit that the source records for it.

        Empty where nothing records them, as in an sdist.
        """
        ...
