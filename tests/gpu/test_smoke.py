"""On a GPU: what level 0 reads and what the kernels do agree.

    DGPIN_GPU_BUILD=DIR [DGPIN_GPU_PYTHON=PYTHON] make test-gpu

DIR holds a `deep_gemm` that loads under PYTHON's torch.
"""

import os
from typing import Any

import pytest

from dgpin.smoke import catalogue, session
from dgpin.smoke.report import Report
from dgpin.smoke.session import Request
from dgpin.verdict import Verdict

# What one row of level 0 says, and the checks whose verdicts it foretells on Hopper.
FORETOLD = {
    "empty-batch": ("zero_meta_n1_b1024", "zero_meta_n1_b32"),
    "empty-request": ("mixed0_n1",),
    "next_n4": ("paged_n4_b64",),
    "block_kv32": ("paged_n1_b32",),
    "names": ("api",),
}


class Silent:
    """Follows a run without a word."""

    def begin(self, plans: object) -> None:
        pass

    def watch(self, label: str, event: object) -> None:
        pass


def smoke(**asked: Any) -> Report:
    """Run the checks on the build under test."""
    fields: dict[str, Any] = {
        "build": os.environ["DGPIN_GPU_BUILD"],
        "python": os.environ.get("DGPIN_GPU_PYTHON"),
        "env": dict(os.environ),
        **asked,
    }
    return session.run(Request(**fields), catalogue.load(), Silent())


@pytest.fixture(scope="module", name="runs")
def _runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Report]:
    os.environ["DGPIN_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    return smoke(level=1), smoke(level=1)


@pytest.fixture(scope="module", name="report")
def _report(runs: tuple[Report, Report]) -> Report:
    return runs[0]


def test_it_runs(report: Report) -> None:
    """The build loads, every check of the core answers, and none stays without a verdict."""
    assert "" == report.blocked
    assert report.ran is not None
    assert report.ran.trouble is None
    assert {Verdict.SKIP, Verdict.UNKNOWN}.isdisjoint(r.verdict for r in report.results)


def test_time(runs: tuple[Report, Report]) -> None:
    """With eight cores a run takes 30 seconds at most, and 10 once its kernels are compiled."""
    assert len(os.sched_getaffinity(0)) >= 8
    took = [report.ran.seconds for report in runs if report.ran]

    assert [True, True] == [took[0] <= 30, took[1] <= 10], took


def test_both_runs_agree(runs: tuple[Report, Report]) -> None:
    """What a build is found to be does not change from one run to the next."""
    first, second = ({r.check.id: r.verdict for r in each.results} for each in runs)

    assert first == second


def test_level_0_foretells(report: Report) -> None:
    """What was read without a GPU is what the GPU does."""
    assert "sm_90" == report.arch
    facts = {row.rule: row.verdict for row in report.facts}
    verdicts = {result.check.id: result.verdict for result in report.results}

    for rule, names in FORETOLD.items():
        for name in names if rule in facts else ():
            assert facts[rule] is verdicts[name], (rule, name)


def test_what_always_passes(report: Report) -> None:
    """The products pass on every build that there is: else the toolchain or the check is off."""
    everywhere = {"bf16_gemm_jit", "cublaslt", "fp8_gemm_ue8m0", "grouped_masked", "hc_prenorm"}
    passed = {result.check.id for result in report.results if result.verdict is Verdict.PASS}

    assert everywhere <= passed


@pytest.mark.usefixtures("report")
def test_a_build_against_itself() -> None:
    """Compared with itself, a build has neither got worse nor better, nor do its numbers move."""
    again = smoke(level=1, against=os.environ["DGPIN_GPU_BUILD"])

    assert {"same", "both"} >= {pair.difference.value for pair in again.pairs}


def test_a_fault_stays_alone() -> None:
    """A check that may fault leaves the others in its process's queue alone."""
    names = ("zero_meta_n1_b32", "zero_full_n1", "hc_prenorm")
    verdicts = {r.check.id: r.verdict for r in smoke(only=names, shards=1).results}

    assert Verdict.PASS is verdicts["hc_prenorm"]
