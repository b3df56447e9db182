"""What a disk may hold after the power went: a model of unsynced names and data.

A file's data is safe once the file is synced; before that it is gone, there in part, or there. A
name is safe once its directory is synced; before that every change of names since the last sync
may have come through or not, independently of the others, save that one call (a rename, an
exchange) comes through as a whole. This allows more than any journaling file system does.
"""

import itertools
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from dgpin.files.journal import STAGED
from tests.crash.faulty import FaultyDisk

Bindings = dict[Path, int | None]
DIRECTORY = 0  # the inode that stands for any directory


class Names(NamedTuple):
    """A call that changed names of one directory: what each stands for afterwards."""

    directory: Path
    bindings: Mapping[Path, int | None]


class Data(NamedTuple):
    """A call that wrote to a file."""

    inode: int
    data: bytes


class SyncedFile(NamedTuple):
    """A file's data is safe."""

    inode: int


class SyncedDirectory(NamedTuple):
    """A directory's names are safe."""

    directory: Path


Operation = Names | Data | SyncedFile | SyncedDirectory


@dataclass
class Trace(FaultyDisk):
    """A disk that works and keeps what was done, for the model."""

    root: Path = Path()
    operations: list[Operation] = field(default_factory=list)
    failed: int | None = None  # how many operations there were when the fault came

    def __post_init__(self) -> None:
        self._inodes = itertools.count(1)
        self._open: dict[int, int] = {}
        self.names: dict[Path, int] = {}
        self.data: dict[int, bytes] = {}
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink():
                continue
            self.names[path] = DIRECTORY if path.is_dir() else next(self._inodes)
            if path.is_file():
                self.data[self.names[path]] = path.read_bytes()
        self.before = dict(self.names)

    def step(self, name: str) -> None:
        """Remember when the fault came."""
        if self.failed is None and len(self.calls) == self.at:
            self.failed = len(self.operations)
        super().step(name)

    def note(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """Turn a call into what it means for names and data."""
        if name in {"create", "open_lock"}:
            self._open[result] = self.names.get(args[0]) or next(self._inodes)
            if args[0] not in self.names:
                self._bind({args[0]: self._open[result]})
        elif name == "write":
            self.operations.append(Data(self._open[args[0]], args[1][:result]))
        elif name == "sync":
            self.operations.append(SyncedFile(self._open[args[0]]))
        elif name == "sync_directory":
            self.operations.append(SyncedDirectory(args[0]))
        elif name == "make_directory":
            self._bind({args[0]: DIRECTORY})
        elif name in {"unlink", "remove_directory"}:
            self._bind({args[0]: None})
        elif name in {"rename", "move"}:
            self._bind({args[0]: None, args[1]: self.names[args[0]]})
        elif name == "exchange":
            self._bind({args[0]: self.names[args[1]], args[1]: self.names[args[0]]})

    def _bind(self, bindings: Mapping[Path, int | None]) -> None:
        for path, inode in bindings.items():
            if inode is None:
                del self.names[path]
            else:
                self.names[path] = inode
        self.operations.append(Names(next(iter(bindings)).parent, bindings))

    def states(self, done: int, *, fresh: bool = False) -> Iterator["State"]:
        """Yield what the disk may hold if the power goes after that many operations.

        With `fresh`, only what it could not hold one operation earlier.
        """
        if fresh and done and isinstance(self.operations[done - 1], SyncedFile | SyncedDirectory):
            return  # a sync takes possibilities away
        yield from _states(self, done, fresh=fresh)


@dataclass(frozen=True)
class State:
    """What a disk holds: the bytes of each file, None for a directory."""

    files: Mapping[Path, bytes | None]

    def write(self, root: Path, *, links: Path) -> None:
        """Make a host of it; links are those of another one."""
        root.mkdir()
        for path, data in sorted(self.files.items()):
            if data is None:
                (root / path).mkdir(exist_ok=True)
            else:
                (root / path).write_bytes(data)
        for link in links.rglob("*"):
            if link.is_symlink():
                (root / link.relative_to(links)).unlink(missing_ok=True)
                shutil.copy(link, root / link.relative_to(links), follow_symlinks=False)


def _states(trace: Trace, done: int, *, fresh: bool) -> Iterator[State]:
    safe_names: Bindings = dict(trace.before)
    pending: dict[Path, list[Mapping[Path, int | None]]] = defaultdict(list)
    safe, written = dict(trace.data), dict(trace.data)
    for operation in trace.operations[:done]:
        if isinstance(operation, Names):
            pending[operation.directory].append(operation.bindings)
        elif isinstance(operation, Data):
            written[operation.inode] = written.get(operation.inode, b"") + operation.data
        elif isinstance(operation, SyncedFile):
            safe[operation.inode] = written.get(operation.inode, b"")
        else:
            for bindings in pending.pop(operation.directory, []):
                safe_names.update(bindings)
    groups = [group for each in pending.values() for group in _independent(each)]
    last = trace.operations[done - 1] if fresh and done else None
    outcomes = [_outcomes(group, last if isinstance(last, Names) else None) for group in groups]
    for chosen in _products(outcomes, set(trace.before.values())):
        names = dict(safe_names)
        for outcome in chosen:
            names.update(outcome)
        if not isinstance(last, Data) or last.inode in names.values():
            yield from _with_data(trace.root, names, safe, written)


def _independent(
    calls: Sequence[Mapping[Path, int | None]],
) -> list[list[Mapping[Path, int | None]]]:
    """Split calls into groups that have no name in common."""
    groups: list[list[Mapping[Path, int | None]]] = []
    for call in calls:
        touching = [group for group in groups if any(set(call) & set(each) for each in group)]
        rest = [group for group in groups if group not in touching]
        groups = [*rest, [*itertools.chain.from_iterable(touching), call]]
    return groups


def _outcomes(group: Sequence[Mapping[Path, int | None]], last: Names | None) -> list[Bindings]:
    """Return what a group may have come to: any of its calls came through, in their order.

    If the last call is one of them, only what it has made possible.
    """
    if last is not None and group[-1] is last.bindings:
        known = _outcomes(group[:-1], None)
        return [outcome for outcome in _outcomes(group, None) if outcome not in known]
    found: list[Bindings] = []
    for size in range(len(group) + 1):
        for chosen in itertools.combinations(group, size):
            outcome: Bindings = {}
            for bindings in chosen:
                outcome.update(bindings)
            if outcome not in found:
                found.append(outcome)
    return found


def _products(
    groups: Sequence[Sequence[Bindings]], old: AbstractSet[int]
) -> Iterator[tuple[Bindings, ...]]:
    """Yield each way to choose one outcome a group, alike groups in one order only.

    Alike are sites at the same stage: which of them is where makes no difference to what is done
    with them.
    """
    kinds: dict[object, list[Sequence[Bindings]]] = defaultdict(list)
    for group in groups:
        kinds[tuple(_shape(outcome, old) for outcome in group)].append(group)
    choices = []
    for alike in kinds.values():
        rows = itertools.combinations_with_replacement(range(len(alike[0])), len(alike))
        choices.append(
            [tuple(group[i] for group, i in zip(alike, row, strict=True)) for row in rows]
        )
    for chosen in itertools.product(*choices):
        yield tuple(itertools.chain.from_iterable(chosen))


def _shape(outcome: Bindings, old: AbstractSet[int]) -> frozenset[tuple[str, object]]:
    """Return what an outcome means, without saying for which site."""
    return frozenset(
        (_role(path), None if inode is None else inode in old) for path, inode in outcome.items()
    )


def _role(path: Path) -> str:
    if path.name.startswith(STAGED):
        return "part" if path.suffix == ".part" else "staged"
    return path.name if path.parent.name in {"dgpin", ".dgpin", ".git"} else "site"


def _with_data(
    root: Path, names: Bindings, safe: Mapping[int, bytes], written: Mapping[int, bytes]
) -> Iterator[State]:
    reached = {
        path: inode
        for path, inode in names.items()
        if inode is not None and all(names.get(up) is not None for up in _above(path, root))
    }
    unsafe = sorted(
        {inode for inode in reached.values() if inode in written} - _same(safe, written)
    )
    variants = []
    for inode in unsafe:
        text = written[inode]
        variants.append({safe.get(inode, b""), text[: len(text) // 2], text})
    for chosen in itertools.product(*variants):
        data = {**safe, **dict(zip(unsafe, chosen, strict=True))}
        yield State(
            {
                _inside(path, root): None if inode == DIRECTORY else data.get(inode, b"")
                for path, inode in reached.items()
            }
        )


@cache
def _above(path: Path, root: Path) -> tuple[Path, ...]:
    return tuple(up for up in path.parents if up != root and up.is_relative_to(root))


@cache
def _inside(path: Path, root: Path) -> Path:
    return path.relative_to(root)


def _same(safe: Mapping[int, bytes], written: Mapping[int, bytes]) -> set[int]:
    return {inode for inode in written if safe.get(inode) == written[inode]}
