"""One kind of change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dgpin.api.change import Comparison, Level

# rule, name below `deep_gemm.`, parameter
Found = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Code before and after, and every finding that it makes; none when it must stay quiet."""

    kind: str
    before: str
    after: str
    finds: tuple[Found, ...] = ()


def case(kind: str, before: str, after: str, *finds: str) -> Case:
    """Return a case; a finding is written `rule name parameter`, the last one left out at will."""
    rows = [tuple((*find.split(" ", 2), "", "")[:3]) for find in finds]
    return Case(kind=kind, before=before, after=after, finds=tuple(rows))  # type: ignore[arg-type]


def expected(cases: Iterable[Case]) -> frozenset[Found]:
    """Return every finding of a list of cases."""
    return frozenset(find for each in cases for find in each.finds)


def found(comparison: Comparison, *, added: bool = False) -> frozenset[Found]:
    """Return the findings of a comparison in the same form; names that are new only on request."""
    return frozenset(
        (c.rule, c.path.removeprefix("deep_gemm."), c.parameter)
        for c in comparison.changes
        if added or c.level is not Level.ADDED
    )


def joined(cases: Sequence[Case], side: str) -> str:
    """Return the code of all cases, `before` or `after`."""
    return "\n".join(str(getattr(each, side)) for each in cases) + "\n"
