"""A source that lies in a directory: an sdist, a build's headers, a checkout."""

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from dgpin.errors import UsageError
from dgpin.source import entries, invocation
from dgpin.source.entries import Mode


class NoDirectoryError(UsageError):
    """A source was to be read from a directory that is none."""

    hint = "Name a directory that holds a DeepGEMM source, or a ref of its repository."

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root} is not a directory")


class DirTree:
    """The files of a directory. Links that lead outside it are not followed."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise NoDirectoryError(root)
        self.root = root
        self._real = Path(os.path.realpath(root))

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self._walk(self.root, ""))

    def _walk(self, folder: Path, prefix: str) -> Iterator[str]:
        with os.scandir(folder) as found:
            for entry in found:
                path = prefix + entry.name
                if entry.name == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    yield from self._walk(Path(entry.path), f"{path}/")
                elif entry.is_file(follow_symlinks=False) or self._inside(path):
                    yield path

    def paths(self) -> frozenset[str]:
        """Return every file; a link to a directory is not entered."""
        return self._paths

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            KeyError: there is no such file, or a link leads outside.
        """
        if not self._inside(path):
            raise KeyError(path)
        return (self.root / path).read_bytes()

    def gitlinks(self) -> Mapping[str, str]:
        """Return the submodules that a checkout's HEAD records; empty without git or commits.

        Raises:
            MissingProgramError: it is a checkout, and there is no git to ask.
        """
        git = self.root / ".git"
        if not git.exists():
            return {}
        from dgpin import process  # noqa: PLC0415 - most directories need no program

        done = process.run(
            ["git", "--git-dir", git, "ls-tree", "-r", "-z", "--full-tree", "HEAD"],
            env=invocation.environment(),
            timeout=invocation.READ_LIMIT,
        )
        listed = entries.parse(done.stdout) if done.returncode == 0 else ()
        return {entry.path: entry.sha for entry in listed if entry.mode is Mode.SUBMODULE}

    def _inside(self, path: str) -> bool:
        # realpath, because Path.resolve() raises for links in a circle before Python 3.13.
        file = Path(os.path.realpath(self.root / path))
        return file.is_relative_to(self._real) and file.is_file()
