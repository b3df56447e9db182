"""The DeepGEMM tree that is built: where it lies, and what exactly it is."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.build.recipe import Recipe
from dgpin.errors import RefusedError, UnavailableError
from dgpin.source import invocation

_SHORT = 7
# What a build may leave in a source, and what cannot change one.
_IGNORED = frozenset({"__pycache__", ".git", "build", "dist"})
_PRODUCTS = (".so", ".pyc", ".o", ".a")


class NoSourceError(UnavailableError):
    """A directory that holds no DeepGEMM source."""

    hint = "A source has setup.py and csrc/python_api.cpp, or whatever file its setup.py compiles."

    def __init__(self, root: Path, what: str) -> None:
        super().__init__(f"{root}: no DeepGEMM source, {what}")


class SubmoduleError(RefusedError):
    """A submodule that is not what the source records."""

    def __init__(self, submodules: Sequence["Submodule"]) -> None:
        told = "; ".join(
            f"{each.path} is {each.present[:_SHORT] or 'empty'}, recorded is "
            f"{each.recorded[:_SHORT]}"
            for each in submodules
        )
        names = " ".join(f"--allow-submodule {each.path}" for each in submodules)
        super().__init__(
            f"submodules are not at the commits that the source records: {told}",
            hint=f"Run `git submodule update --init`, or build them as they are with {names}.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A submodule: the commit that the source records and the one that is there ("" if none).

    `present` ends with `+` when files in it differ from that commit.
    """

    path: str
    recorded: str
    present: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A tree on disk. `commit` is empty where nothing tells it, as in an sdist.

    `digest` is over the contents of every file that the build reads.
    """

    root: Path
    label: str
    commit: str
    dirty: bool
    submodules: tuple[Submodule, ...]
    digest: str


def read(root: Path, recipe: Recipe, *, label: str) -> Source:
    """Return what a directory holds, as it is.

    Raises:
        UnavailableError: git is there and does not answer.
    """
    commit, dirty, submodules = _state(root)
    return of_commit(root, recipe, label=label, commit=commit, submodules=submodules, dirty=dirty)


def of_commit(
    root: Path,
    recipe: Recipe,
    *,
    label: str,
    commit: str,
    submodules: tuple[Submodule, ...],
    dirty: bool = False,
) -> Source:
    """Return what a directory holds of which it is known where it came from."""
    return Source(
        root=root,
        label=label,
        commit=commit,
        dirty=dirty,
        submodules=submodules,
        digest=digest(root, recipe),
    )


def refuse_moved(source: Source, allowed: Iterable[str]) -> None:
    """Refuse submodules that are not at the recorded commit, but for those allowed by name.

    Raises:
        SubmoduleError: there are such.
    """
    names = set(allowed)
    moved = [
        each
        for each in source.submodules
        if each.recorded != each.present and not {each.path, each.path.rpartition("/")[2]} & names
    ]
    if moved:
        raise SubmoduleError(moved)


def digest(root: Path, recipe: Recipe) -> str:
    """Return the hash of every file that the build reads, by path and contents."""
    tops = ["setup.py", "csrc", "deep_gemm"]
    tops += [*recipe.includes, *recipe.third_party, *recipe.sources]
    total = hashlib.sha256()
    for path in files(root, tops):
        total.update(f"{path}\0".encode())
        total.update(hashlib.sha256((root / path).read_bytes()).digest())
    return total.hexdigest()[:16]


def files(root: Path, tops: Iterable[str]) -> tuple[str, ...]:
    """Return the files below some files and directories of a source, relative and in order.

    What a build left behind is left out; links that lead outside the source are not followed.
    """
    found: set[str] = set()
    inside = os.path.realpath(root)
    for top in tops:
        start = root / top
        if start.is_file():
            found.add(os.path.normpath(top))
        for parent, directories, names in os.walk(start):
            directories[:] = [name for name in directories if name not in _IGNORED]
            for name in names:
                path = Path(parent, name)
                leads_out = path.is_symlink() and not os.path.realpath(path).startswith(inside)
                if not name.endswith(_PRODUCTS) and not leads_out and path.is_file():
                    found.add(os.path.relpath(path, root))
    return tuple(sorted(found))


def _state(root: Path) -> tuple[str, bool, tuple[Submodule, ...]]:
    if not (root / ".git").exists():
        return "", False, ()
    commit = _git(root, "rev-parse", "HEAD").strip()
    changes = _git(root, "status", "--porcelain", "--ignore-submodules=all", "-uno")
    links = [
        line.split(maxsplit=3)
        for line in _git(root, "ls-tree", "-r", "-z", "HEAD").split("\0")
        if line.startswith("160000 ")
    ]
    submodules = tuple(
        Submodule(path=path, recorded=recorded, present=_present(root / path))
        for _, _, recorded, path in links
    )
    return commit, bool(changes.strip()), submodules


def _present(root: Path) -> str:
    if not (root / ".git").exists():
        return ""
    commit = _git(root, "rev-parse", "HEAD").strip()
    changed = _git(root, "status", "--porcelain", "-uno").strip()
    return f"{commit}+" if changed else commit


def _git(root: Path, *words: str) -> str:
    done = process.run(
        ["git", "-C", root, *words], env=invocation.environment(), timeout=invocation.READ_LIMIT
    )
    return done.check().text
