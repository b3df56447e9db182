"""Level 0 on real builds: what it reads is what is known of them."""

import os
from pathlib import Path

import pytest

from dgpin.smoke import session
from dgpin.smoke.session import Request
from dgpin.verdict import Verdict
from tests.real import inputs


class Silent:
    """Follows a run without a word."""

    def begin(self, plans: object) -> None:
        pass

    def watch(self, label: str, event: object) -> None:
        pass


def judged(directory: Path) -> dict[str, Verdict]:
    """Return the verdict of each row about the build itself."""
    request = Request(
        build=str(directory), python=str(inputs.torch_python()), level=0, env=dict(os.environ)
    )
    report = session.run(request, (), Silent())
    about_the_build = {"names", "next_n4", "block_kv32", "empty-batch", "empty-request"}
    return {row.rule: row.verdict for row in report.facts if row.rule in about_the_build}


YES, NO, LACKS = Verdict.PASS, Verdict.FAIL, Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.6.1", {"names": YES, "next_n4": YES, "block_kv32": YES, "empty-batch": YES,
                   "empty-request": YES}),
        ("2.8.0", {"names": YES, "next_n4": LACKS, "block_kv32": LACKS, "empty-batch": NO}),
        ("2.8.2", {"names": NO, "next_n4": LACKS, "block_kv32": LACKS, "empty-batch": NO}),
    ],
)  # fmt: skip
def test_builds(version: str, expected: dict[str, Verdict]) -> None:
    """The builds on PyPI differ in what vLLM needs on Hopper, and it can be read from them."""
    assert expected == judged(inputs.build(version))


@pytest.mark.parametrize(("version", "sound"), [("0.29.0", YES), ("0.30.0", NO)])
def test_vllm_kernels(version: str, sound: Verdict) -> None:
    """The fault of vLLM 0.30's kernels behind empty requests is seen; 0.29's have it not."""
    found = judged(inputs.vendored(version))

    assert (YES, sound) == (found["empty-batch"], found["empty-request"])
