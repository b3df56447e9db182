"""Exit codes, and what a run proves."""

import pytest

from dgpin.smoke.explain import explain
from dgpin.smoke.report import Report
from dgpin.smoke.results import Trouble
from dgpin.verdict import Verdict
from tests.smoke.reports import (
    DECLINED,
    FAILING_FACT,
    FAULTY,
    PASSED,
    WRONG,
    ran,
    report,
    result,
)

SKIPPED = result("skipped", Verdict.SKIP)
TROUBLE = Trouble(where="build", explanation=explain("undefined symbol: _Z1f"), raw="")


@pytest.mark.parametrize(
    ("made", "code", "proven"),
    [
        (report(PASSED), 0, ("sm_90",)),
        (report(PASSED, DECLINED), 0, ("sm_90",)),
        (report(DECLINED), 3, ()),
        (report(PASSED, WRONG), 1, ()),
        (report(PASSED, facts=(FAILING_FACT,)), 1, ()),
        (report(level=0), 0, ()),
        (report(level=0, facts=(FAILING_FACT,)), 1, ()),
        (report(blocked="no GPU"), 3, ()),
        (report(blocked="no GPU", facts=(FAILING_FACT,)), 1, ()),
        (report(ran=ran(trouble=TROUBLE)), 1, ()),
    ],
)
def test_exit_code(made: Report, code: int, proven: tuple[str, ...]) -> None:
    """A finding beats what could not be done, and only a pass proves anything."""
    assert code == made.exit_code()
    assert proven == made.proven
    assert set(made.unproven) == {"sm_90", "sm_100", "sm_103", "sm_120"} - set(proven)


@pytest.mark.parametrize(
    ("made", "proven"),
    [
        (report(PASSED, DECLINED, core=frozenset({"gemm", "paged"})), ("sm_90",)),
        (report(PASSED, core=frozenset({"gemm", "paged"})), ()),
        (report(PASSED, SKIPPED, core=frozenset({"gemm", "skipped"})), ()),
        (report(PASSED, SKIPPED, core=frozenset({"gemm"})), ("sm_90",)),
    ],
)
def test_proven(made: Report, proven: tuple[str, ...]) -> None:
    """An architecture is proven when each check of its core was answered."""
    assert proven == made.proven


def test_against() -> None:
    """Against an older build, only what became worse is a finding."""
    old_fault = ran(PASSED, FAULTY)

    assert 0 == report(PASSED, FAULTY, old=old_fault).exit_code()
    assert 1 == report(PASSED, FAULTY, old=ran(PASSED, PASSED_TWICE)).exit_code()
    assert 0 == report(PASSED, FAULTY, old=old_fault, facts=(FAILING_FACT,)).exit_code()


PASSED_TWICE = type(FAULTY)(check=FAULTY.check, verdict=PASSED.verdict)
