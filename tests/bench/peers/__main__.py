"""`python -m tests.bench.peers`: what dgpin and its peers find on five kinds of pair.

Prints the table; `--write` puts it into the documentation. Exits 1 when dgpin misses a kind or
reports one that no caller notices.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path

from tests.api.corpus.case import Case
from tests.bench import page
from tests.bench.peers.environments import Absent
from tests.bench.peers.pairs import Pair, pairs
from tests.bench.peers.score import Score, is_noticed, score, strays
from tests.bench.peers.tools import STUBGEN, TOOLS, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one tool said of one pair: by kind of pair, and beside the corpus."""

    pair: str
    cells: dict[str, Score | Absent]
    strays: int


def main() -> int:
    """Ask every tool about every pair."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    parser.add_argument("--write", action="store_true", help="also write the documentation")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dgpin-peers-") as scratch:
        every = pairs(Path(scratch))
        answers = {
            tool.name: [_ask(tool, pair, Path(scratch, f"{i}-{j}")) for j, pair in enumerate(every)]
            for i, tool in enumerate(TOOLS)
        }
    kinds = {kind: cases for pair in every for kind, cases in pair.kinds.items()}
    text = "\n".join((*_table(kinds, answers), "", *_notes(answers)))
    print(text)
    if arguments.write:
        today = datetime.now(tz=timezone.utc).date()
        page.write(
            "peers", f"Read on {today}, {page.system()}. {STUBGEN} made the stubs.\n\n{text}"
        )
    return int(not all(map(_is_perfect, answers["dgpin"])))


def _is_perfect(answer: Answer) -> bool:
    return not answer.strays and all(
        isinstance(cell, Score) and not cell.missed and not cell.false
        for cell in answer.cells.values()
    )


def _ask(tool: Tool, pair: Pair, scratch: Path) -> Answer:
    scratch.mkdir()
    name = " and ".join(pair.kinds)
    try:
        said = tool.ask(pair, scratch)
    except Absent as reason:
        return Answer(pair=name, cells=dict.fromkeys(pair.kinds, reason), strays=0)
    cells: dict[str, Score | Absent] = {k: score(cases, said) for k, cases in pair.kinds.items()}
    every = chain.from_iterable(pair.kinds.values())
    return Answer(pair=name, cells=cells, strays=len(strays(every, said)))


def _table(kinds: dict[str, Sequence[Case]], answers: dict[str, list[Answer]]) -> Iterator[str]:
    yield f"| pair | kinds | {' | '.join(answers)} |"
    yield "| --- | --- |" + " --- |" * len(answers)
    for kind, cases in kinds.items():
        cells = [a.cells[kind] for every in answers.values() for a in every if kind in a.cells]
        noticed = sum(map(is_noticed, cases))
        count = f"{noticed} noticed, {len(cases) - noticed} quiet"
        yield f"| {kind} | {count} | {' | '.join(map(_cell, cells))} |"


def _cell(cell: Score | Absent) -> str:
    if isinstance(cell, Absent):
        return "not run"
    return f"{len(cell.found)} found, {len(cell.false)} false"


def _notes(answers: dict[str, list[Answer]]) -> Iterator[str]:
    for tool, every in answers.items():
        for answer in every:
            reasons = {str(cell) for cell in answer.cells.values() if isinstance(cell, Absent)}
            yield from (f"- {tool}, {answer.pair}: not run, {reason}." for reason in reasons)
            if answer.strays:
                yield f"- {tool}, {answer.pair}: named {answer.strays} more, outside all kinds."
            for kind, cell in answer.cells.items():
                if isinstance(cell, Score) and (cell.missed or cell.false):
                    yield f"- {tool}, {kind}: {_words(cell)}."


def _words(cell: Score) -> str:
    missed = "; ".join(case.kind for case in cell.missed)
    if not cell.found:
        missed = "every kind"
    false = "; ".join(case.kind for case in cell.false)
    return ". ".join(filter(None, (missed and f"missed {missed}", false and f"false: {false}")))


if __name__ == "__main__":
    sys.exit(main())
