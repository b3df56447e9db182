"""The DeepGEMM tree that is built: where it lies, and what exactly it is."""

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dgpin import process
from dgpin.build.recipe import Recipe
from dgpin.errors import RefusedError, UnavailableError
from dgpin.source import invocation

_SHORT = 7
# What a build may leave in a source, and what cannot change one.
_IGNORED = frozenset({"__pycache__", ".git"})
_PRODUCED = frozenset({"build", "dist"})  # at the top; deeper, they are somebody's own
_PRODUCTS = (".so", ".pyc", ".o", ".a")


class NoSourceError(UnavailableError):
    """A directory that holds no DeepGEMM source."""

    hint = "A source has setup.py and csrc/python_api.cpp, or whatever file its setup.py compiles."

    def __init__(self, root: Path, what: str) -> None:
        super().__init__(f"{root}: no DeepGEMM source, {what}")


class UnreadableSourceError(UnavailableError):
    """A file of the source that cannot be read."""

    hint = "May you read it? Did something change the source meanwhile?"

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the source cannot be read: {error}")


class SubmoduleError(RefusedError):
    """A submodule that is not what the source records."""

    def __init__(self, source: "Source", submodules: Sequence["Submodule"]) -> None:
        told = "; ".join(f"{each.path} {each.told}" for each in submodules)
        names = " ".join(f"--allow-submodule {shlex.quote(each.path)}" for each in submodules)
        # A commit's tree is dgpin's own; a submodule that is not in it could not be fetched.
        cure = "run the same command with network"
        if source.checkout:
            cure = f"run `git -C {shlex.quote(str(source.root))} submodule update --init`"
            if any(each.present.endswith("+") for each in submodules):
                cure = "commit or undo the changes in the submodules"
        super().__init__(
            f"submodules are not at the commits that the source records: {told}",
            hint=f"Either {cure}, or build them as they are with {names}.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A submodule: the commit that the source records and the one that is there ("" if none).

    `present` ends with `+` when files in it differ from that commit.
    """

    path: str
    recorded: str
    present: str

    @property
    def told(self) -> str:
        """Say what is there instead of what is recorded."""
        if self.present == f"{self.recorded}+":
            return f"is {self.recorded[:_SHORT]} as recorded, with changes"
        changes = " with changes" if self.present.endswith("+") else ""
        there = f"{self.present[:_SHORT]}{changes}" if self.present else "empty"
        return f"is {there}, recorded is {self.recorded[:_SHORT]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A tree on disk. `commit` is empty where nothing tells it, as in an sdist.

    `digest` is over the contents of every file that the build reads. `checkout` tells a tree that
    is the user's own from one that was taken out of a mirror.
    """

    root: Path
    label: str
    commit: str
    dirty: bool
    submodules: tuple[Submodule, ...]
    digest: str
    checkout: bool = False


def read(root: Path, recipe: Recipe, *, label: str) -> Source:
    """Return what a directory holds, as it is.

    Raises:
        UnavailableError: git is there and does not answer.
    """
    commit, dirty, submodules = _state(root)
    found = of_commit(root, recipe, label=label, commit=commit, submodules=submodules, dirty=dirty)
    return replace(found, checkout=True)


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
        raise SubmoduleError(source, moved)


def digest(root: Path, recipe: Recipe) -> str:
    """Return the hash of every file that the build reads, by path and contents."""
    tops = ["setup.py", "csrc", "deep_gemm"]
    tops += [*recipe.includes, *recipe.third_party, *recipe.sources]
    total = hashlib.sha256()
    for path in files(root, tops, outside=True):
        total.update(os.fsencode(f"{path}\0"))
        total.update(hashlib.sha256(_read(root / path)).digest())
    return total.hexdigest()[:16]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableSourceError(error) from error


def files(root: Path, tops: Iterable[str], *, outside: bool = False) -> tuple[str, ...]:
    """Return the files below some files and directories of a source, relative and in order.

    What a build left behind is left out, and so are virtual environments. A link that leads
    outside the source is followed with `outside`: a compiler reads it, a package must not hold it.
    """
    found: set[str] = set()
    for top in tops:
        if (root / top).is_file():
            found.add(os.path.normpath(top))
        for path in _below(os.path.normpath(root / top), os.path.realpath(root), outside=outside):
            found.add(os.path.relpath(path, root))
    return tuple(sorted(found))


def _below(top: str, inside: str, *, outside: bool) -> Iterator[str]:
    """Yield the files below a directory, links followed; a circle of links has an end."""

    def leads_out(path: str) -> bool:
        return not outside and not f"{os.path.realpath(path)}/".startswith(f"{inside}/")

    waiting = [(top, frozenset({os.path.realpath(top)}))] if os.path.isdir(top) else []  # noqa: PTH112 - texts
    while waiting:
        folder, way = waiting.pop()
        left = _IGNORED | _PRODUCED if os.path.realpath(folder) == inside else _IGNORED
        for entry in os.scandir(folder):
            if entry.is_symlink() and leads_out(entry.path):
                continue
            if entry.is_dir():
                real = os.path.realpath(entry.path)
                is_venv = os.path.exists(f"{entry.path}/pyvenv.cfg")  # noqa: PTH110 - as above
                if entry.name not in left and real not in way and not is_venv:
                    waiting.append((entry.path, way | {real}))
            elif entry.is_file() and not entry.name.endswith(_PRODUCTS):
                yield entry.path


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
