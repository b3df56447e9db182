"""What does the move break in the host, and what is fragile against the API it moves to?"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from dgpin.api import allow, capabilities
from dgpin.api import lint as rules
from dgpin.api.bind_findings import Finding, Impact
from dgpin.api.builds import Build
from dgpin.api.capabilities import Capabilities
from dgpin.api.change import Comparison
from dgpin.api.lint import Lint
from dgpin.api.locate import Named
from dgpin.api.report import Report
from dgpin.api.surface import Surface
from dgpin.api.uses import Scan
from dgpin.pin import facts as cached
from dgpin.verdict import Place, Row, Verdict
from dgpin.verify.answer import Answer, Step, ordered, worst
from dgpin.verify.material import Material


class Compared(NamedTuple):
    """What the step found: the difference, and what it means for the host."""

    report: Report
    impact: Impact


def run(material: Material) -> Answer:
    """Hold every use of the host against both surfaces."""
    old, new = material.subject.old or material.subject.new, material.subject.new
    comparison, impact = material.comparison(), material.impact()
    report = _report(material, comparison, impact)
    impact = replace(impact, accepted=report.allowed.reasons)
    breaks, untold = ordered(_breaks(impact)), tuple(_doubts(impact, comparison))
    rows = ordered((*breaks, *report.allowed.rows, *untold))
    return Answer(
        step=Step.API,
        verdict=worst(row.verdict for row in rows) if rows else Verdict.PASS,
        summary=_summary(impact, comparison, breaks=len(breaks), untold=len(untold)),
        rows=rows,
        more=f"dgpin diff-api {old.word} {new.word} --host .",
        evidence=material.request.document(Step.API, Compared(report, impact)),
    )


def _summary(impact: Impact, comparison: Comparison, *, breaks: int, untold: int) -> str:
    if breaks:
        return f"{_count(breaks, 'break', 'breaks')} in the host"
    if any(_unread(surface) for surface in (comparison.a, comparison.b)):
        return "not told"
    changes = _count(len(comparison.breaking), "breaking change", "breaking changes")
    said = f"none of {changes} meets one of {_count(len(impact.scan.uses), 'use', 'uses')}"
    return f"{said}; {untold} could not be told" if untold else said


def _report(material: Material, comparison: Comparison, impact: Impact) -> Report:
    """Return the comparison as diff-api has it, without witnesses: the host's uses are those."""
    today = datetime.now().astimezone().date()
    abilities = (_abilities(material.old()), _abilities(material.new()))
    config = material.subject.fit.config
    uses = [finding.fingerprint for finding in impact.breaks]
    return Report(
        comparison=comparison,
        allowed=allow.apply(config.allow, comparison.changes, today=today, uses=uses),
        capabilities=abilities,
        moved=capabilities.compare(*abilities),
    )


def _abilities(named: Named) -> Capabilities:
    if isinstance(named, Build):
        return capabilities.of_build(named)
    known = cached.load(named.commit) if named.commit else None
    return capabilities.of_source(known) if known is not None else Capabilities()


def lint(material: Material) -> Answer:
    """Hold the host against the API that it has after the move, else against the pinned one."""
    found = _judged(material)
    shown = ordered(
        (
            *(
                Row(
                    rule=finding.rule,
                    verdict=Verdict.FAIL,
                    message=finding.message,
                    places=(finding.place,),
                    hint=finding.cure,
                )
                for finding in found.errors
            ),
            *map(_unknown, found.doubts),
            *_unparsed(found.scan),
        )
    )
    errors = sum(row.verdict.is_finding for row in shown)
    notes = _count(len(found.notes), "note", "notes")
    return Answer(
        step=Step.LINT,
        verdict=worst(row.verdict for row in shown) if shown else Verdict.PASS,
        summary="not told"
        if any(row.verdict is Verdict.UNKNOWN for row in shown) and not errors
        else f"{_count(errors, 'error', 'errors') if errors else 'no error'}, {notes}",
        rows=shown,
        more=f"dgpin lint --build {material.subject.new.word}",
        evidence=material.request.document(Step.LINT, found),
    )


def _judged(material: Material) -> Lint:
    """Return what lint finds, without the errors that are breaks of the move already."""
    surface = material.new_surface()
    found = rules.lint(material.scan(), surface)
    if unread := _unread(surface):  # what was not read would be taken for missing
        return replace(found, findings=(), doubts=unread)
    known = _broken_by_the_move(material)
    kept = (
        finding
        for finding in found.findings
        if not (finding.is_error and (finding.place.path, finding.place.line) in known)
    )
    return replace(found, findings=tuple(kept))


def _broken_by_the_move(material: Material) -> set[tuple[str, int]]:
    """Return the places that diff-api names already."""
    if material.subject.old is None:
        return set()
    found = material.impact().breaks
    return {(finding.use.place.path, finding.use.place.line) for finding in found}


def _breaks(impact: Impact) -> Iterator[Row]:
    """Yield a row for each name and parameter that breaks, with every place where it does."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in impact.breaks:
        groups.setdefault((finding.path, finding.parameter), []).append(finding)
    for (path, _), findings in groups.items():
        first, name = findings[0], path.removeprefix("deep_gemm.")
        what = "; ".join(dict.fromkeys(finding.consequence.value for finding in findings))
        yield Row(
            rule="breaks",
            verdict=Verdict.FAIL,
            message=f"{name} {what}: {first.why.removeprefix(f'{name} in B: ')}",
            places=tuple(finding.use.place for finding in findings),
            hint=first.cure,
        )


def _doubts(impact: Impact, comparison: Comparison) -> Iterator[Row]:
    for side, item in comparison.unreadable:
        surface = comparison.a if side == "A" else comparison.b
        name = "" if item.path.endswith("._C") else f"{item.path}: "
        yield _unknown(f"{surface.build.label}: {name}{item.reason}")
    yield from _unparsed(impact.scan)
    for doubt in impact.doubts:
        yield Row(
            rule="untold",
            verdict=Verdict.UNKNOWN,
            message=doubt.reason,
            places=(doubt.use.place,),
        )


def _unread(surface: Surface) -> tuple[str, ...]:
    """Return why the extension, and so most of an API, was not read."""
    label = surface.build.label
    extensions = (item for item in surface.unreadable if item.path.endswith("._C"))
    return tuple(f"{label}: {item.reason}" for item in extensions)


def _unparsed(scan: Scan) -> Iterator[Row]:
    for skipped in scan.unread:
        yield Row(
            rule="untold",
            verdict=Verdict.UNKNOWN,
            message=f"its uses are not known: {skipped.reason}",
            places=(Place(skipped.path),),
        )


def _unknown(message: str) -> Row:
    return Row(
        rule="untold",
        verdict=Verdict.UNKNOWN,
        message=message,
        hint="Name an interpreter that has torch with --python, or a source with --old and --new.",
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
