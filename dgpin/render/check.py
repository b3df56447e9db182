"""The answer of `dgpin check`."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from dgpin.pin.host import Fit
from dgpin.pin.pinned import Pinned
from dgpin.render import rows as rendered
from dgpin.render.document import document, summarise
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Row

FORMS = ("text", "json", "markdown", "github")


class Answer(NamedTuple):
    """What `check` found in a host."""

    root: Path
    fit: Fit
    pinned: Pinned
    rows: tuple[Row, ...]


def renderers(answer: Answer) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(answer),
        "json": lambda: document("check", 1, content(answer)),
        "markdown": lambda: markdown(answer),
        "github": lambda: github(answer),
    }


def text(answer: Answer) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    return (
        (("pin      ", ""), (answer.pinned.ref or "none", "bold"), (_in(answer), "")),
        (("sites    ", ""), (named(answer.fit), "")),
        *rendered.lines(answer.rows),
        ((rendered.count(answer.rows), "bold"),),
    )


def _in(answer: Answer) -> str:
    return f" in {answer.pinned.repo}" if answer.pinned.repo else ""


def named(fit: Fit) -> str:
    """Return where the sites are written down."""
    if not fit.config.is_preset:
        return fit.config.source
    near = ", of which not every entry is there" if fit.near else ""
    return f"preset {fit.config.source} ({fit.config.summary}){near}"


def content(answer: Answer) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    return {
        "host": str(answer.root),
        "configuration": {
            "source": answer.fit.config.source,
            "preset": answer.fit.config.is_preset,
            "near": answer.fit.near,
        },
        "pin": {"repo": answer.pinned.repo, "commit": answer.pinned.commit},
        "rows": [rendered.as_json(row) for row in answer.rows],
    }


def markdown(answer: Answer) -> str:
    """Return the answer as Markdown: the findings, and a count of the rest."""
    odd = [row for row in answer.rows if row.verdict.value != "pass"]
    head = f"## dgpin check: {rendered.count(answer.rows)}\n\n"
    return head + (rendered.markdown(odd) if odd else "Every site agrees and fits the source.\n")


def github(answer: Answer) -> str:
    """Return annotations, and write the step summary."""
    summarise(markdown(answer))
    return rendered.annotations(answer.rows)
