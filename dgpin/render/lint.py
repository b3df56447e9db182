"""The answer of `dgpin lint`."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from dgpin.api.lint import Finding, Lint
from dgpin.api.lint_rules import BY_ID
from dgpin.render import rows as rendered
from dgpin.render import sarif
from dgpin.render.document import document, summarise
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Row, Verdict

VERSION = 1
_INDENT = ("        ", "")


def renderers(answer: Lint) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(answer),
        "json": lambda: document("lint", VERSION, content(answer)),
        "markdown": lambda: markdown(answer),
        "github": lambda: github(answer),
        "sarif": lambda: as_sarif(answer),
    }


def text(answer: Lint) -> tuple[Line, ...]:
    """Return the answer as lines of text: errors with their source, then notes, a line each."""
    build = answer.surface.build
    how = "read as text" if answer.surface.static else "loaded"
    about = ", ".join(filter(None, [build.version, build.digest[:12], how]))
    lines: list[Line] = [
        (("API   ", "bold"), (build.label, "cyan"), (f"  {about}", "")),
        (("host  ", "bold"), (scanned(answer), "")),
        (),
    ]
    lines += [line for finding in answer.errors for line in _error(finding)]
    if answer.notes:
        lines += [(), (("notes", "bold"),)] if answer.errors else [(("notes", "bold"),)]
        lines += [_one_line(finding, "dim") for finding in answer.notes]
    lines += _not_told(answer)
    return (*lines, (), ((count(answer), "bold"),))


def scanned(answer: Lint) -> str:
    """Return how much was looked at."""
    scan = answer.scan
    return f"{scan.places} uses in {scan.parsed} of {scan.listed} Python files"


def _one_line(finding: Finding, style: str) -> Line:
    return (
        ("  ", ""),
        (str(finding.place), "cyan"),
        (f"  {finding.message}", ""),
        (f"  {finding.rule}", style),
    )


def _error(finding: Finding) -> Iterable[Line]:
    yield _one_line(finding, "bold red")
    if finding.line:
        yield (_INDENT, (finding.line, "dim"))
    yield (_INDENT, (cure(finding), "italic"))


def cure(finding: Finding) -> str:
    """Return what to do now."""
    return finding.cure or BY_ID[finding.rule].cure


def _not_told(answer: Lint) -> list[Line]:
    lines: list[Line] = [(("  ", ""), (doubt, "")) for doubt in answer.doubts]
    lines += [
        (("  ", ""), (skipped.path, "cyan"), (f"  {skipped.reason}", ""))
        for skipped in answer.scan.skipped
    ]
    lines += [
        (("  ", ""), (str(use.place), "cyan"), (f"  a computed name: {use.line}", ""))
        for use in answer.scan.dynamic
    ]
    return [(), (("could not be told", "bold yellow"),), *lines] if lines else []


def count(answer: Lint) -> str:
    """Return the numbers: `2 errors, 33 notes, 1 ignored`."""
    parts = []
    for number, word in ((len(answer.errors), "error"), (len(answer.notes), "note")):
        if number:
            parts.append(f"{number} {word}{'s' * (number != 1)}")
    if answer.ignored:
        parts.append(f"{answer.ignored} ignored")
    return ", ".join(parts) or "nothing to say"


def content(answer: Lint) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    surface, scan = answer.surface, answer.scan
    return {
        "api": {
            "label": surface.build.label,
            "digest": surface.build.digest,
            "version": surface.build.version,
            "static": surface.static,
        },
        "files": {"listed": scan.listed, "parsed": scan.parsed},
        "uses": scan.places,
        "findings": [_as_json(finding) for finding in answer.findings],
        "ignored": answer.ignored,
        "untold": list(answer.doubts),
        "skipped": [asdict(skipped) for skipped in scan.skipped],
        "dynamic": [{"path": u.place.path, "line": u.place.line} for u in scan.dynamic],
    }


def _as_json(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "level": "error" if finding.is_error else "note",
        "path": finding.place.path,
        "line": finding.place.line,
        "source": finding.line,
        "message": finding.message,
        "cure": cure(finding),
        "fingerprint": finding.fingerprint,
    }


def markdown(answer: Lint) -> str:
    """Return the errors as a table, and the notes folded."""
    parts = [f"### dgpin lint: {count(answer)}", ""]
    if answer.errors:
        parts += ["| where | rule | what | what to do |", "| --- | --- | --- | --- |"]
    for finding in answer.errors:
        cells = (
            rendered.code(str(finding.place)),
            finding.rule,
            rendered.cell(finding.message),
            rendered.cell(cure(finding)),
        )
        parts.append(f"| {' | '.join(cells)} |")
    if answer.notes:
        parts += [
            "",
            "<details>",
            f"<summary>{len(answer.notes)} note{'s' * (len(answer.notes) != 1)}</summary>",
            "",
        ]
        parts += [f"- `{f.place}` {f.rule}: {rendered.cell(f.message)}" for f in answer.notes]
        parts += ["", "</details>"]
    parts += [f"- not read: `{s.path}`: {rendered.cell(s.reason)}" for s in answer.scan.skipped]
    parts += [f"- not told: {rendered.cell(doubt)}" for doubt in answer.doubts]
    return "\n".join(parts) + "\n"


def github(answer: Lint) -> str:
    """Return annotations for the errors; the Markdown form goes to the step summary."""
    summarise(markdown(answer))
    rows = [
        Row(
            rule=finding.rule,
            verdict=Verdict.FAIL,
            message=finding.message,
            places=(finding.place,),
            hint=cure(finding),
        )
        for finding in answer.errors
    ]
    return rendered.annotations(rows)


def as_sarif(answer: Lint) -> str:
    """Return the findings as SARIF results."""
    results = [
        sarif.Result(
            rule=finding.rule,
            level="error" if finding.is_error else "note",
            message=f"{finding.message}. {cure(finding)}",
            fingerprint=finding.fingerprint,
            place=finding.place,
        )
        for finding in answer.findings
    ]
    return sarif.document(results, {name: sarif.descriptor(rule) for name, rule in BY_ID.items()})
