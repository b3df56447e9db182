"""One side of a comparison: the texts of a source, with its history where there is one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dgpin.source.directory import DirTree
from dgpin.source.survival import Text
from dgpin.source.tree import Tree

if TYPE_CHECKING:  # GitPython is loaded by whoever opens a mirror
    from dgpin.source.git import Mirror

SOURCES = frozenset({".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inl", ".py", ".pyi"})
# Other projects' headers travel in a package beside DeepGEMM's own.
FOREIGN = frozenset({"cutlass", "cute", "fmt", "third-party", "third_party", "3rdparty"})


@dataclass(frozen=True)
class Side:
    """A source to be compared. `mirror` and `commit` are there when it has a history.

    Its files are looked at when they are first asked for: a known answer needs none.
    """

    label: str
    find_tree: Callable[[], Tree]
    mirror: "Mirror | None" = None
    commit: str = ""
    prefix: str = ""

    @cached_property
    def tree(self) -> Tree:
        """Return the files; those of a commit are fetched now where they are missing."""
        return self.find_tree()

    @cached_property
    def texts(self) -> Mapping[str, Text]:
        """Return DeepGEMM's own source files, as in its repository, by path."""
        found = {}
        for path in sorted(self.tree.paths()):
            if is_compared(path):
                name = self.prefix + path
                lines = self.tree.read(path).decode(errors="replace").split("\n")
                found[name] = Text(name, tuple(line.rstrip("\r") for line in lines))
        return found


def is_compared(path: str) -> bool:
    """Tell whether a file is a source of DeepGEMM's own."""
    pure = PurePosixPath(path)
    return pure.suffix in SOURCES and FOREIGN.isdisjoint(pure.parts[:-1])


def of_directory(root: Path) -> Side:
    """Return the side that lies in a directory: a source, or a `deep_gemm` package by itself.

    Raises:
        NoDirectoryError: there is no such directory.
    """
    tree = DirTree(root)
    package = (root / "__init__.py").is_file() and (root / "include").is_dir()
    return Side(label=str(root), find_tree=lambda: tree, prefix="deep_gemm/" if package else "")


def of_commit(mirror: "Mirror", commit: str, *, label: str) -> Side:
    """Return the side that is a commit of a mirror."""

    def tree() -> Tree:
        return mirror.tree(commit, wanted=is_compared, submodules=False)

    return Side(label=label, find_tree=tree, mirror=mirror, commit=commit)
