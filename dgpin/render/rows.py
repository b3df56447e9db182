"""Verdict rows as text, JSON, Markdown and GitHub annotations; shared by every command."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from dgpin.render.terminal import Line
from dgpin.verdict import Place, Row, Verdict

MARKS = {
    Verdict.PASS: ("pass", "green"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.CRASH: ("CRASH", "bold red"),
    Verdict.TIMEOUT: ("TIMEOUT", "bold red"),
    Verdict.UNSUPPORTED: ("unsupported", "yellow"),
    Verdict.SKIP: ("skip", "yellow"),
    Verdict.UNKNOWN: ("unknown", "yellow"),
}
# GitHub shows ten annotations of a step and drops the rest, so the last one counts what is left.
MOST_ANNOTATIONS = 10
# GitHub takes <int> for a tag and __init__ for bold; an underscore inside a word is none.
_MARKUP = re.compile(r"[\\|`*<~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}


def lines(rows: Sequence[Row]) -> tuple[Line, ...]:
    """Return the rows as text: verdict, rule and message, then the places, then the cure.

    A cure that several rows in a row have in common stands once, below the last of them.
    """
    shown: list[Line] = []
    for row, after in zip_longest(rows, rows[1:]):
        word, style = MARKS[row.verdict]
        head = ((f"{word:7} ", style), (f"{row.rule:19} ", "bold"), (row.message, ""))
        if row.verdict is Verdict.PASS and not row.hint:
            shown.append((*head, (f"  {spoken(row.places[:1])[0]}" if row.places else "", "cyan")))
            continue
        shown.append(head)
        shown += [((" " * 28, ""), (text, "cyan")) for text in spoken(row.places)]
        if row.hint and (after is None or after.hint != row.hint):
            shown.append(((" " * 28, ""), (row.hint, "italic")))
    return tuple(shown)


def spoken(places: Sequence[Place]) -> tuple[str, ...]:
    """Return places as text, a line each; the first four, and how many more there are."""
    most = 4
    shown = [str(place) for place in places[:most]]
    rest = len(places) - most
    return (*shown, *([f"and {rest} more"] if rest > 0 else []))


def count(rows: Iterable[Row]) -> str:
    """Return how many rows have each verdict: `3 fail, 2 unknown, 20 pass`."""
    counted = Counter(row.verdict for row in rows)
    order = [v for v in Verdict if v is not Verdict.PASS] + [Verdict.PASS]
    return ", ".join(f"{counted[v]} {v.value}" for v in order if counted[v]) or "nothing to judge"


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def as_json(row: Row) -> Mapping[str, object]:
    """Return a row as JSON has it."""
    return {
        "rule": row.rule,
        "verdict": row.verdict.value,
        "message": row.message,
        "places": [{"path": place.path, "line": place.line} for place in row.places],
        "hint": row.hint,
    }


def markdown(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table."""
    table = ["| verdict | rule | what | where |", "| --- | --- | --- | --- |"]
    table += [
        f"| {row.verdict.value} | {row.rule} | {cell(row.message)} | "
        f"{'<br>'.join(map(code, spoken(row.places)))} |"
        for row in rows
    ]
    return "\n".join(table) + "\n"


def cell(text: str) -> str:
    """Return text that reads as it is, inside its cell of a Markdown table; `code` stays code."""
    parts = re.split(r"(`[^`]*`)", _flat(text))
    # Of the parts every second one is code.
    return "".join(
        part.replace("|", "\\|") if n % 2 else _MARKUP.sub(r"\\\g<0>", part)
        for n, part in enumerate(parts)
    )


def code(text: str) -> str:
    """Return text as code inside its cell of a Markdown table."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    shown = _flat(text).replace("|", "\\|")
    return f"{fence}{pad}{shown}{pad}{fence}" if text else ""


def _flat(text: str) -> str:
    return re.sub(r"[\r\n]+", " ", text)


def annotations(rows: Sequence[Row]) -> str:
    """Return GitHub workflow commands for the findings, ten at most."""
    found = [row for row in rows if row.verdict.is_finding]
    shown = found if len(found) <= MOST_ANNOTATIONS else found[: MOST_ANNOTATIONS - 1]
    commands = [_annotation(row) for row in shown]
    if len(shown) < len(found):
        commands.append(f"::error::{len(found) - len(shown)} more findings are in the step summary")
    return "".join(f"{command}\n" for command in commands)


def _annotation(row: Row) -> str:
    where = ""
    if row.places:
        place = row.places[0]
        line = f",line={place.line}" if place.line else ""
        path = _escaped(place.path).replace(":", "%3A").replace(",", "%2C")
        where = f" file={path}{line},title=dgpin {row.rule}"
    text = f"{row.message}\n{row.hint}" if row.hint else row.message
    return f"::error{where}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)
