"""The report as one HTML page: no network, readable on a phone, in the dark, and by a screen
reader."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from dgpin import __version__
from dgpin.evidence.join import Joined
from dgpin.evidence.values import Attached, Measured, Refused, Section, SmokeRun
from dgpin.render.hidden import hide
from dgpin.render.report import headline, number, source
from dgpin.verdict import Verdict

CHART = 100  # units that the longest bar is wide


def page(joined: Joined) -> str:
    """Return the page."""
    style, script = _text("page.css"), _text("page.js")
    # Nothing is loaded, and nothing that stands in the evidence can run.
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; "
        f"script-src '{_hash(script)}'"
    )
    head = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>DeepGEMM pin: {joined.verdict.value}</title>\n<style>{style}</style>\n</head>\n"
    )
    body = (
        f"<body>\n<main>\n<h1>DeepGEMM pin: {_word(joined.verdict)}</h1>\n"
        f"<p>{escape(headline(joined))}</p>\n"
        f'<p class="soft">{escape(source(joined))}</p>\n{"".join(_body(joined))}</main>\n'
        f'<footer class="soft"><p>Written by dgpin {__version__}.</p></footer>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
    return head + body


def _text(name: str) -> str:
    return "\n" + files("dgpin.render").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _body(joined: Joined) -> Iterable[str]:
    parts = [
        ("Refused", "", _refused(joined.refused)),
        *((each.title, f": {_word(each.verdict)}", _section(each)) for each in joined.sections),
        ("Checks", "", _matrix(joined)),
        ("Times", "", _times(joined)),
        ("Builds", "", _builds(joined.runs)),
        ("Evidence", "", "".join(_evidence(each) for each in joined.attached)),
    ]
    shown = [(f"part-{n}", *part) for n, part in enumerate(parts) if part[2]]
    links = "".join(f'<li><a href="#{key}">{escape(title)}</a></li>' for key, title, *_ in shown)
    yield f'<nav aria-label="Parts"><ul>{links}</ul></nav>\n'
    for key, title, verdict, text in shown:
        yield f'<h2 id="{key}">{escape(title)}{verdict}</h2>\n{text}'


def _word(verdict: Verdict) -> str:
    return f'<span class="{verdict.value}">{verdict.value}</span>'


def _table(caption: str, columns: Sequence[str], rows: Iterable[str]) -> str:
    # On a phone every row is a card. That takes the table's own roles away, so they are said.
    heads = "".join(
        f'<th scope="col" role="columnheader"><button type="button">{escape(name)}</button></th>'
        for name in columns
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">\n'
        f'<table role="table">\n<caption>{escape(caption)}</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{"".join(rows)}</tbody>\n</table>\n</div>\n'
    )


def _row(columns: Sequence[str], first: str, cells: Sequence[tuple[str, str]]) -> str:
    """Return a row: its heading, and (HTML, sort key) of each further cell."""
    others = "".join(
        f'<td role="cell" data-label="{escape(name)}"{_key(key)}>{text}</td>'
        for name, (text, key) in zip(columns[1:], cells, strict=True)
    )
    return f'<tr role="row"><th scope="row" role="rowheader">{first}</th>{others}</tr>\n'


def _key(key: str) -> str:
    return f' data-sort="{key}"' if key else ""


def _plain(text: str) -> tuple[str, str]:
    if text in {verdict.value for verdict in Verdict}:
        return _word(Verdict(text)), ""
    return _broken(text), ""


def _broken(text: str) -> str:
    """Return text that may break after the joints of a path or a name.

    Where an address is broken, nobody finds its credentials, so they go before.
    """
    return re.sub(r"(?<=[/_.])(?=\w)", "<wbr>", escape(hide(text)))


def _refused(refused: Sequence[Refused]) -> str:
    if not refused:
        return ""
    columns = ("file", "why")
    rows = (_row(columns, _broken(each.file), [_plain(each.reason)]) for each in refused)
    return _table("Files that are not in this report", columns, rows)


def _section(section: Section) -> str:
    said = f"<p>{escape(section.summary)}</p>\n"
    # A column in which nothing stands only takes room.
    kept = [n for n, _ in enumerate(section.columns) if any(row[n] for row in section.rows)]
    if not kept:
        return said
    columns = tuple(section.columns[n] for n in kept)
    rows = (
        _row(columns, _plain(row[kept[0]])[0], [_plain(row[n]) for n in kept[1:]])
        for row in section.rows
    )
    return said + _table(f"{section.title}, from {section.file}", columns, rows)


def _matrix(joined: Joined) -> str:
    if not joined.checks:
        return ""
    columns = ("check", *joined.architectures)
    rows = (
        _row(
            columns,
            _broken(check),
            [_measured(joined.cell(check, name)) for name in joined.architectures],
        )
        for check in joined.checks
    )
    return _table("Every check on every architecture, with number and limit", columns, rows)


def _measured(measured: Measured | None) -> tuple[str, str]:
    if measured is None:
        return '<span class="soft">not run</span>', ""
    parts = [_word(measured.verdict)]
    if measured.number is not None:
        parts.append(f'<span class="number">{escape(number(measured))}</span>')
    if measured.verdict is not Verdict.PASS and (why := measured.cause or measured.message):
        parts.append(escape(why))
    return "<br>".join(parts), measured.verdict.value


def _times(joined: Joined) -> str:
    timed = [
        (check, name, measured.warm)
        for check in joined.checks
        for name in joined.architectures
        if (measured := joined.cell(check, name)) is not None and measured.warm is not None
    ]
    longest = max((warm for _, _, warm in timed), default=0.0)
    if not longest:
        return ""
    columns = ("check", "architecture", "time", "chart")
    rows = (
        _row(columns, _broken(check), [_plain(name), _time(warm), _bar(warm, longest)])
        for check, name, warm in timed
    )
    return _table("Median of each check's warm calls; for information only", columns, rows)


def _time(warm: float) -> tuple[str, str]:
    return f'<span class="number">{warm:.3f} ms</span>', f"{warm:.5f}"


def _bar(warm: float, longest: float) -> tuple[str, str]:
    rect = f'<rect width="{CHART * warm / longest:.2f}" height="8"/>'
    shape = f'viewBox="0 0 {CHART} 8" preserveAspectRatio="none"'
    return f'<svg {shape} aria-hidden="true">{rect}</svg>', f"{warm:.5f}"


def _builds(runs: Sequence[SmokeRun]) -> str:
    if not runs:
        return ""
    columns = ("architecture", "GPU", "driver", "torch", "Python", "nvcc", "_C", "when")
    rows = (
        _row(
            columns,
            escape(run.architecture),
            [
                _plain(value)
                for value in (
                    run.gpu or "none",
                    run.driver,
                    run.torch,
                    run.python,
                    run.nvcc,
                    run.digest[:16],
                    run.when,
                )
            ],
        )
        for run in runs
    )
    return _table("What ran where, with the hash of its _C", columns, rows)


def _evidence(attached: Attached) -> str:
    name = escape(attached.file)
    # What is written is searched for credentials as text, and would not be found in base64.
    data = base64.b64encode(hide(attached.text).encode()).decode("ascii")
    return (
        f"<details>\n<summary>{name}</summary>\n"
        f'<p><a download="{escape(attached.file.rpartition("/")[2])}" '
        f'href="data:application/json;base64,{data}">Save {name}</a></p>\n'
        f'<pre tabindex="0" role="region" aria-label="{name}">{escape(attached.text)}</pre>\n'
        "</details>\n"
    )
