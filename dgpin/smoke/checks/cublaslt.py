"""The cuBLASLt product that DeepGEMM wraps."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import Tensor, calc_diff, matmul_nt, worst

CHECK = Check(
    id="cublaslt",
    guards="the build is linked against another cuBLASLt than torch's, or lost the wrapper",
    call="cublaslt_gemm_nt(a[137, 4096], b[256, 4096], d), d in bf16 and in fp32",
    reference="the product in float64",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-5,
    ran_on=("sm_90",),
    seconds=0.5,
)


def run(bench: Bench) -> Outcome:
    """Compare both products; the control is the left rows rolled."""
    a, b = bench.randn(137, 4096), bench.randn(256, 4096)
    expected = matmul_nt(a, b)
    numbers, controls = {}, {}
    for name, kind in (("bf16", bench.torch.bfloat16), ("fp32", bench.torch.float32)):
        out = bench.poisoned(137, 256, dtype=kind)

        def product(left: Tensor = a, out: Tensor = out) -> Tensor:
            bench.build.cublaslt_gemm_nt(left, b, out)
            return out

        numbers[name] = calc_diff(bench.first("cublaslt_gemm_nt", product), expected)
        bench.time(product)
        controls[f"rows rolled, {name}"] = calc_diff(product(roll(bench.torch, a, 0)), expected)
    return Outcome(number=worst(numbers.values()), controls=controls, notes=numbers)
