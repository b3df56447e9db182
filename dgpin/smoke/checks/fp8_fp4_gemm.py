"""Dense product of fp8 and fp4."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import fp4_rows, fp8_rows, roll, spread
from dgpin.smoke.references import Tensor, calc_diff, dequantise_rows, matmul_nt

CHECK = Check(
    id="fp8_fp4_gemm",
    guards="the two values of an fp4 byte change places, or their scales are mixed up",
    call=(
        "fp8_fp4_gemm_nt((a, sa), (b, sb), d, recipe_a=(1, 128), recipe_b=(1, 32)), b packed "
        "e2m1, M, N, K = 33, 2112, 4096"
    ),
    reference="the dequantised operands multiplied in float64",
    arches=("sm_100", "sm_103", "sm_120"),
    limit=1e-5,
    floor=0.1,
    capabilities=("fp4",),
)


def run(bench: Bench) -> Outcome:
    """Compare the product; the controls are the scales rolled and the nibbles swapped."""
    torch = bench.torch
    values, scales = fp8_rows(torch, bench.randn(33, 4096), pow2=True)
    a = (values, spread(torch, scales))
    packed, plain, exact = fp4_rows(torch, bench.randn(2112, 4096))
    wide = spread(torch, plain)
    ratio = (wide / plain).double().repeat_interleave(32, -1)
    b = (packed, wide)
    out = bench.poisoned(33, 2112)

    def product(right: tuple[Tensor, Tensor] = b) -> Tensor:
        bench.build.fp8_fp4_gemm_nt(a, right, out, recipe_a=(1, 128), recipe_b=(1, 32))
        return out

    got = bench.first("fp8_fp4_gemm_nt", product)
    expected = matmul_nt(dequantise_rows(*a), exact.double() * ratio)
    number = calc_diff(got, expected)
    differing = bench.differing(product, got)
    bench.time(product)
    raw = packed.view(torch.uint8)
    swapped = ((raw >> 4) | (raw << 4)).view(torch.int8)
    controls = {
        "scales rolled": calc_diff(product((packed, roll(torch, wide, -1))), expected),
        "nibbles swapped": calc_diff(product((swapped, wide)), expected),
    }
    return Outcome(number=number, controls=controls, differing=differing)
