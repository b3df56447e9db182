"""The answer of `dgpin diff-api` as JSON, Markdown and GitHub annotations."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dgpin.api.capabilities import Capabilities, Moved
from dgpin.api.change import Change, Level
from dgpin.api.report import Report
from dgpin.api.surface import Surface
from dgpin.render import rows as rendered
from dgpin.render.diff_api import TITLES, count, cure
from dgpin.render.document import document, summarise
from dgpin.verdict import Row, Verdict

VERSION = 1


def as_json(report: Report) -> str:
    """Return the answer as a versioned document."""
    return document("diff-api", VERSION, content(report))


def content(report: Report) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    comparison = report.comparison
    return {
        "verdict": report.verdict.value,
        "a": _side(comparison.a, report.capabilities[0]),
        "b": _side(comparison.b, report.capabilities[1]),
        "changes": [_change(change, report) for change in comparison.changes],
        "capabilities": [asdict(moved) for moved in report.moved],
        "incomparable": [asdict(item) for item in comparison.incomparable],
        "unreadable": [
            {"side": side, "path": item.path, "reason": item.reason}
            for side, item in comparison.unreadable
        ],
        "disagreements": [rendered.as_json(row) for row in report.disagreements],
        "allow": [rendered.as_json(row) for row in report.allowed.rows],
    }


def _side(surface: Surface, capabilities: Capabilities) -> dict[str, object]:
    return {
        "label": surface.build.label,
        "digest": surface.build.digest,
        "version": surface.build.version,
        "toolchain": dict(surface.build.toolchain),
        "static": surface.static,
        "notes": list(surface.notes),
        "symbols": len(surface.symbols),
        "capabilities": asdict(capabilities),
    }


def _change(change: Change, report: Report) -> dict[str, Any]:
    value = asdict(change)
    for name in ("level", "effect"):
        value[name] = value[name].value
    if change.successor is not None:
        value["successor"]["evidence"] = change.successor.evidence.value
    value["names"] = list(change.names)
    value["fingerprint"] = change.fingerprint
    value["cure"] = cure(change)
    value["accepted"] = report.allowed.reasons.get(change.fingerprint)
    return value


def markdown(report: Report) -> str:
    """Return the answer as Markdown, the way a pull request would have it."""
    comparison = report.comparison
    a, b = comparison.a.build, comparison.b.build
    parts = [f"### DeepGEMM's API: `{a.label}` → `{b.label}`", "", f"{count(report)}.", ""]
    for surface in (comparison.a, comparison.b):
        parts += [f"> `{surface.build.label}`: {rendered.cell(n)}" for n in surface.notes]
    for level in (Level.BREAKING, Level.RISKY):
        shown = comparison.at(level, private=False)
        if shown:
            parts += ["", f"**{level.value}**", "", *_table(shown, report)]
    for level in (Level.COMPATIBLE, Level.ADDED):
        shown = comparison.at(level, private=False)
        if shown:
            parts += ["", "<details>", f"<summary>{len(shown)} {level.value}</summary>", ""]
            parts += [f"- `{c.path}`: {rendered.cell(c.detail)}{_also(c)}" for c in shown]
            parts += ["", "</details>"]
    hidden = [c for c in comparison.changes if c.private and c.level is Level.BREAKING]
    if hidden:
        parts += ["", "Under `_C` only, no part of the verdict:", "", *_table(hidden, report)]
    parts += [_moved(moved) for moved in report.moved]
    parts += [
        f"- not read in {side}: `{item.path}`: {rendered.cell(item.reason)}"
        for side, item in comparison.unreadable
    ]
    parts += [
        f"- {rendered.cell(r.message)}" for r in (*report.disagreements, *report.allowed.rows)
    ]
    return "\n".join(parts) + "\n"


def _moved(moved: Moved) -> str:
    lost = f" lost {', '.join(moved.lost)};" if moved.lost else ""
    gained = f" gained {', '.join(moved.gained)}" if moved.gained else ""
    return f"- {moved.what}:{lost}{gained}"


def _also(change: Change) -> str:
    rest = len(change.names) - 1
    return f" (and {rest} more name{'s' * (rest > 1)})" if rest else ""


def _table(changes: tuple[Change, ...] | list[Change], report: Report) -> list[str]:
    lines = ["| symbol | change | effect | what to do |", "| --- | --- | --- | --- |"]
    for change in changes:
        accepted = report.allowed.reasons.get(change.fingerprint)
        todo = f"accepted: {accepted}" if accepted else cure(change)
        lines.append(
            f"| `{change.path}`{_also(change)} | {rendered.cell(change.detail)} (`{change.rule}`) "
            f"| {TITLES[change.effect]} | {rendered.cell(todo)} |"
        )
    return lines


def github(report: Report) -> str:
    """Return annotations for what breaks; the Markdown form goes to the step summary."""
    summarise(markdown(report))
    rows = [
        Row(
            rule=change.rule,
            verdict=Verdict.FAIL,
            message=f"{change.path}: {change.detail}",
            hint=cure(change),
        )
        for change in report.deciding
    ]
    return rendered.annotations([*rows, *report.disagreements, *report.allowed.rows])
