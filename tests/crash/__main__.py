"""`python -m tests.crash`: the crash suite, whole or in parts.

power: losses of power in a model of the disk. faults: every state-changing system call of the real
commands fails in each way. crowd: bumps beside readers, editors, git and each other. mutants: the
protocol with one thing wrong at a time. With `--sample N`, only N faults, and no mutants.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.crash import crowd, faulty, losses, matrix, mutants, scene

Words = argparse.Namespace


def main() -> int:
    """Run the parts, print what each counted, and exit 1 if something was bad."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.crash",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="all without any")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many of the faults")
    parser.add_argument("--seed", default="", metavar="TEXT", help="which: a commit's hash")
    words = parser.parse_args()
    chosen = words.parts or [name for name in PARTS if not (words.sample and name == "mutants")]
    bad = 0
    for name in chosen:
        begin = time.monotonic()
        found = PARTS[name](words)
        bad += found
        sys.stdout.write(f"{name}: {found} bad, {time.monotonic() - begin:.0f} s\n")
        sys.stdout.flush()
    return int(bad > 0)


def _power(words: Words) -> int:
    names = losses.QUICK if words.sample else tuple(losses.LAYOUTS)
    total, wrong = 0, 0
    for name in names:
        for exchanges in (True, False):
            tried, bad = losses.run(name, twice=name in losses.TWICE, exchanges=exchanges)
            total, wrong = total + tried, wrong + len(bad)
            _say(f"{name}: {each}" for each in bad)
    sys.stdout.write(f"{total} losses of power, {wrong} bad\n")
    return wrong


def _faults(words: Words) -> int:
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        given = scene.make(room)
        phases = matrix.phases(given, room / "notes")
        every = list(matrix.cases(given, phases, room / "notes"))
        chosen = matrix.sample(every, words.sample or len(every), words.seed)
        bad = matrix.run(given, chosen, phases)
    _say(f"{case} ({case.call.said}): {what}" for case, what in bad)
    counts = Counter(case.phase for case in chosen)
    kinds = ", ".join(f"{number} in {phase}" for phase, number in sorted(counts.items()))
    wrong = len({case for case, _ in bad})
    sys.stdout.write(f"{len(chosen)} faults of {len(every)} ({kinds}), {wrong} bad\n")
    return wrong


def _crowd(words: Words) -> int:
    times = 100 if words.sample else 1000
    # In memory a bump takes no time for syncs, so that more of them meet the others.
    wrong = _crowds("in memory", faulty.room(), times)
    return wrong + _crowds("on disk", None, times // 10)


def _crowds(where: str, room: Path | None, times: int) -> int:
    crowds: dict[str, Callable[[Path], tuple[int, list[str]]]] = {
        f"views during {times} bumps": lambda root: crowd.readers(root, times),
        "bumps beside an editor that renames": lambda root: crowd.editor(
            root, times // 4, in_place=False
        ),
        "bumps beside an editor that writes in place": lambda root: crowd.editor(
            root, times // 4, in_place=True
        ),
        "bumps refused beside another": lambda root: crowd.rivals(root, times // 4),
        "bumps during git checkout": lambda root: crowd.checkout(root, times // 10),
    }
    wrong = 0
    for what, work in crowds.items():
        with tempfile.TemporaryDirectory(dir=room) as name:
            number, bad = work(crowd.make(Path(name)))
        sys.stdout.write(f"{number} {what}, {where}, {len(bad)} bad\n")
        sys.stdout.flush()
        _say(bad)
        wrong += len(bad)
    return wrong


def _mutants(_: Words) -> int:
    return mutants.gate(mutants.MUTANTS)


def _say(bad: Iterable[str]) -> None:
    sys.stdout.writelines(f"bad: {each}\n" for each in bad)


PARTS: dict[str, Callable[[Words], int]] = {
    "power": _power,
    "faults": _faults,
    "crowd": _crowd,
    "mutants": _mutants,
}

if __name__ == "__main__":
    sys.exit(main())
