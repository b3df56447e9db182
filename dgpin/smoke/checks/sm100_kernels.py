"""Which of Blackwell's kernels this build has at all."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome, UnsupportedError

CHECK = Check(
    id="sm100_kernels",
    guards="a sparse or fused kernel that Blackwell paths need is not in the build",
    call="getattr of the sparse MQA, mega MoE, mega MHC and mega gate entry points",
    reference="every one callable",
    arches=("sm_100", "sm_103"),
    limit=0,
    floor=0,
    metric="missing",
    capabilities=("sm100_kernels",),
    seconds=0.1,
)
NAMES = (
    "get_mqa_logits_metadata",
    "get_sparse_mqa_logits_metadata",
    "fp8_fp4_sparse_mqa_logits",
    "fp8_fp4_paged_sparse_mqa_logits",
    "fp8_fp4_mega_moe",
    "bf16_mega_moe",
    "mega_mhc",
    "bf16_mega_gate",
    "k_grouped_fp8_gemm_tn_contiguous",
)


def run(bench: Bench) -> Outcome:
    """Decline with the names that are missing; the control is a name that nobody has."""
    missing = [name for name in NAMES if not callable(getattr(bench.build, name, None))]
    if missing:
        raise UnsupportedError(f"the build has no {', '.join(missing)}")
    control = not callable(getattr(bench.build, "no_such_kernel", None))
    return Outcome(number=0, controls={"a name that nobody has": float(control)})
