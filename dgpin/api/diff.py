"""A and B, from the words of a command line to a report."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from dgpin.api import allow, attempt, capabilities, compare, load, paper, witness
from dgpin.api.builds import Build
from dgpin.api.capabilities import Capabilities
from dgpin.api.change import Comparison
from dgpin.api.load import Side
from dgpin.api.locate import Named, Source
from dgpin.api.report import Report
from dgpin.api.surface import Surface
from dgpin.build.interpreter import Interpreter
from dgpin.config import Accepted
from dgpin.errors import DgpinError
from dgpin.pin import facts
from dgpin.verdict import Row, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One side of a comparison: what it is, and the interpreter that would load it."""

    named: Named
    python: Interpreter | None


def report(
    a: Question,
    b: Question,
    *,
    accepted: Sequence[Accepted],
    today: date,
    timeout: float = load.TIMEOUT,
) -> Report:
    """Compare two builds, two sources, or one of each.

    Raises:
        LoadError, BothFailedError: a build does not load.
        NoExtensionError, TwoBuildsError: there is nothing to load.
    """
    comparison = _compared(a, b, timeout=timeout)
    abilities = (_abilities(a.named), _abilities(b.named))
    return Report(
        comparison=comparison,
        allowed=allow.apply(accepted, comparison.changes, today=today),
        capabilities=abilities,
        moved=capabilities.compare(*abilities),
        disagreements=(
            *_disagreements(a.named, comparison.a),
            *_disagreements(b.named, comparison.b),
        ),
    )


def _disagreements(named: Named, surface: Surface) -> tuple[Row, ...]:
    """Hold a loaded build against its source, where that is at hand: they must agree."""
    if not isinstance(named, Build) or named.source is None or surface.static:
        return ()
    from dgpin.api.static import agreement, of_source  # noqa: PLC0415 - brings the C++ parser

    text = of_source(Source(label=named.label, tree=named.source))
    return tuple(
        Row(
            rule="build-disagrees",
            verdict=Verdict.FAIL,
            message=f"{named.label}: {what}",
            hint="The build was made from another source: build the commit again.",
        )
        for what in agreement.hold(surface, text).disagreements
    )


def _compared(a: Question, b: Question, *, timeout: float) -> Comparison:
    sides = [_side(question) for question in (a, b)]
    if sides[0] is not None and sides[1] is not None:
        first, second = load.both(sides[0], sides[1], timeout=timeout)
    else:
        first, second = (
            load.surface(side, timeout=timeout) if side is not None else _read(question)
            for side, question in zip(sides, (a, b), strict=True)
        )
    found = compare.compare(first, second)
    return witness.attach(found, (_attempt(sides[0], timeout), _attempt(sides[1], timeout)))


def _side(question: Question) -> Side | None:
    if isinstance(question.named, Source) or question.python is None:
        return None
    return Side(build=question.named, python=question.python)


def _read(question: Question) -> Surface:
    from dgpin.api import static  # noqa: PLC0415 - brings the C++ parser

    if isinstance(question.named, Build):
        return static.of_build(question.named)
    return static.of_source(question.named)


def _attempt(side: Side | None, timeout: float) -> witness.Attempt:
    if side is None:
        return paper.attempt
    return partial(attempt.attempt, side, timeout=timeout)


def _abilities(named: Named) -> Capabilities:
    if isinstance(named, Build):
        return capabilities.of_build(named)
    from dgpin.pin.derive import derive  # noqa: PLC0415 - only for source text

    known = facts.load(named.commit)
    if known is None:
        try:
            known = derive(named.tree, commit=named.commit)
        except DgpinError:
            return Capabilities()  # it cannot be told; the API can
        facts.store(known)
    return capabilities.of_source(known)
