"""A pass needs a number under its limit, controls over theirs, and nothing broken."""

import pytest

from dgpin.smoke.case import Check, Outcome, judge

CHECK = Check(
    id="gemm", guards="x", call="x", reference="x", arches=("sm_90",), limit=1e-5, floor=0.1
)
NAN = float("nan")


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome(number=1e-6, controls={"rolled": 0.7}), ""),
        (Outcome(number=1e-5, controls={"rolled": 0.7}), ""),
        (Outcome(number=0.0), ""),
        (Outcome(number=2e-5), "calc_diff 2e-05 is over the limit 1e-05"),
        (Outcome(number=NAN), "calc_diff nan is over the limit 1e-05"),
        (
            Outcome(number=0.0, controls={"rolled": 0.7, "swapped": 0.1}),
            "a wrong operand was not noticed (swapped 0.1): the check proves nothing",
        ),
        (
            Outcome(number=0.0, controls={"rolled": NAN}),
            "a wrong operand was not noticed (rolled nan): the check proves nothing",
        ),
        (Outcome(number=0.0, broken=("one", "two")), "one; two"),
        (Outcome(number=0.0, differing=2), "2 repeated calls differ in their bits"),
    ],
)
def test_judge(outcome: Outcome, why: str) -> None:
    """Whatever keeps an outcome from being a pass is said."""
    assert why == judge(CHECK, outcome)
