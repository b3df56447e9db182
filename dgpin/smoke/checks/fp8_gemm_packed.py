"""Dense fp8 product whose scales come packed, four exponents an int32."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import fp8_blocks, fp8_rows, pack_ue8m0, spread
from dgpin.smoke.references import (
    Tensor,
    calc_diff,
    dequantise_blocks,
    dequantise_rows,
    matmul_nt,
)

CHECK = Check(
    id="fp8_gemm_packed",
    guards="packed exponents are read as floats, or in another order",
    call="fp8_gemm_nt((a, packed sa), (b, packed sb), d), M, N, K = 132, 2112, 7168",
    reference="the dequantised operands multiplied in float64",
    arches=("sm_100", "sm_103", "sm_120"),
    limit=1e-5,
    floor=0.1,
    capabilities=("packed_ue8m0",),
)


def run(bench: Bench) -> Outcome:
    """Compare the product; the control is the left exponents rolled before they are packed."""
    torch = bench.torch
    values, scales = fp8_rows(torch, bench.randn(132, 7168), pow2=True)
    scales = spread(torch, scales)
    weights, block_scales = fp8_blocks(torch, bench.randn(2112, 7168), pow2=True)
    block_scales = spread(torch, block_scales)
    # The kernel wants one scale a row, also for the operand that is scaled in blocks.
    by_row = block_scales.repeat_interleave(128, 0)[:2112]
    right = (weights, pack_ue8m0(torch, by_row))
    out = bench.poisoned(132, 2112)

    def product(left: Tensor = scales) -> Tensor:
        bench.build.fp8_gemm_nt((values, pack_ue8m0(torch, left)), right, out)
        return out

    got = bench.first("fp8_gemm_nt", product)
    expected = matmul_nt(dequantise_rows(values, scales), dequantise_blocks(weights, block_scales))
    number = calc_diff(got, expected)
    differing = bench.differing(product, got)
    bench.time(product)
    control = calc_diff(product(scales.roll(1, -1)), expected)
    return Outcome(number=number, controls={"exponents rolled": control}, differing=differing)
