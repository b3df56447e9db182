"""`python -m tests.bench`: measure everything side by side, and print a table.

Exits 1 where a limit is missed. `--write` puts what was measured into the documentation.
`--compare` holds the ratios against those that stand there, and never fails.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.bench import api, build, growth, history, page, picture, recorded, start, uses
from tests.bench.measure import Row

HEAD = "| row | what | dgpin | the other | ratio | limit | |\n" + "| --- " * 7 + "|"
MODULES = (start, api, uses, build, history, growth)
Measure = Callable[[Any, int], Row]


def main() -> int:
    """Measure every row that is wanted and print it as it ends."""
    arguments = _arguments()
    print(_where(arguments.rounds), HEAD, sep="\n\n", flush=True)
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory(prefix="dgpin-bench-") as scratch:
        for module in MODULES:
            world = module.World(Path(scratch))
            for key, measure in module.ROWS.items():
                if _is_wanted(key, arguments.only):
                    rows[key] = _measured(key, measure, world, arguments.rounds)
                    if arguments.write:  # at once: what a run has measured is not lost with it
                        _keep(rows, arguments.rounds)
    missed = [key for key, row in rows.items() if row.holds is False]
    print(f"\n{len(rows)} rows, missed: {', '.join(missed) or 'none'}")
    if arguments.write and any(row.points for row in rows.values()):
        picture.write(rows)
    if arguments.compare:
        print("\n".join(recorded.notices(rows)))
        return 0
    return 1 if missed else 0


def _keep(rows: Mapping[str, Row], rounds: int) -> None:
    """Put what was measured into the page; a row that was not measured now stays as it stands."""
    known = {text.split("`")[1]: text for text in page.read("times").splitlines() if "| `" in text}
    known |= {key: line(key, row) for key, row in rows.items()}
    order = [key for module in MODULES for key in module.ROWS]
    table = "\n".join((HEAD, *(known[key] for key in order if key in known)))
    page.write("times", f"{_where(rounds)}\n\n{table}")


def line(key: str, row: Row) -> str:
    """Return a row as a line of the table."""
    ratio = "" if row.ratio is None else str(row.ratio)
    verdict = {True: "holds", False: "MISSED", None: ""}[row.holds]
    cells = (f"`{key}`", row.title, row.ours, row.theirs, ratio, row.limit, verdict)
    return f"| {' | '.join(cells)} |"


def _measured(key: str, measure: Measure, world: object, rounds: int) -> Row:
    began = time.perf_counter()
    row = measure(world, rounds)
    print(line(key, row), flush=True)
    print(f"{key} took {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return row


def _is_wanted(key: str, only: str) -> bool:
    return not only or any(key == name or key.startswith(f"{name}-") for name in only.split(","))


def _where(rounds: int) -> str:
    today = datetime.now(tz=timezone.utc).date()
    return (
        f"Read on {today}: {page.system()}, typer {version('typer')}. Medians, quartiles in "
        f"brackets, of up to {rounds} pairs of runs by turns."
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each row at most")
    parser.add_argument("--only", default="", metavar="ROWS", help="rows, or groups, with commas")
    parser.add_argument(
        "--write", action="store_true", help="also put the rows into the documentation"
    )
    parser.add_argument(
        "--compare", action="store_true", help="say what is slower than the documentation says"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
