"""Which fixes does the move lose? Between commits where there are, else between what was given."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from dgpin.api.builds import Build
from dgpin.errors import UnavailableError
from dgpin.smoke import headers
from dgpin.source import accepting, kept, operands, sides
from dgpin.source.losses import Carried, Loss
from dgpin.source.sides import Side
from dgpin.verdict import Row, Verdict
from dgpin.verify.answer import SHORT, Answer, Point, Step, within
from dgpin.verify.material import Material, source_in

_FAMILIES = ("sm_90", "sm_100", "sm_120")


class _Sides(NamedTuple):
    old: Side
    new: Side
    upstream: Side | None


def run(material: Material) -> Answer:
    """Return the lost fixes, those first that bring back a fault that smoke knows."""
    today = datetime.now().astimezone().date()
    accepted = accepting.reasons(material.subject.fit.config.carry_accept, today)
    packages = [_package(material, point) for point in _points(material)]
    with material.git:
        found = _sides(material)
        carried = kept.carried(found.old, found.new, upstream=found.upstream, accepted=accepted)
    return _answer(carried, _faults(packages), material)


def _points(material: Material) -> tuple[Point, Point]:
    return material.subject.old or material.subject.new, material.subject.new


def _answer(carried: Carried, faults: dict[str, Row], material: Material) -> Answer:
    old, new = _points(material)
    commits = (old.commit[:SHORT], new.commit[:SHORT])
    words = commits if carried.new_commit else (old.word, new.word)
    untold = tuple(_unasked(carried, material))
    fixes = sorted(carried.fixes, key=lambda loss: not _returns(loss, faults))
    count = len(fixes)
    dropped = ", ".join(f"{f.kind.value} {f.name}" for f in carried.families[:3])
    return Answer(
        step=Step.CARRY,
        verdict=Verdict.FAIL if count else Verdict.UNKNOWN if untold else Verdict.PASS,
        summary=f"{_lost(count)}{f'; dropped: {dropped}' if dropped else ''}",
        rows=(*(_row(loss, faults, old.commit, new.commit) for loss in fixes), *untold),
        more=f"dgpin carry {' '.join(words)}",
        evidence=material.request.document(Step.CARRY, carried),
        reused=carried.reused,
    )


def _unasked(carried: Carried, material: Material) -> Iterator[Row]:
    """Say that upstream could not be asked: then what it has counts as well."""
    upstream = material.subject.fit.config.upstream
    if upstream is not None and material.subject.mirrors is not None and not carried.upstream:
        yield Row(
            rule="upstream",
            verdict=Verdict.UNKNOWN,
            message=f"{upstream} could not be asked, so lines that it has count too",
            hint="Run it once with network.",
        )


def _lost(count: int) -> str:
    if count == 0:
        return "no change that looks like a fix is lost"
    if count == 1:
        return "1 change that looks like a fix is lost"
    return f"{count} changes that look like fixes are lost"


def _row(loss: Loss, faults: dict[str, Row], old: str, new: str) -> Row:
    line = loss.first
    known = _returns(loss, faults)
    why = f"a known fault is back: {known.message}" if known else ", ".join(loss.likeness.reasons)
    return Row(
        rule="lost-fix",
        verdict=Verdict.FAIL,
        message=f"{_spoken(loss)}: {why}",
        places=(within(new, line.there) if line.there.path else within(old, line.here),),
        hint=known.hint if known else "Pin a commit that has it, or accept it in [carry] accept.",
    )


def _spoken(loss: Loss) -> str:
    """Return how a loss is named, long enough to accept it; a hunk's file stands beside it."""
    if loss.commit is not None:
        return f"{loss.id[:SHORT]} {loss.title}"
    return f"{loss.id[:SHORT]} in {loss.title.partition(' in ')[0]}"


# Faults that smoke knows, and that the old build does not have.


def _package(material: Material, point: Point) -> Path | None:
    """Return the directory of a side's headers, where they lie in one."""
    if not point.given:
        return None
    if (directory := source_in(point)) is not None:
        return directory / "deep_gemm"
    named = material.old() if point is material.subject.old else material.new()
    return named.package if isinstance(named, Build) else None


def _faults(packages: Iterable[Path | None]) -> dict[str, Row]:
    """Return the faults that came with the move, by the name of the header that has them."""
    old, new = packages
    if old is None or new is None:
        return {}
    sound = {row.rule for row in _judged(old) if row.verdict is Verdict.PASS}
    return {
        Path(row.places[0].path).name: row
        for row in _judged(new)
        if row.verdict.is_finding and row.rule in sound
    }


def _judged(package: Path) -> Iterator[Row]:
    for arch in _FAMILIES:
        yield from headers.rows(package, arch=arch)


def _returns(loss: Loss, faults: dict[str, Row]) -> Row | None:
    """Return the fault that a loss brings back: its header, among the lines around the fault."""
    fault = faults.get(Path(loss.first.here.path).name)
    near = fault is not None and any(
        line.there.line and abs(line.there.line - fault.places[0].line) <= _NEAR
        for line in loss.lines
    )
    return fault if near else None


_NEAR = 3  # lines


# The two sides.


def _sides(material: Material) -> _Sides:
    """Return both sides as commits, with their history, where the mirrors have them.

    Raises:
        UnavailableError: neither commits nor directories are at hand.
    """
    subject = material.subject
    old, new = _points(material)
    if subject.mirrors is not None and old.commit and new.commit:
        try:
            return _Sides(_at(material, old), _at(material, new), _upstream(material))
        except UnavailableError:
            if not (old.given and new.given):
                raise
    if not (old.given and new.given):
        raise _NothingToCompareError(subject.known.why)
    return _Sides(_given(material, old), _given(material, new), None)


class _NothingToCompareError(UnavailableError):
    """Neither side's files are at hand."""

    hint = "Run it once with network; or name directories or builds with --old and --new."

    def __init__(self, why: str) -> None:
        super().__init__(f"the files of both sides are not at hand: {why}")


def _at(material: Material, point: Point) -> Side:
    mirrors = material.subject.mirrors
    if mirrors is None:
        raise _NothingToCompareError(material.subject.known.why)
    return sides.of_commit(mirrors.mirror(point.repo), point.commit, label=point.commit[:SHORT])


def _upstream(material: Material) -> Side | None:
    config, mirrors = material.subject.fit.config, material.subject.mirrors
    if config.upstream is None or mirrors is None:
        return None
    try:
        mirror = mirrors.mirror(config.upstream)
    except UnavailableError:
        return None  # every line of the old source counts then, and the answer says so
    return operands.tip(mirror, config.branch(config.upstream))


def _given(material: Material, point: Point) -> Side:
    directory = source_in(point)
    if directory is not None:
        return sides.of_directory(directory)
    package = _package(material, point)
    if package is None:
        raise _NothingToCompareError(f"{point.given} holds no package")
    return replace(sides.of_directory(package), label=point.given)
