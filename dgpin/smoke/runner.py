"""Runs checks in processes of the interpreter under test, and outlives whatever they do."""

import contextlib
import json
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from dgpin import process
from dgpin.smoke import transcript
from dgpin.smoke.case import Check
from dgpin.smoke.results import Ran, Result, Trouble
from dgpin.smoke.transcript import Child, Event
from dgpin.smoke.turns import Turns
from dgpin.smoke.wanted import VLLM, Needs
from dgpin.verdict import Verdict

WORKER = Path(__file__).with_name("worker.py")
LOADING_SECONDS = 180.0  # as in worker.py
WAITING_SECONDS = 300.0  # as in worker.py
_GRACE = 5.0  # the worker's own watchdog comes first: it can say where
_POLL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One build to test. `package` is the directory of `deep_gemm`; None imports `module`.

    `directory` holds the checks' files where they are not dgpin's own; `wrapper` is put before
    the interpreter, and `patience` multiplies every deadline.
    """

    label: str
    python: Path
    package: Path | None
    checks: tuple[Check, ...]
    env: Mapping[str, str]
    shards: int
    module: str = "deep_gemm"
    arch: str | None = None  # refuse any other
    expected: frozenset[str] = frozenset()
    needs: Needs = VLLM
    directory: Path | None = None
    wrapper: tuple[str, ...] = ()
    patience: float = 1.0


# Told of every event as it happens: the plan's label, and the event.
Watch = Callable[[str, Event], None]


class Following(Protocol):
    """Who watches a run."""

    def begin(self, plans: tuple[Plan, ...]) -> None:
        """Learn what will run."""

    def watch(self, label: str, event: Event) -> None:
        """See an event."""


@dataclass(slots=True)
class _Floor:
    """What the threads of a run share."""

    scratch: Path
    turns: Turns
    events: "queue.Queue[tuple[str, Event]]" = field(default_factory=queue.Queue)
    stop: threading.Event = field(default_factory=threading.Event)


def deal(checks: Sequence[Check], shards: int) -> tuple[tuple[Check, ...], ...]:
    """Deal checks to processes: families together, about equal in compile time, faults last.

    Those that may fault are spread: the second in a process would need a fresh one.
    """
    families: dict[str, list[Check]] = {}
    for check in checks:
        alone = check.may_fault or not check.family
        families.setdefault(check.id if alone else check.family, []).append(check)
    heavy = sorted(families.values(), key=lambda group: -_seconds(group))
    hands: list[list[Check]] = [[] for _ in range(max(1, min(shards, len(heavy))))]
    for group in sorted(heavy, key=lambda group: group[0].may_fault):
        risky = group[0].may_fault
        chosen = min(hands, key=lambda hand: (risky and _risks(hand), _seconds(hand)))
        chosen.extend(group)
    return tuple(map(tuple, hands))


def _risks(checks: Sequence[Check]) -> int:
    return sum(check.may_fault for check in checks)


def _seconds(checks: Sequence[Check]) -> float:
    return sum(check.seconds for check in checks)


def run(plans: Sequence[Plan], watch: Watch = lambda _label, _event: None) -> tuple[Ran, ...]:
    """Run all plans, their processes interleaved, and return what each found."""
    started = time.monotonic()
    hands = [deal(plan.checks, plan.shards) for plan in plans]
    total = sum(map(len, hands))
    turns = Turns(limit=max(plan.shards for plan in plans), ahead=total)
    with _floor(turns) as floor, ThreadPoolExecutor(total) as pool:
        waiting: list[tuple[int, Future[_Shard]]] = []
        for turn in range(max(map(len, hands))):
            for index, (plan, dealt) in enumerate(zip(plans, hands, strict=True)):
                if turn < len(dealt):
                    waiting.append((index, pool.submit(_shard, plan, dealt[turn], floor)))
        try:
            _follow([future for _, future in waiting], floor, watch)
        except BaseException:
            floor.stop.set()
            raise
        shards = [(index, future.result()) for index, future in waiting]
    seconds = time.monotonic() - started
    return tuple(
        _gather(plan, [shard for at, shard in shards if at == index], seconds)
        for index, plan in enumerate(plans)
    )


@contextlib.contextmanager
def _floor(turns: Turns) -> Iterator[_Floor]:
    with tempfile.TemporaryDirectory(prefix="dgpin-smoke-") as scratch:
        yield _Floor(scratch=Path(scratch), turns=turns)


def _follow(futures: Sequence["Future[_Shard]"], floor: _Floor, watch: Watch) -> None:
    while not (all(future.done() for future in futures) and floor.events.empty()):
        with contextlib.suppress(queue.Empty):
            watch(*floor.events.get(timeout=_POLL))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shard:
    children: tuple[Child, ...]
    results: tuple[Result, ...]
    trouble: Trouble | None


def _shard(plan: Plan, checks: Sequence[Check], floor: _Floor) -> _Shard:
    """Run checks when there is a place for them."""
    go = Path(tempfile.mkdtemp(dir=floor.scratch), "go")
    floor.turns.begin(go, floor.stop.is_set)
    try:
        return _answers(plan, checks, floor, go)
    finally:
        floor.turns.end(go)


def _answers(plan: Plan, checks: Sequence[Check], floor: _Floor, go: Path) -> _Shard:
    """Run checks in a process, and in fresh ones after each that took its process along."""
    todo = list(checks)
    children: list[Child] = []
    results: list[Result] = []
    while todo and not floor.stop.is_set():
        child = _child(plan, todo, floor, go)
        floor.turns.resume(go)  # it may have died in the queue
        children.append(child)
        trouble = transcript.trouble(child)
        if trouble is not None:
            return _Shard(children=tuple(children), results=tuple(results), trouble=trouble)
        ended = transcript.results(child, todo, expected=plan.expected)
        if plan.wrapper:
            ended = tuple(map(partial(transcript.sanitized, child=child), ended))
        results += ended
        answered = {result.check.id for result in ended}
        if not answered:  # it died between two checks, so the next one never began
            results.append(transcript.died(todo[0], child))
            answered = {todo[0].id}
        todo = [check for check in todo if check.id not in answered]
    return _Shard(children=tuple(children), results=tuple(results), trouble=None)


def _child(plan: Plan, checks: Sequence[Check], floor: _Floor, go: Path) -> Child:
    scratch = Path(tempfile.mkdtemp(dir=go.parent))
    events, request = scratch / "events.jsonl", scratch / "request.json"
    request.write_text(
        json.dumps(
            {
                "events": str(events),
                "go": str(go),
                "package": None if plan.package is None else str(plan.package),
                "module": plan.module,
                "arch": plan.arch,
                "directory": None if plan.directory is None else str(plan.directory),
                "checks": [check.id for check in checks],
                "needs": asdict(plan.needs),
                "patience": plan.patience,
                "wrapped": bool(plan.wrapper),
            }
        ),
        encoding="utf-8",
    )
    watcher = _Watcher(plan, {check.id: check for check in checks}, events, floor, go)
    thread = threading.Thread(target=watcher.watch, daemon=True)
    thread.start()
    try:
        done = process.run(
            [*plan.wrapper, plan.python, "-I", WORKER, request],
            cwd=scratch,
            env=plan.env,
            timeout=_longest(plan, checks),
        )
    finally:
        watcher.ended.set()
        thread.join()
    return Child(
        events=watcher.seen(),
        returncode=None if watcher.killed else done.returncode,
        stdout=done.stdout.decode(errors="replace"),
        stderr=done.stderr.decode(errors="replace"),
    )


def _longest(plan: Plan, checks: Sequence[Check]) -> float:
    """Return when even a process that says nothing, not even that it started, is given up."""
    waits = sum(WAITING_SECONDS for c in checks if c.may_fault)
    answers = sum(c.deadline * plan.patience + _GRACE for c in checks)
    return LOADING_SECONDS + waits + answers + _GRACE


class _Watcher:
    """Reads a process's events as they come, and kills it when a check outstays its deadline."""

    def __init__(
        self, plan: Plan, checks: Mapping[str, Check], events: Path, floor: _Floor, go: Path
    ) -> None:
        self.ended = threading.Event()
        self.killed = False
        self._plan = plan
        self._checks = checks
        self._path = events
        self._floor = floor
        self._go = go
        self._told = 0
        self._pid = 0
        self._deadline = time.monotonic() + LOADING_SECONDS + _GRACE

    def watch(self) -> None:
        """Follow the file until the process has ended."""
        while not self.ended.wait(_POLL):
            self._read()
            late = time.monotonic() > self._deadline
            if self._pid and (late or self._floor.stop.is_set()):
                self.killed = True
                process.kill_session(self._pid)
                return
        self._read()

    def seen(self) -> tuple[Event, ...]:
        """Return every event so far."""
        try:
            return transcript.parse(self._path.read_text(encoding="utf-8"))
        except OSError:
            return ()

    def _read(self) -> None:
        events = self.seen()
        for event in events[self._told :]:
            self._pid = event.get("pid", self._pid)
            if event["event"] in {"check", "alone"}:
                limit = self._checks[event["check"]].deadline * self._plan.patience
                self._deadline = time.monotonic() + limit + _GRACE
            if event["event"] == "wait":
                self._deadline = time.monotonic() + WAITING_SECONDS + _GRACE
                self._floor.turns.wait(self._go)
            if event["event"] == "alone":
                self._floor.turns.resume(self._go)
            self._floor.events.put((self._plan.label, event))
        self._told = len(events)


def _gather(plan: Plan, shards: Sequence[_Shard], seconds: float) -> Ran:
    found = {result.check.id: result for shard in shards for result in shard.results}
    trouble = next((shard.trouble for shard in shards if shard.trouble), None)
    loaded = [transcript.loaded(child) for shard in shards for child in shard.children]
    why = "the build could not be loaded" if trouble else "its process ended before"
    return Ran(
        label=plan.label,
        results=tuple(
            found.get(check.id) or Result(check=check, verdict=Verdict.SKIP, message=why)
            for check in plan.checks
        ),
        loaded=next((each for each in loaded if each is not None), None),
        trouble=trouble,
        seconds=seconds,
        shards=len(shards),
    )
