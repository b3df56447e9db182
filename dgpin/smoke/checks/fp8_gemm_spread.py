"""Dense fp8 product whose scales all differ a lot."""

from dgpin.smoke import gemm, operands
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="fp8_gemm_spread",
    guards="fp8_gemm_nt takes a neighbour's scale, which plain random data hides",
    call="fp8_gemm_nt((a, sa), (b, sb), d, disable_ue8m0_cast=True), scales times 2^-6 to 2^6",
    reference="the dequantised operands multiplied in float64",
    arches=("sm_90",),
    limit=1e-5,
    floor=0.1,
    ran_on=("sm_90",),
    seconds=0.5,
    family="fp8_gemm",
)


def run(bench: Bench) -> Outcome:
    """Compare the product."""
    torch = bench.torch
    a, sa = operands.fp8_rows(torch, bench.randn(33, 7168))
    b, sb = operands.fp8_blocks(torch, bench.randn(2112, 7168))
    left, right = (a, operands.spread(torch, sa)), (b, operands.spread(torch, sb))
    return gemm.compare(bench, left, right, casts=False)
