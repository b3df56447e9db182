"""JUnit's form, read back as a CI server would."""

from collections import Counter

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from dgpin.render import smoke
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

TROUBLE = Trouble(where="build", explanation=explain("undefined symbol: _Z1f"), raw="")
ODD = "a\x00b\x1b[31m & <c> ]]> \ud83d"  # what a process may print, and XML cannot hold
REPORTS = {
    "every verdict": report(
        *(result(verdict.value, verdict, message=ODD, raw=ODD, seconds=1.25) for verdict in Verdict)
    ),
    "findings": report(PASSED, FAULTY, WRONG, DECLINED, facts=(FAILING_FACT,)),
    "facts alone": report(level=0, facts=(FAILING_FACT,)),
    "nothing could run": report(blocked="no GPU"),
    "not loaded": report(ran=ran(result("gemm", Verdict.SKIP), trouble=TROUBLE)),
}
# What CI shows for a verdict; the rest is a pass.
SHOWN = {
    Verdict.FAIL: Failure,
    Verdict.CRASH: Error,
    Verdict.TIMEOUT: Error,
    Verdict.UNSUPPORTED: Skipped,
    Verdict.SKIP: Skipped,
    Verdict.UNKNOWN: Skipped,
}


def verdicts(made: Report) -> list[Verdict]:
    """Return every answer that a report has, in its order."""
    start = [Verdict.UNKNOWN] if made.blocked else []
    start += [Verdict.FAIL] if made.ran is not None and made.ran.trouble is not None else []
    return [
        *(row.verdict for row in made.facts),
        *start,
        *(each.verdict for each in made.results),
    ]


def read(made: Report) -> TestSuite:
    """Return the suite that a reader of JUnit finds."""
    written = smoke.renderers(made)["junit"]()
    assert isinstance(written, str)
    (suite,) = JUnitXml.fromstring(written.encode())
    return suite


@pytest.mark.parametrize("name", REPORTS)
def test_counts(name: str) -> None:
    """Its counts are the report's, those that it states as well as those of its cases."""
    made = REPORTS[name]
    shown = Counter(SHOWN.get(verdict) for verdict in verdicts(made))
    expected = [shown.total(), shown[Failure], shown[Error], shown[Skipped]]

    stated = read(made)
    counted = read(made)
    counted.update_statistics()  # type: ignore[no-untyped-call]  # junitparser types half of itself

    for suite in (stated, counted):
        assert expected == [suite.tests, suite.failures, suite.errors, suite.skipped]
    assert pytest.approx(stated.time) == counted.time


@pytest.mark.parametrize("name", REPORTS)
def test_cases(name: str) -> None:
    """Each case has its answer, the word for it before the message."""
    made = REPORTS[name]
    cases: list[TestCase] = list(read(made))

    assert len({(case.classname, case.name) for case in cases}) == len(cases)
    for case, verdict in zip(cases, verdicts(made), strict=True):
        kinds = [type(each) for each in case.result]
        assert kinds == ([SHOWN[verdict]] if verdict in SHOWN else [])
        assert all(each.message.startswith(f"{verdict.value}: ") for each in case.result)
