"""The answer of `dgpin report`: text, JSON, Markdown; the page is in `page.py`."""

from collections.abc import Iterator, Mapping

from dgpin.evidence.join import Joined
from dgpin.evidence.values import Measured, Section, SmokeRun
from dgpin.render.document import document
from dgpin.render.rows import MARKS, cell, code
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Verdict

FORMS = ("text", "json", "markdown", "html")


def renderers(joined: Joined) -> Renderers:
    """Return every form of the answer."""

    def html() -> str:
        from dgpin.render import page  # noqa: PLC0415 - only the page needs its texts

        return page.page(joined)

    return {
        "text": lambda: text(joined),
        "json": lambda: document("report", 1, content(joined)),
        "markdown": lambda: markdown(joined),
        "html": html,
    }


def headline(joined: Joined) -> str:
    """Return the answer in one sentence."""
    answers = {name: joined.on(name) for name in joined.architectures}
    parts = []
    for verdict, said in (
        (Verdict.FAIL, "failed on"),
        (Verdict.PASS, "proven on"),
        (Verdict.UNKNOWN, "not proven on"),
    ):
        named = [name for name, answer in answers.items() if answer is verdict]
        parts += [f"{said} {', '.join(named)}"] if named else []
    found = [f"{s.title.lower()}: findings" for s in joined.sections if s.verdict.is_finding]
    found += [f"{s.title.lower()}: open" for s in joined.sections if joined.is_open(s)]
    parts += dict.fromkeys(found)
    parts += [f"{len(joined.refused)} refused"] if joined.refused else []
    nothing = "no findings, and nothing was run" if joined.sections else "no evidence"
    return "; ".join(parts) or nothing


def source(joined: Joined) -> str:
    """Return what the report is about."""
    known = [run.version for run in joined.runs if run.version]
    silent = joined.runs and not all(run.commit for run in joined.runs)
    said = " (of which not every run tells that it is its own)" if silent else ""
    parts = [
        *([f"commit {joined.commit[:12]}{said}"] if joined.commit else []),
        *([f"version {known[0]}"] if known else []),
        *([f"headers {joined.headers[:12]}"] if joined.headers else []),
    ]
    return ", ".join(parts) or "nothing that names a source"


def number(measured: Measured) -> str:
    """Return a check's number and its limit."""
    if measured.number is None:
        return ""
    return f"{measured.number:.3g} (limit {measured.limit:.3g})"


def text(joined: Joined) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    word, style = MARKS[joined.verdict]
    return (
        ((f"{word:8} ", style), (headline(joined), "bold")),
        (("source   ", ""), (source(joined), "")),
        *(line for run in joined.runs for line in _run(run)),
        *_matrix(joined),
        *(line for section in joined.sections for line in _section(section)),
        *(((("refused  ", "yellow"), (f"{r.file} {r.reason}", ""))) for r in joined.refused),
    )


def _run(run: SmokeRun) -> Iterator[Line]:
    where = f"{run.gpu or 'no GPU'}, torch {run.torch or 'none'}, nvcc {run.nvcc or 'none'}"
    yield (("ran      ", ""), (f"{run.architecture:8}", "bold"), (f"{where}, {run.when}", ""))
    yield (("         ", ""), (f"_C {run.digest[:12] or 'none'}  {run.file}", "dim"))
    if run.blocked:
        yield (("blocked  ", "yellow"), (run.blocked, ""))
    for finding in run.findings:
        yield (("FAIL     ", "bold red"), (finding, ""))


def _matrix(joined: Joined) -> Iterator[Line]:
    if not joined.checks:
        return
    wide = max(len(check) for check in joined.checks)
    head = "".join(f"{name:13}" for name in joined.architectures)
    yield ((" " * (wide + 2), ""), (head.rstrip(), "bold"))
    for check in joined.checks:
        spans = []
        for name in joined.architectures:
            measured = joined.cell(check, name)
            word, style = MARKS[measured.verdict] if measured is not None else ("-", "dim")
            spans.append((f"{word:13}", style))
        yield ((f"{check:{wide}}  ", ""), *spans)


def _section(section: Section) -> Iterator[Line]:
    word, style = MARKS[section.verdict]
    yield ((f"{word:8} ", style), (section.title, "bold"), (f"  {section.summary}", ""))


def content(joined: Joined) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    return {
        "verdict": joined.verdict.value,
        "source": {"commit": joined.commit or None, "headers_sha256": joined.headers or None},
        "required": list(joined.required),
        "architectures": [
            {"name": name, "verdict": joined.on(name).value} for name in joined.architectures
        ],
        "checks": [
            {
                "id": check,
                "on": {
                    name: measured.verdict.value
                    for name in joined.architectures
                    if (measured := joined.cell(check, name)) is not None
                },
            }
            for check in joined.checks
        ],
        "builds": [
            {
                "file": run.file,
                "architecture": run.architecture,
                "sha256": run.digest,
                "fingerprint": run.fingerprint or None,
                "when": run.when,
                "gpu": run.gpu or None,
            }
            for run in joined.runs
        ],
        "sections": [
            {
                "kind": section.kind.value,
                "file": section.file,
                "verdict": section.verdict.value,
                "summary": section.summary,
            }
            for section in joined.sections
        ],
        "refused": [{"file": each.file, "reason": each.reason} for each in joined.refused],
    }


def markdown(joined: Joined) -> str:
    """Return the answer as Markdown, for a pull request."""
    title = f"## dgpin report: {joined.verdict.value}\n\n{cell(headline(joined))}.\n"
    parts = [title, f"Source: {source(joined)}.\n"]
    if joined.checks:
        names = joined.architectures
        rows = [
            f"| {cell(check)} "
            f"| {' | '.join(_spoken(joined.cell(check, name)) for name in names)} |\n"
            for check in joined.checks
        ]
        head = f"| check | {' | '.join(names)} |\n|{' --- |' * (len(names) + 1)}\n"
        parts.append(head + "".join(rows))
    if joined.runs:
        rows = [
            f"| {run.architecture} | {cell(run.gpu or 'none')} | {cell(run.torch)} "
            f"| {cell(run.nvcc)} "
            f"| `{run.digest[:12]}` | {run.when} |\n"
            for run in joined.runs
        ]
        head = f"| architecture | GPU | torch | nvcc | _C | when |\n|{' --- |' * 6}\n"
        parts.append(head + "".join(rows))
    parts += [_table(section) for section in joined.sections]
    if joined.refused:
        items = [f"- {code(each.file)} {cell(each.reason)}\n" for each in joined.refused]
        parts.append(f"Refused:\n\n{''.join(items)}")
    return "\n".join(parts)


def _spoken(measured: Measured | None) -> str:
    if measured is None:
        return ""
    said = number(measured)
    return f"{measured.verdict.value} {said}".strip()


def _table(section: Section) -> str:
    title = f"### {section.title}: {section.verdict.value}\n\n{cell(section.summary)}\n"
    if not section.rows:
        return title
    rows = [f"| {' | '.join(cell(value) for value in row)} |\n" for row in section.rows]
    head = f"| {' | '.join(section.columns)} |\n|{' --- |' * len(section.columns)}\n"
    return f"{title}\n{head}{''.join(rows)}"
