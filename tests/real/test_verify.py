"""The move of vLLM 0.29's pin to that of 0.30, verified with the builds inside the wheels."""

import json
import resource
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from dgpin import process
from dgpin.cli import app
from tests.real import inputs, moves

FORK = "https://github.com/vllm-project/DeepGEMM"


class Told(NamedTuple):
    """What one run said, and how long another took."""

    code: int
    screen: str
    evidence: Path
    seconds: float  # of processor time, of the second of two runs in a row


@pytest.fixture(name="told", scope="module")
def _told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Verify; the repositories are in no reach, so the cache knows both commits' facts."""
    root = tmp_path_factory.mktemp("verify")
    words = [
        "verify",
        moves.NEW[:8],
        "--repo",
        FORK,
        "--host",
        str(inputs.host("0.29.0")),
        "--old",
        str(inputs.vendored("0.29.0")),
        "--new",
        str(inputs.vendored("0.30.0")),
        "--python",
        str(inputs.torch_python()),
        "--offline",
    ]
    evidence = root / "evidence.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(root / "cache"))
        moves.store_facts()
        code = app.main([*words, "-o", f"text={root / 'screen'}", "-o", f"json={evidence}"])
        command = [sys.executable, "-m", "dgpin", *words]
        process.run(command)
        began = _spent()
        again = process.run(command)
        seconds = _spent() - began
    assert code == again.returncode
    screen = (root / "screen").read_text()
    return Told(code=code, screen=screen, evidence=evidence, seconds=seconds)


def _spent() -> float:
    """Return the processor time of all children, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_verdict(told: Told) -> None:
    """Findings beat what could not be told."""
    assert 1 == told.code


@pytest.mark.parametrize(
    "text",
    [
        "vllm/models/kimi_k3/nvidia/model.py:509",  # the two breaks
        "fp8_m_grouped_gemm_nt_masked",
        "vllm/utils/deep_gemm.py:496",
        "sm90_fp8_paged_mqa_logits: a known f",  # the Q prefetch
        "the new source also needs elfutils-devel (rpm)",
        "the source needs GCC 13; the host declares 11.3",
        "not proved on sm_90, sm_100, sm_120: there is no GPU here",
        "can be done where there is GCC 13",
    ],
)
def test_the_screen_names(told: Told, text: str) -> None:
    """A reviewer sees it without a second command."""
    assert text in told.screen


def test_one_screen(told: Told) -> None:
    """Forty lines of a hundred columns."""
    lines = told.screen.splitlines()

    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


def test_the_lost_fix_comes_first(told: Told) -> None:
    """Of all lost changes, the one that brings back a fault that smoke knows."""
    steps = {step["step"]: step for step in json.loads(told.evidence.read_text())["steps"]}
    first = steps["carry"]["rows"][0]

    assert first["message"].endswith(
        "a known fault is back: empty requests are skipped, yet the query after the current one "
        "is fetched"
    )
    assert (
        f"{moves.NEW[:8]}:deep_gemm/include/deep_gemm/impls/sm90_fp8_paged_mqa_logits.cuh"
        == (first["places"][0]["path"])
    )


def test_nothing_else_breaks(told: Told) -> None:
    """Exactly two names break in the host, and one call was broken before."""
    steps = {step["step"]: step for step in json.loads(told.evidence.read_text())["steps"]}
    failed = {
        name: [row["message"].partition(" ")[0] for row in step["rows"] if row["verdict"] == "fail"]
        for name, step in steps.items()
    }

    assert ["fp8_fp4_mega_moe", "fp8_m_grouped_gemm_nt_masked"] == failed["diff-api"]
    assert ["get_k_grouped_mn_major_tma_aligned_packed_ue8m0_tensor:"] == failed["lint"]


def test_a_second_run_is_quick(told: Told) -> None:
    """What was read once is not read again: a second of work, and more where others work too."""
    assert told.seconds < 2
