"""`dgpin carry` on the real history of DeepGEMM and on real packages of it.

`DGPIN_DEEPGEMM_REPO` is the path of a clone of deepseek-ai/DeepGEMM that has the branches `main`
and `nv_dev`; the releases are fetched by pip, as in tests/real.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from dgpin import process
from tests.real import inputs

NV_DEV = "a6b593d2826719dcf4892609af7b84ee23aaf32a"
UPSTREAM = "54e22612409371d6364144b69086735beb54e98b"  # main, 2.6.1
CLAMP = "07a044c4cab056ce8a18ea32c4418f229c33c8f9"
LIMIT = 3.0  # seconds, with the mirror at hand


@pytest.fixture
def repository() -> str:
    """Return the clone."""
    path = os.environ.get("DGPIN_DEEPGEMM_REPO", "")
    assert Path(path or "?").is_dir(), "set DGPIN_DEEPGEMM_REPO to a clone of DeepGEMM"
    return path


def _carry(*words: str) -> tuple[float, dict[str, Any]]:
    """Run the command as a user does, and return the seconds and the answer."""
    began = time.monotonic()
    done = process.run(["dgpin", "carry", *words, "--json"], env=dict(os.environ))
    took = time.monotonic() - began
    assert 1 == done.returncode, done.tail
    answer: dict[str, Any] = json.loads(done.stdout)
    return took, answer


def test_lost_clamp(repository: str) -> None:
    """The clamp that 2.8.2 lacks is among the first five, with the line where it is missing."""
    words = (NV_DEV, str(inputs.source("2.8.2")), "--repo", repository, "--upstream", UPSTREAM)
    _carry(*words)

    took, answer = _carry(*words)

    (clamp,) = (loss for loss in answer["losses"][:5] if loss["id"] == CLAMP)
    (line,) = clamp["lines"]
    assert ("sm90_paged_mqa_logits.cuh", 111, "const uint32_t q_idx = lo;") == (
        Path(line["there"]["path"]).name,
        line["there"]["line"],
        line["now"],
    )
    assert "min(lo, batch_size - 1)" in line["text"]
    assert took < LIMIT


def test_dropped_architecture(repository: str) -> None:
    """The SM120 kernels of nv_dev, which 2.8.2 has not, are one row."""
    words = (NV_DEV, str(inputs.source("2.8.2")), "--repo", repository, "--upstream", UPSTREAM)

    _, answer = _carry(*words)

    assert ("architecture", "sm_120") == tuple(
        answer["families"][0][key] for key in ("kind", "name")
    )
    assert not [family for family in answer["families"] if "sm120" in family["name"]]


def test_prefetch_in_packages() -> None:
    """Between the packages of vLLM 0.29.0 and 0.30.0 the prefetch that changed is among ten."""
    old, new = (str(inputs.vendored(version) / "deep_gemm") for version in ("0.29.0", "0.30.0"))

    took, answer = _carry(old, new)

    found = [
        line
        for loss in answer["losses"][:10]
        for line in loss["lines"]
        if line["here"]["path"].endswith("sm90_fp8_paged_mqa_logits.cuh")
    ]
    assert {
        "issue_tma_q(q_stage_idx, next_q_idx);": "issue_tma_q(q_stage_idx, q_idx + 1);",
        "if (fetched_next_task and q_idx != next_q_idx) {": None,
    }.items() <= {line["text"]: line["now"] for line in found}.items()
    assert took < LIMIT
