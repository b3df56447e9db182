"""`python -m tests.crash`: the crash suite; `--sample N --seed TEXT` for some of its faults."""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.crash import matrix, scene


def main() -> int:
    """Try the faults, print the counts, and exit 1 if something was bad."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--sample", type=int, metavar="N", help="only so many of the faults")
    parser.add_argument("--seed", default="", metavar="TEXT", help="which: a commit's hash")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases that hold this text")
    words = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        given = scene.make(Path(name))
        phases = matrix.phases(given, Path(name) / "notes")
        every = [
            each
            for each in matrix.cases(given, phases, Path(name) / "notes")
            if words.only in str(each)
        ]
        chosen = matrix.sample(every, words.sample or len(every), words.seed)
        bad = matrix.run(given, chosen, phases)
    for case, what in bad:
        sys.stdout.write(f"bad: {case} ({case.call.said}): {what}\n")
    counts = Counter(case.phase for case in chosen)
    kinds = ", ".join(f"{number} in {phase}" for phase, number in sorted(counts.items()))
    broken = len({case for case, _ in bad})
    seconds = time.monotonic() - begin
    sys.stdout.write(
        f"{len(chosen)} faults of {len(every)} ({kinds}), {broken} bad, {seconds:.0f} s\n"
    )
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
