"""Run commands by turns and compare their medians, so that both meet the same noise."""

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program, where it runs, and the exit codes that mean it did its work."""

    name: str
    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    fine: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Two commands, and how many times the other's median ours may take."""

    title: str
    ours: Command
    theirs: Command
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds of one command: median, and the quartiles around it."""

    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median * 1000:.0f} ms ({self.low * 1000:.0f} to {self.high * 1000:.0f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a case measured; `ratio` is the median of the pairs' ratios."""

    case: Case
    ours: Timing
    theirs: Timing
    ratio: float

    @property
    def holds(self) -> bool:
        """Whether the ratio is within its limit."""
        return self.ratio <= self.case.limit


def measure(case: Case, *, rounds: int) -> Outcome:
    """Run both commands `rounds` times by turns, after one round that is not counted."""
    _run(case.ours)
    _run(case.theirs)
    pairs = [(_run(case.ours), _run(case.theirs)) for _ in range(rounds)]
    return Outcome(
        case=case,
        ours=_timing([ours for ours, _ in pairs]),
        theirs=_timing([theirs for _, theirs in pairs]),
        ratio=statistics.median(ours / theirs for ours, theirs in pairs),
    )


def _timing(seconds: Sequence[float]) -> Timing:
    low, median, high = statistics.quantiles(seconds, n=4)
    return Timing(low=low, median=median, high=high)


def _run(command: Command) -> float:
    start = time.perf_counter()
    done = subprocess.run(
        command.argv,
        cwd=command.cwd,
        env={**os.environ, **command.env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    if done.returncode not in command.fine:
        message = f"{command.name} ended with {done.returncode}: {done.stderr.decode()[-2000:]}"
        raise RuntimeError(message)
    return seconds
