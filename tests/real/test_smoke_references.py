"""The checks themselves, on the CPU, against builds of plain torch: sound, and with faults."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dgpin.smoke import catalogue
from tests.real import inputs

SCRIPT = Path(__file__).parent / "smoke" / "on_cpu.py"
ROOT = Path(__file__).parents[2]
# These ask for CUDA, for what a real build holds, or for an order of kernels.
NOT_HERE = frozenset({"api", "fp8_gemm_packed", "graph", "pdl", "sm100_kernels", "sm100_only"})
# And these are mixed0_n1 with other lengths, half a minute each.
ALIKE = frozenset({"head0", "mixed0_long", "mixed0_n2", "mixed0_n4", "tail0"})
SOUND = tuple(check.id for check in catalogue.load() if check.id not in NOT_HERE | ALIKE)
RISKY = frozenset(check.id for check in catalogue.load() if check.may_fault)


def on_cpu(checks: str, *faults: str) -> dict[str, Any]:
    """Run checks against the fake build under an interpreter that has torch."""
    done = subprocess.run(
        [inputs.torch_python(), SCRIPT, ROOT, checks, *faults],
        capture_output=True, text=True, check=True, timeout=3600,
    )  # fmt: skip
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


@pytest.fixture(scope="module", name="sound")
def _sound(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Run, in one process, those checks that this session asks about."""
    named = {item.name for item in request.session.items}
    return on_cpu(",".join(n for n in SOUND if f"test_sound_build_passes[{n}]" in named))


@pytest.mark.parametrize("name", SOUND)
def test_sound_build_passes(sound: dict[str, Any], name: str) -> None:
    """Against a sound build each check passes; those that may fault want the device alone."""
    assert "" == sound[name]["why"]
    assert (name in RISKY) == sound[name]["alone"]


@pytest.mark.parametrize(
    ("name", "fault", "why"),
    [
        ("mixed0_n1", "stale query", "calc_diff 0.3 is over the limit 1e-06"),
        ("situ_mega_moe", "scales swapped", "calc_diff 0.137 is over the limit 0.001"),
        ("fp8_gemm_spread", "last row unwritten", "calc_diff nan is over the limit 1e-05"),
        ("bf16_gemm_jit", "race", "1 repeated calls differ in their bits"),
        ("grouped_masked", "one row too many", "a group of no rows was written; "),
        ("einsum_bmk", "a batch left out", "calc_diff 0.00"),
        (
            "config",
            "settings ignored",
            "get_mk_alignment_for_contiguous_layout answers 128 after 64 was set",
        ),
    ],
)
def test_fault_is_found(name: str, fault: str, why: str) -> None:
    """Each known fault of a build fails the check that is there for it."""
    assert on_cpu(name, fault)[name]["why"].startswith(why)


def test_right_and_swapped_scales() -> None:
    """SiTU differs by rounding alone from its reference, and by 0.1 from the swapped one."""
    answer = on_cpu("situ_mega_moe")["situ_mega_moe"]

    assert 3e-4 < answer["number"] < 4e-4
    assert answer["controls"]["scales swapped"] > 0.1


def test_what_upstream_declines() -> None:
    """A build without the forks' shapes declines them with an assertion, as on Hopper."""
    answers = on_cpu("paged_n4_b64,paged_n1_b32", "hopper of upstream")

    assert answers["paged_n4_b64"]["raised"].endswith("next_n == 1 or next_n == 2")
    assert answers["paged_n1_b32"]["raised"].endswith("block_kv == 64")
