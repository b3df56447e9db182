"""The host's part of the answer of `dgpin diff-api --host`: which uses break, and how."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from dgpin.api.bind_findings import Consequence, Finding, Impact
from dgpin.api.bind_rules import BY_ID, rule_of
from dgpin.api.report import Report
from dgpin.api.uses import Form, Use
from dgpin.render import diff_api, diff_api_documents, sarif
from dgpin.render import rows as rendered
from dgpin.render.document import document, summarise
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Row, Verdict

TITLES = {
    Consequence.IMPORT_RAISES: "raises at import",
    Consequence.CALL_RAISES: "raises at the call",
    Consequence.SILENT_NONE: "goes off without a word",
    Consequence.SILENT_OLDER: "silently takes the older name",
    Consequence.SILENT_VALUE: "silently means something else",
    Consequence.CAUGHT: "raises and is caught: the fallback runs",
    Consequence.LATENT: "broken with A already; not held against the move",
}
_MOST = 6  # callers that are shown
_INDENT = ("      ", "")


def renderers(report: Report, impact: Impact) -> Renderers:
    """Return every form of the whole answer."""
    return {
        "text": lambda: (*diff_api.text(report), *text(impact)),
        "json": lambda: as_json(report, impact),
        "markdown": lambda: f"{markdown(impact)}\n{diff_api_documents.markdown(report)}",
        "github": lambda: github(report, impact),
        "sarif": lambda: as_sarif(impact),
    }


def text(impact: Impact) -> tuple[Line, ...]:
    """Return the uses as lines of text, by what happens to them."""
    lines: list[Line] = [(), (("in the host", "bold"), (f"  {_scanned(impact)}", ""))]
    for consequence, title in TITLES.items():
        group = [f for f in impact.findings if f.consequence is consequence]
        if group:
            style = "bold red" if consequence.counts else "bold yellow"
            lines += [(), ((f"{title} ({len(group)})", style),)]
            lines += [
                line
                for finding in group
                for line in _finding(finding, impact.accepted.get(finding.fingerprint))
            ]
    lines += _not_told(impact)
    return (*lines, (), ((count(impact), "bold"),))


def _scanned(impact: Impact) -> str:
    scan = impact.scan
    dynamic = f", {len(scan.dynamic)} by a computed name" if scan.dynamic else ""
    return f"{scan.places} uses in {scan.parsed} of {scan.listed} Python files{dynamic}"


def _finding(finding: Finding, accepted: str | None) -> Iterable[Line]:
    use = finding.use
    raised = f"{finding.exception}: " if finding.exception else ""
    yield (("  ", ""), (str(use.place), "cyan"), (f"  {raised}{finding.why}", ""))
    yield (_INDENT, (use.line, "dim"))
    if finding.caught_by is not None:
        yield (_INDENT, (f"caught by {finding.caught_by.place}", ""))
    if finding.escapes is not None:
        names = ", ".join(finding.escapes.exceptions)
        text = f"not caught: the handler at {finding.escapes.place} is for {names}"
        yield (_INDENT, (text, ""))
    if use.via is not None:
        yield (_INDENT, (f"through the wrapper at {use.via}", ""))
    for place, what in chain(use):
        yield (_INDENT, ("from ", "dim"), (place, "cyan"), (f"  {what}", "dim"))
    if finding.cure:
        yield (_INDENT, (finding.cure, "italic"))
    if accepted is not None:
        yield (_INDENT, (f"accepted: {accepted}", "green"))


def chain(use: Use) -> list[tuple[str, str]]:
    """Return the places from which a use is reached, or that ask for its name."""
    if use.form is Form.GETATTR and use.consumers:
        found = [(str(c.place), f"{c.function}: {c.line}") for c in use.consumers]
    else:
        nearest = [c for c in use.callers if c.level == 1]
        found = [(str(c.place), f"{c.function}: {c.line}") for c in nearest]
    rest = len(found) - _MOST
    return found[:_MOST] + ([(f"{rest} more", "")] if rest > 0 else [])


def _not_told(impact: Impact) -> list[Line]:
    lines: list[Line] = [
        (("  ", ""), (str(use.place), "cyan"), (f"  a computed name: {use.line}", ""))
        for use in impact.scan.dynamic
    ]
    lines += [
        (("  ", ""), (str(doubt.use.place), "cyan"), (f"  {doubt.reason}", ""))
        for doubt in impact.doubts
    ]
    lines += [
        (("  ", ""), (skipped.path, "cyan"), (f"  {skipped.reason}", ""))
        for skipped in impact.scan.skipped
    ]
    return [(), (("could not be told", "bold yellow"),), *lines] if lines else []


def count(impact: Impact) -> str:
    """Return the numbers: `3 uses break, 1 caught, 1 broken already`."""
    breaks = len(impact.breaks)
    parts = [f"{breaks} use{'s' * (breaks != 1)} break{'s' * (breaks == 1)}"] if breaks else []
    if not parts:
        parts = ["no use breaks"]
    for consequence, word in ((Consequence.CAUGHT, "caught"), (Consequence.LATENT, "latent")):
        number = sum(f.consequence is consequence for f in impact.findings)
        if number:
            parts.append(f"{number} {word}")
    lived_with = sum(f.fingerprint in impact.accepted for f in impact.findings)
    if lived_with:
        parts.append(f"{lived_with} accepted")
    if impact.is_incomplete:
        parts.append(f"{len(impact.doubts) + len(impact.scan.unread)} could not be told")
    return ", ".join(parts)


# Documents ------------------------------------------------------------------------------------


def as_json(report: Report, impact: Impact) -> str:
    """Return the whole answer as a versioned document."""
    # With a host, its uses decide, as the exit code does.
    verdict = Verdict.UNKNOWN if impact.is_incomplete or report.is_incomplete else Verdict.PASS
    verdict = Verdict.FAIL if impact.breaks or report.allowed.rows else verdict
    whole = {
        **diff_api_documents.content(report),
        "verdict": verdict.value,
        "host": content(impact),
    }
    return document("diff-api", diff_api_documents.VERSION, whole)


def content(impact: Impact) -> Mapping[str, object]:
    """Return the host's part as JSON has it."""
    scan = impact.scan
    return {
        "files": {"listed": scan.listed, "parsed": scan.parsed},
        "uses": scan.places,
        "findings": [
            {**_as_json(finding), "accepted": impact.accepted.get(finding.fingerprint)}
            for finding in impact.findings
        ],
        "dynamic": [_place(use) for use in scan.dynamic],
        "untold": [{**_place(doubt.use), "reason": doubt.reason} for doubt in impact.doubts],
        "skipped": [asdict(skipped) for skipped in scan.skipped],
    }


