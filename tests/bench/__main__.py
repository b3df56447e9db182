"""`python -m tests.bench`: print a table; exit 1 where a ratio is over its limit."""

import argparse
import platform
import sys
import tempfile
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from tests.bench import api, build, pin, uses
from tests.bench.measure import measure


def main() -> int:
    """Measure every case and print its row as it ends."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="pairs of runs for each case")
    rounds = parser.parse_args().rounds
    print(f"Python {platform.python_version()}, typer {version('typer')}, "
          f"{platform.machine()}, medians of {rounds} pairs, quartiles in brackets\n")  # fmt: skip
    print("| what | dgpin | the other | ratio | at most | |")
    print("| --- | --- | --- | --- | --- | --- |")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="dgpin-bench-") as scratch:
        for case in pin.cases(Path(scratch)):
            outcome = measure(case, rounds=rounds)
            missed += not outcome.holds
            verdict = "holds" if outcome.holds else "MISSED"
            print(f"| {case.title} | {outcome.ours} | {outcome.theirs} | "
                  f"{outcome.ratio:.2f} | {case.limit} | {verdict} |", flush=True)  # fmt: skip
        every = (module.rows(Path(scratch)) for module in (api, uses, build))
        for row in chain.from_iterable(every):
            missed += not row.holds
            print(f"| {row.title} | {row.ours} | {row.theirs} | {row.found} | {row.limit} | "
                  f"{'holds' if row.holds else 'MISSED'} |", flush=True)  # fmt: skip
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
