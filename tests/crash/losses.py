"""Bumps that lose power at any moment, and again in the recovery; what must hold afterwards.

`python -m tests.crash.losses [LAYOUT…]` tries them on hosts of some layouts and counts.
"""

import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from dgpin import files
from dgpin.errors import DgpinError
from tests.crash import faulty
from tests.crash.faulty import FaultyDisk
from tests.crash.power import State, Trace

Texts = dict[str, bytes | None]


@dataclass(frozen=True)
class Layout:
    """A host by the paths of its sites; the ones in `made` do not exist before the bump."""

    paths: Sequence[str]
    made: Sequence[str] = ()
    git: bool = True

    @property
    def old(self) -> Texts:
        """What the sites hold before."""
        return {path: None if path in self.made else self._text(path, 0) for path in self.paths}

    @property
    def new(self) -> Texts:
        """What the sites hold after."""
        return {path: self._text(path, 1) for path in self.paths}

    def _text(self, path: str, version: int) -> bytes:
        return f"{path} in version {version}\n".encode()

    def make(self, root: Path) -> None:
        """Write the host as it is before."""
        root.mkdir()
        for path, text in self.old.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                (root / path).write_bytes(text)
        if self.git:
            (root / ".git").mkdir()
            (root / ".git/HEAD").write_text("ref: refs/heads/main\n")

    def texts(self, root: Path) -> Texts:
        """Return what the sites hold now."""
        return {
            path: (root / path).read_bytes() if (root / path).exists() else None
            for path in self.paths
        }

    def bump(self, root: Path, disk: FaultyDisk) -> None:
        """Write the new texts, with the same names for staged files each time."""
        edits = [
            files.Edit(path=path, old=self.old[path], new=text or b"")
            for path, text in self.new.items()
        ]
        with (
            mock.patch("dgpin.files.tree.os.urandom", bytes),
            files.locked(root, command="bump", disk=disk) as tree,
        ):
            tree.apply(edits)


@dataclass
class Losses:
    """Power losses of one layout, tried in a directory of their own; it counts them."""

    layout: Layout
    room: Path
    twice: bool = False
    exchanges: bool = True
    tried: int = 0
    _numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    _seen: set[object] = field(default_factory=set)

    def of_a_bump(self) -> Iterator[str]:
        """Yield what goes wrong when a bump that would succeed loses power."""
        trace = self._trace()
        self.layout.bump(trace.root, trace)
        yield from self._of(trace, done=[self.layout.new])

    def of_a_failing_bump(self) -> Iterator[str]:
        """Yield what goes wrong when a bump meets an error, undoes its work and loses power."""
        at = 0
        while True:
            trace = self._trace()
            trace.at, trace.fault = at, faulty.error()
            done = [self.layout.old]
            try:
                self.layout.bump(trace.root, trace)
                done = [self.layout.new]
            except files.UnfinishedError:
                done = [self.layout.old, self.layout.new]
            except DgpinError:
                pass
            if len(trace.calls) <= at:
                return
            # Up to the error it did what a bump without one does.
            found = self._of(trace, done=done, start=trace.failed or 0)
            yield from (f"error at call {at}: {each}" for each in found)
            at += 1

    def of_a_save_afterwards(self) -> Iterator[str]:
        """Yield what goes wrong when the user changes a site after a bump, and power is lost."""
        trace = self._trace()
        self.layout.bump(trace.root, trace)
        path = self.layout.paths[0]
        for state in trace.states(len(trace.operations)):
            for text in (self.layout.old[path] or b"", b"theirs\n"):
                root = self._make(state, trace.root)
                (root / path).write_bytes(text)
                yield from self._judge(root, None, [{**self.layout.new, path: text}])

    def _trace(self) -> Trace:
        root = self.room / str(next(self._numbers))
        self.layout.make(root)
        return self._trace_at(root)

    def _trace_at(self, root: Path) -> Trace:
        return Trace(syncs=True, root=root, exchanges=self.exchanges)

    def _of(self, trace: Trace, *, done: Sequence[Texts], start: int = 0) -> Iterator[str]:
        last = len(trace.operations)
        for number in range(start, last + 1):
            allowed = done if number == last else [self.layout.old, self.layout.new]
            what = trace.operations[number - 1] if number else "nothing"
            states = trace.states(number, fresh=number < last)
            for state in self._new(states, allowed):
                root = self._make(state, trace.root)
                again = self._trace_at(root) if self.twice else None
                for each in self._judge(root, again, allowed):
                    yield f"after {what}: {each}"
                if again is not None:
                    yield from self._again(again, allowed)

    def _again(self, trace: Trace, allowed: Sequence[Texts]) -> Iterator[str]:
        for number in range(len(trace.operations)):
            for state in self._new(trace.states(number, fresh=True), allowed):
                for each in self._judge(self._make(state, trace.root), None, allowed):
                    yield f"in the recovery, after {number} operations: {each}"

    def _new(self, states: Iterable[State], allowed: Sequence[Texts]) -> Iterator[State]:
        """Pass on the states that have not been tried yet."""
        for state in states:
            key = (frozenset(state.files.items()), repr(allowed))
            if key not in self._seen:
                self._seen.add(key)
                yield state

    def _make(self, state: State, like: Path) -> Path:
        root = self.room / str(next(self._numbers))
        state.write(root, links=like)
        return root

    def _judge(self, root: Path, disk: Trace | None, allowed: Sequence[Texts]) -> Iterator[str]:
        self.tried += 1
        before = self.layout.texts(root)
        try:
            found = files.pending(root)
            if before not in (self.layout.old, self.layout.new, *allowed) and found is None:
                yield "a reading command is not told of a mix"
            faulty.recover(root, disk or FaultyDisk(exchanges=self.exchanges))
        except DgpinError as error:
            yield f"{type(error).__name__}: {error}"
        if self.layout.texts(root) not in allowed:
            yield f"neither of what is allowed: {self.layout.texts(root)}"
        if faulty.leftovers(root):
            yield f"left over: {faulty.leftovers(root)}"
        if disk is None:
            shutil.rmtree(root)


LAYOUTS = {
    "two": Layout(["d/a", "b"], made=["b"]),
    "three": Layout(["a", "d/b", "e/c"], made=["e/c"], git=False),
    "eight": Layout([f"d{number // 2}/f{number}" for number in range(8)], made=["d3/f7"]),
}
QUICK = ("two",)
# Small enough for a second loss in the recovery, and for losses while an error is undone.
TWICE = ("two", "three")


def run(name: str, *, twice: bool, exchanges: bool) -> tuple[int, list[str]]:
    """Return how many losses of a layout were tried, and what went wrong, ended at the first."""
    with tempfile.TemporaryDirectory(dir=faulty.room()) as room:
        losses = Losses(LAYOUTS[name], Path(room), twice=twice, exchanges=exchanges)
        found = itertools.chain(losses.of_a_bump(), losses.of_a_save_afterwards())
        if name in TWICE:
            found = itertools.chain(found, losses.of_a_failing_bump())
        bad = list(itertools.islice(found, 1))
        return losses.tried, bad


def main() -> int:
    """Try, count, and exit 1 if something went wrong."""
    total = 0
    for name in sys.argv[1:] or QUICK:
        for exchanges in (True, False):
            tried, bad = run(name, twice=name in TWICE, exchanges=exchanges)
            total += tried
            if bad:
                sys.stdout.write(f"bad: {name}: {bad[0]}\n")
                return 1
    sys.stdout.write(f"{total} losses of power, 0 bad\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
