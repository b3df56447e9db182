"""Dense bf16 product by DeepGEMM's own kernel."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import Tensor, calc_diff, matmul_nt

CHECK = Check(
    id="bf16_gemm_jit",
    guards="the bf16 kernel is wrong; 2.8 hides it behind cuBLASLt unless asked for determinism",
    call="use_deterministic_algorithms(True); bf16_gemm_nt(a[137, 4096], b[2112, 4096], d)",
    reference="the product in float64",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-5,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare the product; the control is the left rows rolled."""
    own_kernel = getattr(bench.build, "use_deterministic_algorithms", lambda _: None)
    own_kernel(True)
    try:
        return _compare(bench)
    finally:
        own_kernel(False)


def _compare(bench: Bench) -> Outcome:
    a, b = bench.randn(137, 4096), bench.randn(2112, 4096)
    out = bench.poisoned(137, 2112)

    def product(left: Tensor = a) -> Tensor:
        bench.build.bf16_gemm_nt(left, b, out)
        return out

    bench.first("bf16_gemm_nt", product)
    expected = matmul_nt(a, b)
    number = calc_diff(out, expected)
    differing = bench.differing(product, out)
    bench.time(product)
    control = calc_diff(product(roll(bench.torch, a, 0)), expected)
    return Outcome(number=number, controls={"rows rolled": control}, differing=differing)
