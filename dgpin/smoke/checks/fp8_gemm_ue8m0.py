"""Dense fp8 product with power-of-two scales that all differ a lot."""

from dgpin.smoke import gemm, operands
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="fp8_gemm_ue8m0",
    guards="fp8_gemm_nt is wrong, or its scales are mixed up, with UE8M0 scales",
    call="fp8_gemm_nt((a, sa), (b, sb), d, disable_ue8m0_cast=False), M, N, K = 33, 2112, 7168",
    reference="the dequantised operands multiplied in float64",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-5,
    floor=0.1,
    ran_on=("sm_90",),
    family="fp8_gemm",
)


def run(bench: Bench) -> Outcome:
    """Compare the product."""
    torch = bench.torch
    a, sa = operands.fp8_rows(torch, bench.randn(33, 7168), pow2=True)
    b, sb = operands.fp8_blocks(torch, bench.randn(2112, 7168), pow2=True)
    left, right = (a, operands.spread(torch, sa)), (b, operands.spread(torch, sb))
    return gemm.compare(bench, left, right, casts=True)
