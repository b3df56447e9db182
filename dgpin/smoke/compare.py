"""A against B: what each check's two answers mean together."""

from dataclasses import dataclass
from enum import Enum

from dgpin.smoke.results import Ran, Result
from dgpin.verdict import Verdict

# Seeds are fixed and the kernels' bits repeat, so two builds of one kernel give one number. A
# reordered sum moves it by some percent; a third is no rounding any more.
DRIFT = 1.33


class Difference(str, Enum):
    """What became of a check from OLD to NEW."""

    NEW_FAILURE = "new failure"
    LOST = "lost"  # passed, and is now unsupported
    FIXED = "fixed"
    GAINED = "gained"  # was unsupported, and passes now
    BOTH = "both"  # the old build fails too: not this bump's doing
    DRIFT = "drift"  # both pass, with numbers apart by more than rounding
    SAME = "same"
    UNKNOWN = "unknown"  # one side did not run

    @property
    def is_finding(self) -> bool:
        """Whether the new build is worse."""
        return self in {Difference.NEW_FAILURE, Difference.LOST}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One check's answers from both builds."""

    old: Result
    new: Result
    difference: Difference


def compare(old: Ran, new: Ran) -> tuple[Pair, ...]:
    """Pair the answers check by check; both ran the same list."""
    before = {result.check.id: result for result in old.results}
    return tuple(
        Pair(old=before[each.check.id], new=each, difference=judge(before[each.check.id], each))
        for each in new.results
    )


def judge(old: Result, new: Result) -> Difference:
    """Return what became of a check."""
    idle = {Verdict.SKIP, Verdict.UNKNOWN}
    if old.verdict in idle or new.verdict in idle:
        # A failure counts even where the old side has nothing to say.
        return Difference.NEW_FAILURE if new.verdict.is_finding else Difference.UNKNOWN
    if new.verdict.is_finding:
        return Difference.BOTH if old.verdict.is_finding else Difference.NEW_FAILURE
    if old.verdict.is_finding:
        # What failed and is declined now serves the host as little as before.
        return Difference.FIXED if new.verdict is Verdict.PASS else Difference.BOTH
    if new.verdict is not old.verdict:
        return Difference.GAINED if new.verdict is Verdict.PASS else Difference.LOST
    return Difference.DRIFT if _drifted(old.number, new.number) else Difference.SAME


def _drifted(old: float | None, new: float | None) -> bool:
    if not old or not new:
        return (old or 0) != (new or 0)
    return max(old, new) > DRIFT * min(old, new)