def _place(use: Use) -> dict[str, object]:
    return {"path": use.place.path, "line": use.place.line}


def _as_json(finding: Finding) -> dict[str, object]:
    use = finding.use
    return {
        **_place(use),
        "rule": rule_of(finding.consequence).id,
        "consequence": finding.consequence.value,
        "counts": finding.consequence.counts,
        "source": use.line,
        "function": use.function,
        "form": use.form.value,
        "symbol": finding.path,
        "parameter": finding.parameter,
        "exception": finding.exception,
        "why": finding.why,
        "cure": finding.cure,
        "caught_by": str(finding.caught_by.place) if finding.caught_by is not None else None,
        "through": str(use.via) if use.via is not None else None,
        "callers": [
            {"path": c.place.path, "line": c.place.line, "function": c.function, "level": c.level}
            for c in use.callers
        ],
        "consumers": [
            {"path": c.place.path, "line": c.place.line, "function": c.function}
            for c in use.consumers
        ],
        "fingerprint": finding.fingerprint,
    }


def markdown(impact: Impact) -> str:
    """Return a table for the pull request."""
    parts = [f"### In the host: {count(impact)}", "", f"{_scanned(impact)}.", ""]
    if impact.findings:
        parts += ["| where | what happens | why | what to do |", "| --- | --- | --- | --- |"]
    for finding in impact.findings:
        raised = f"{finding.exception}: " if finding.exception else ""
        cells = (
            f"{rendered.code(str(finding.use.place))}{_reached(finding.use)}",
            TITLES[finding.consequence],
            rendered.cell(f"{raised}{finding.why}"),
            rendered.cell(impact.accepted.get(finding.fingerprint) or finding.cure),
        )
        parts.append(f"| {' | '.join(cells)} |")
    parts += [f"- not read: `{s.path}`: {rendered.cell(s.reason)}" for s in impact.scan.skipped]
    parts += [f"- not told: `{d.use.place}`: {rendered.cell(d.reason)}" for d in impact.doubts]
    return "\n".join(parts) + "\n"


def _reached(use: Use) -> str:
    places = [place for place, _ in chain(use)]
    return f"<br>from {', '.join(rendered.code(str(place)) for place in places)}" if places else ""


def github(report: Report, impact: Impact) -> str:
    """Return annotations on the host's lines; the Markdown form goes to the step summary."""
    summarise(f"{markdown(impact)}\n{diff_api_documents.markdown(report)}")
    rows = [
        Row(
            rule=rule_of(finding.consequence).id,
            verdict=Verdict.FAIL,
            message=_sentence(finding),
            places=(finding.use.place,),
            hint=finding.cure,
        )
        for finding in impact.breaks
    ]
    return rendered.annotations([*rows, *report.allowed.rows])


def _sentence(finding: Finding) -> str:
    raised = f"{finding.exception}: " if finding.exception else ""
    return f"{TITLES[finding.consequence]}: {raised}{finding.why}"


def as_sarif(impact: Impact) -> str:
    """Return the findings as SARIF results, each on its line of the host."""
    results = [
        sarif.Result(
            rule=rule_of(finding.consequence).id,
            level="error" if finding.consequence.counts else "note",
            message=" ".join(filter(None, [_sentence(finding) + ".", finding.cure])),
            fingerprint=finding.fingerprint,
            place=finding.use.place,
        )
        for finding in impact.findings
        if finding.fingerprint not in impact.accepted
    ]
    return sarif.document(results, {name: sarif.descriptor(rule) for name, rule in BY_ID.items()})
