"""The answer of `dgpin diff-api` as text, grouped by what a caller meets, worst first."""

from collections.abc import Iterable, Sequence

from dgpin.api.change import Change, Effect, Level
from dgpin.api.report import Report
from dgpin.api.rules import BY_ID
from dgpin.api.surface import Surface
from dgpin.render import rows as rendered
from dgpin.render import words
from dgpin.render.terminal import Line, Renderers

FORMS = ("text", "json", "markdown", "github", "sarif")
TITLES = {
    Effect.SILENT: "goes through and means something else",
    Effect.GONE: "name gone",
    Effect.REFUSED: "call raises",
    Effect.OTHERWISE: "behaves differently",
}
_STYLES = {Level.BREAKING: "bold red", Level.RISKY: "bold yellow"}
_MOST_NAMES = 8  # further names of a row are counted
_INDENT = ("    ", "")


def renderers(report: Report) -> Renderers:
    """Return every form of the answer."""
    from dgpin.render import diff_api_documents as documents  # noqa: PLC0415 - text needs none
    from dgpin.render import sarif  # noqa: PLC0415

    return {
        "text": lambda: text(report),
        "json": lambda: documents.as_json(report),
        "markdown": lambda: documents.markdown(report),
        "github": lambda: documents.github(report),
        "sarif": lambda: sarif.diff_api(report),
    }


def text(report: Report) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    comparison = report.comparison
    lines: list[Line] = [*_surface("A", comparison.a), *_surface("B", comparison.b)]
    public = [c for c in comparison.changes if not c.private]
    private = [c for c in comparison.changes if c.private]
    lines += _groups(public, report)
    lines += _quiet(public)
    if private:
        lines += [(), (("only under _C or as raw ops; no part of the verdict", "bold"),)]
        lines += _groups(private, report)
        lines += _quiet(private)
    lines += _capabilities(report)
    lines += _unknown(report)
    if further := (*report.disagreements, *report.allowed.rows):
        lines += [(), *rendered.lines(further)]
    return (*lines, (), ((count(report), "bold"),))


def _surface(side: str, surface: Surface) -> Iterable[Line]:
    build = surface.build
    how = "read as text" if surface.static else "loaded"
    about = ", ".join(filter(None, [build.version, build.digest[:12], how]))
    yield ((f"{side}  ", "bold"), (build.label, "cyan"), (f"  {about}", ""))
    for note in surface.notes:
        yield (_INDENT, (note, "yellow"))


def _groups(changes: Sequence[Change], report: Report) -> list[Line]:
    lines: list[Line] = []
    for effect, title in TITLES.items():
        group = [c for c in changes if c.effect is effect]
        if group:
            lines += [(), ((f"{title} ({len(group)})", _STYLES[group[0].level]),)]
            for change, before in zip(group, [None, *group], strict=False):
                told = before is not None and before.path == change.path
                lines += _change(change, report, told=told)
    return lines


def _change(change: Change, report: Report, *, told: bool) -> Iterable[Line]:
    """Yield one change; `told` that the line before was about the same symbol."""
    accepted = report.allowed.reasons.get(change.fingerprint)
    yield (
        ("  ", ""),
        (change.path, "bold"),
        (f"  {change.detail}", ""),
        (f"  {change.rule}", "dim"),
        (f"  accepted: {accepted}" if accepted else "", "green"),
    )
    if not told and change.before and change.after and change.before != change.after:
        yield (_INDENT, *words.difference(change.before, change.after))
    others = change.names[1:]
    if others and not told:
        yield (_INDENT, (f"also {_listed(others)}", "dim"))
    if change.successor is not None and change.effect is Effect.GONE:
        heir = change.successor
        sure = "" if heir.confidence == 1 else f", {heir.confidence:.0%} alike"
        yield (_INDENT, (f"use {heir.name} ({heir.evidence.value}{sure})", "italic"))
    if change.witness is not None:
        yield (_INDENT, ("try  ", "dim"), (change.witness.code, "cyan"))
        yield (_INDENT, ("     ", ""), (f"A {change.witness.in_a}; B {change.witness.in_b}", "dim"))
    elif change.unwitnessed:
        yield (_INDENT, (f"not tried: {change.unwitnessed}", "dim"))


def _quiet(changes: Sequence[Change]) -> list[Line]:
    lines: list[Line] = []
    compatible = [c for c in changes if c.level is Level.COMPATIBLE]
    if compatible:
        lines += [(), ((f"compatible ({len(compatible)})", "bold"),)]
    for change in compatible:
        names = _listed([c for c in change.names if c.count(".") == 1] or change.names)
        lines.append((("  ", ""), (change.detail, ""), (f"  {names}", "dim")))
    added = [c.path for c in changes if c.level is Level.ADDED]
    if added:
        lines += [(), ((f"added ({len(added)})", "bold"),)]
        lines += [(("  ", ""), (name, "green")) for name in added]
    return lines


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    rest = len(names) - _MOST_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown


def _capabilities(report: Report) -> list[Line]:
    lines: list[Line] = []
    for moved in report.moved:
        lost = [(f"  - {', '.join(moved.lost)}", "red")] if moved.lost else []
        gained = [(f"  + {', '.join(moved.gained)}", "green")] if moved.gained else []
        lines.append(((f"  {moved.what}", ""), *lost, *gained))
    return [(), (("capabilities", "bold"),), *lines] if lines else []


def _unknown(report: Report) -> list[Line]:
    comparison = report.comparison
    lines: list[Line] = [
        (("  ", ""), (f"{item.reason}: {len(item.names)} names, by name and place only", ""))
        for item in comparison.incomparable
    ]
    if lines:
        lines = [(), (("not comparable", "bold yellow"),), *lines]
    if comparison.unreadable:
        lines += [(), (("could not be read", "bold yellow"),)]
        lines += [
            (("  ", ""), (f"{side}  {item.path}: {item.reason}", ""))
            for side, item in comparison.unreadable
        ]
    return lines


def count(report: Report) -> str:
    """Return the numbers: `4 breaking, 1 risky, 6 compatible, 16 added`."""
    levels = [c.level for c in report.comparison.changes if not c.private]
    parts = [f"{levels.count(level)} {level.value}" for level in Level if level in levels]
    if report.allowed.reasons:
        parts.append(f"{len(report.allowed.reasons)} accepted")
    if report.comparison.unreadable:
        parts.append(f"{len(report.comparison.unreadable)} could not be read")
    return ", ".join(parts) or "no difference"


def cure(change: Change) -> str:
    """Return what to do now: the rule's cure, with the name that took over."""
    if change.successor is not None and change.effect is Effect.GONE:
        return f"Use {change.successor.name}."
    return BY_ID[change.rule].cure
