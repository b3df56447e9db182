"""Builds on disk: where the package lies, which extensions it has, what identifies it."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dgpin.api.surface import PACKAGE
from dgpin.errors import UnavailableError, UsageError
from dgpin.source.tree import Tree

EXTENSION = "deep_gemm_cpp"  # until v2.1 a module of its own, beside the package
_THIRD_PARTY = "third_party"
_PART = 1 << 18  # bytes
# Kernel sources travel with the package; they are no part of its API.
_NOT_API = frozenset({"include", "csrc", "docs", "__pycache__"})


class NotABuildError(UsageError):
    """What was named holds no `deep_gemm` package."""

    hint = (
        "Name a directory that holds deep_gemm/, a wheel (path or URL), `installed`, "
        "pypi:NAME==VERSION, or a git ref."
    )

    def __init__(self, label: str, why: str) -> None:
        super().__init__(f"{label}: {why}")


class TwoBuildsError(UsageError):
    """What was named holds more than one build, so it is not said which was meant."""

    hint = "Name the one that is meant by its own directory."

    def __init__(self, label: str, found: Iterable[str]) -> None:
        super().__init__(f"{label}: more than one build: {', '.join(found)}")


class NoExtensionError(UnavailableError):
    """A package whose compiled half is missing."""

    hint = "Name a build, or compare the source text with --static."

    def __init__(self, label: str) -> None:
        super().__init__(
            f"{label}: the package has no compiled `_C`: it is a source, or was packed without it"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """An importable package; `root` is the directory that holds `deep_gemm/`.

    `source` is the tree that it was made from, where that is at hand.
    """

    label: str
    root: Path
    source: Tree | None = None

    @property
    def package(self) -> Path:
        """The package's own directory."""
        return self.root / PACKAGE

    def extensions(self) -> tuple[str, ...]:
        """Return the names of its shared objects."""
        found = [p.name for p in self.package.iterdir() if p.name.startswith("_C") and _is_so(p)]
        found += [p.name for p in self.root.glob(f"{EXTENSION}*") if _is_so(p)]
        found += [p.name for p in self.package.glob(f"{EXTENSION}*") if _is_so(p)]
        return tuple(sorted(found))

    def has_extension(self) -> bool:
        """Whether there is a compiled half, or a Python one that stands in for it."""
        return bool(self.extensions()) or (self.package / "_C.py").is_file()

    def digest(self) -> str:
        """Return what identifies the build: a hash of its `_C*` and its Python files.

        Its version does not: builds of one version differ in their parameters.
        """
        total = hashlib.sha256()
        for path in sorted(self._files()):
            total.update(
                f"{path.relative_to(self.root).as_posix()}\0".encode(errors="backslashreplace")
            )
            total.update(_hash(path))
        return total.hexdigest()

    def _files(self) -> Iterable[Path]:
        yield from (p for p in self.root.glob(f"{EXTENSION}*") if _is_so(p))
        for folder, folders, names in os.walk(self.package):
            folders[:] = [name for name in folders if name not in _NOT_API]
            for name in names:
                if name.endswith((".py", ".so")):
                    yield Path(folder, name)


def _hash(path: Path) -> bytes:
    """Return the SHA-256 of a file, read through one small buffer: an extension has 35 MB."""
    found = hashlib.sha256()
    part = memoryview(bytearray(_PART))
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(part):
            found.update(part[:length])
    return found.digest()


def _is_so(path: Path) -> bool:
    return path.suffix == ".so" and path.is_file()


def at(directory: Path, *, label: str) -> Build:
    """Return the build in a directory: `deep_gemm/`, or `*/third_party/deep_gemm/`.

    Raises:
        NotABuildError: there is none.
        TwoBuildsError: there are several.
    """
    candidates = [directory, directory / _THIRD_PARTY]
    candidates += sorted(directory.glob(f"*/{_THIRD_PARTY}"))
    found = [c for c in candidates if (c / PACKAGE / "__init__.py").is_file()]
    if not found and directory.name == PACKAGE and (directory / "__init__.py").is_file():
        found = [directory.parent]
    if not found:
        raise NotABuildError(label, "there is no deep_gemm/__init__.py in it")
    if len(found) > 1:
        raise TwoBuildsError(label, [str((c / PACKAGE).relative_to(directory)) for c in found])
    return Build(label=label, root=found[0].resolve())
