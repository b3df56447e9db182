"""A against B: every pair of answers has its word."""

import itertools

import pytest

from dgpin.smoke.case import Check
from dgpin.smoke.compare import Difference, judge
from dgpin.smoke.results import Result
from dgpin.verdict import Verdict

CHECK = Check(id="x", guards="x", call="x", reference="x", arches=("sm_90",), limit=1e-6)


def result(verdict: Verdict, number: float | None = None) -> Result:
    """Return an answer."""
    return Result(check=CHECK, verdict=verdict, number=number)


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (Verdict.PASS, Verdict.PASS, Difference.SAME),
        (Verdict.PASS, Verdict.FAIL, Difference.NEW_FAILURE),
        (Verdict.PASS, Verdict.CRASH, Difference.NEW_FAILURE),
        (Verdict.PASS, Verdict.TIMEOUT, Difference.NEW_FAILURE),
        (Verdict.PASS, Verdict.UNSUPPORTED, Difference.LOST),
        (Verdict.FAIL, Verdict.PASS, Difference.FIXED),
        (Verdict.FAIL, Verdict.FAIL, Difference.BOTH),
        (Verdict.FAIL, Verdict.CRASH, Difference.BOTH),
        (Verdict.FAIL, Verdict.UNSUPPORTED, Difference.BOTH),
        (Verdict.UNSUPPORTED, Verdict.PASS, Difference.GAINED),
        (Verdict.UNSUPPORTED, Verdict.UNSUPPORTED, Difference.SAME),
        (Verdict.UNSUPPORTED, Verdict.FAIL, Difference.NEW_FAILURE),
        (Verdict.SKIP, Verdict.FAIL, Difference.NEW_FAILURE),
        (Verdict.SKIP, Verdict.PASS, Difference.UNKNOWN),
        (Verdict.PASS, Verdict.SKIP, Difference.UNKNOWN),
    ],
)
def test_judge(old: Verdict, new: Verdict, difference: Difference) -> None:
    """Each pair of verdicts means one thing."""
    assert difference is judge(result(old), result(new))


@pytest.mark.parametrize(
    ("old", "new", "drifts"),
    [(1e-9, 1.2e-9, False), (1e-9, 2e-9, True), (2e-9, 1e-9, True), (0.0, 1e-9, True),
     (0.0, 0.0, False)],
)  # fmt: skip
def test_drift(old: float, new: float, drifts: bool) -> None:
    """Numbers that both pass and lie apart by more than rounding are shown."""
    found = judge(result(Verdict.PASS, old), result(Verdict.PASS, new))

    assert (Difference.DRIFT if drifts else Difference.SAME) is found


def test_a_build_against_itself() -> None:
    """No answer differs from itself."""
    for verdict, number in itertools.product(Verdict, (None, 0.0, 1e-9)):
        same = result(verdict, number)

        assert not judge(same, same).is_finding or verdict in {Verdict.SKIP, Verdict.UNKNOWN}
