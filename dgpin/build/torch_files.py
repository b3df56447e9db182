"""torch, read from its files: importing it takes seconds and proves nothing more here."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from dgpin.errors import UnavailableError


class TorchError(UnavailableError):
    """A torch installation that cannot be read."""

    hint = "Reinstall torch in that environment."

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch:
    """An installed torch. `cuda` is such as `13.0`, empty for a build without CUDA."""

    root: Path
    version: str
    git: str
    cuda: str
    hip: str
    cxx11_abi: bool
    cxx_std: int  # the C++ standard that its headers are written in, such as 20; 0 without headers
    beside: tuple[Path, ...] = ()  # where else its interpreter looks, for pip's nvidia packages

    @property
    def includes(self) -> tuple[Path, ...]:
        """Where its headers are, in the order in which its own build helper searches them."""
        include = self.root / "include"
        return include, include / "torch" / "csrc" / "api" / "include"

    @property
    def nvidia(self) -> tuple[Path, ...]:
        """The trees of pip's nvidia packages beside it, those with the toolkit's headers first.

        Since CUDA 13 they share `nvidia/cu13`; before, each package has a directory of its own.
        """
        parents = dict.fromkeys((self.root.parent, *self.beside))
        found = [path for parent in parents for path in sorted((parent / "nvidia").glob("*"))]
        trees = [
            path
            for path in found
            if ((path / "lib").is_dir() or (path / "include").is_dir()) and not self._is_other(path)
        ]
        return tuple(sorted(trees, key=lambda path: not re.match(r"cu\d+$", path.name)))

    def _is_other(self, tree: Path) -> bool:
        """Whether a tree is that of another major version of CUDA, which something else needs."""
        named = re.fullmatch(r"cu(\d+)", tree.name)
        if named is None or not self.cuda:
            return False
        return named[1] != self.cuda.partition(".")[0]


def find(search: Iterable[Path]) -> Torch | None:
    """Return the torch that an interpreter with this search path would import, or None.

    Raises:
        TorchError: there is one, and it cannot be read.
    """
    entries = tuple(search)
    for entry in entries:
        root = entry / "torch"
        if (root / "version.py").is_file():
            return replace(read(root), beside=entries)
    return None


def read(root: Path) -> Torch:
    """Read an installed torch.

    Raises:
        TorchError: a file of it cannot be read.
    """
    values = _constants(root / "version.py")
    return Torch(
        root=root,
        version=values.get("__version__") or "",
        git=values.get("git_version") or "",
        cuda=values.get("cuda") or "",
        hip=values.get("hip") or "",
        cxx11_abi=_cxx11_abi(root / "lib" / "libc10.so"),
        cxx_std=_cxx_std(root / "include" / "ATen" / "ATen.h"),
    )


def _constants(path: Path) -> dict[str, str | None]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TorchError(path, f"cannot be read: {error}") from error
    values: dict[str, str | None] = {}
    for node in tree.body:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Constant) and (
            value.value is None or isinstance(value.value, str)
        ):
            for target in targets:
                if isinstance(target, ast.Name):
                    values[target.id] = value.value
    return values


def _cxx11_abi(library: Path) -> bool:
    # c10's errors carry std::string, so its symbol table names the inline namespace of the new
    # ABI exactly when torch was compiled with it.
    try:
        return b"__cxx11" in library.read_bytes()
    except OSError as error:
        raise TorchError(library, "is missing, so the C++ ABI of this torch is unknown") from error


def _cxx_std(header: Path) -> int:
    # The header refuses an older standard by itself: `#error C++20 or later compatible compiler
    # is required to use ATen.`
    try:
        found = re.search(rb"#error C\+\+(\d\d) or later", header.read_bytes())
    except OSError:
        return 0
    return int(found[1]) if found else 17
