"""Run things by turns, so that both meet the same noise, and hold medians against limits."""

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Run = Callable[[], object]
ROUNDS = 5  # what the limits of most rows are stated for


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A median, and the quartiles around it."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Spread":
        """Return the spread of at least one number."""
        if len(numbers) == 1:
            return cls(low=numbers[0], median=numbers[0], high=numbers[0])
        low, median, high = statistics.quantiles(numbers, n=4, method="inclusive")
        return cls(low=low, median=median, high=high)

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"

    def seconds(self) -> str:
        """Return it with its unit."""
        scale, unit, digits = (1, "s", 2) if self.median >= 1 else (1000, "ms", 0)
        low, median, high = (f"{x * scale:.{digits}f}" for x in (self.low, self.median, self.high))
        return f"{median} {unit} ({low} to {high})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement: what was found, what it may be, and whether it is; None: no limit."""

    title: str
    ours: str
    theirs: str = ""
    ratio: Spread | None = None
    limit: str = ""
    holds: bool | None = None
    points: tuple[tuple[int, float], ...] = ()  # how many units, seconds of one more


def run(
    *argv: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    fine: Sequence[int] = (0,),
) -> float:
    """Run a program to its end and return the seconds; `fine` are the exits of work done.

    Raises:
        RuntimeError: it ended otherwise.
    """
    start = time.perf_counter()
    done = subprocess.run(
        argv,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    if done.returncode not in fine:
        said = (done.stderr or done.stdout).decode(errors="replace")[-2000:]
        message = f"{Path(argv[0]).name} {argv[1:]} ended with {done.returncode}: {said}"
        raise RuntimeError(message)
    return seconds


def timed(work: Run) -> float:
    """Return the seconds that something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compared(
    title: str,
    ours: Run,
    theirs: Run,
    *,
    rounds: int,
    at_most: float | None = None,
    at_least: float | None = None,
    seconds: float | None = None,
    slack: float = 0,
    best: bool = False,
    warm: bool = True,
) -> Row:
    """Measure two things by turns, when `warm` after one round that is not counted.

    The ratio is ours to theirs, or theirs to ours where it is to be `at_least` something. `best`
    compares the shortest of each, else the medians of the pairs count; `seconds` limits ours too,
    and `slack` seconds are added to what theirs allow.
    """
    if warm:
        ours(), theirs()
    pairs = [(timed(ours), timed(theirs)) for _ in range(rounds)]
    mine, other = (Spread.of([pair[i] for pair in pairs]) for i in (0, 1))
    of = [(b / a) if at_least else (a / b) for a, b in pairs]
    ratio = Spread.of(of)
    shortest = min(a for a, _ in pairs)
    if best:
        least = shortest / min(b for _, b in pairs)
        ratio = Spread(low=ratio.low, median=least, high=ratio.high)
    allowed = slack + (at_most or 0) * other.median
    held = [mine.median <= allowed if slack else ratio.median <= at_most] if at_most else []
    held += [ratio.median >= at_least] if at_least else []
    held += [(shortest if best else mine.median) <= seconds] if seconds else []
    plus = f" and {slack} s" if slack else ""
    limits = [f"{at_most} times{plus} at most"] if at_most else []
    limits += [f"{at_least} times as fast at least"] if at_least else []
    limits += [f"{seconds} s at most"] if seconds else []
    return Row(
        title=title + (", best of all" if best else ""),
        ours=mine.seconds(),
        theirs=other.seconds(),
        ratio=ratio,
        limit=", ".join(limits),
        holds=all(held) if held else None,
    )


def absolute(
    title: str,
    work: Run,
    *,
    rounds: int,
    seconds: float | None = None,
    best: bool = False,
    first: Run | None = None,
    at_most: float | None = None,
) -> Row:
    """Measure one thing, after one round that is not counted; `best` holds the shortest.

    `first` is run once, and it may take `at_most` that part of it.
    """
    whole = timed(first) if first else None
    work()
    times = [timed(work) for _ in range(rounds)]
    spread = Spread.of(times)
    held = min(times) if best else spread.median
    limits = [f"{at_most} times at most"] if at_most else []
    limits += [f"{seconds} s at most"] if seconds else []
    holds = [held <= seconds] if seconds else []
    holds += [held <= at_most * whole] if at_most and whole else []
    return Row(
        title=title + (", best of all" if best else ""),
        ours=spread.seconds(),
        theirs=Spread.of([whole]).seconds() if whole else "",
        ratio=Spread.of([each / whole for each in times]) if whole else None,
        limit=", ".join(limits),
        holds=all(holds) if holds else None,
    )
