"""Dense fp8 products: what several checks have in common."""

from typing import Any

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import Tensor, calc_diff, dequantise_blocks, dequantise_rows, matmul_nt

Scaled = tuple[Tensor, Tensor]


def compare(bench: Bench, a: Scaled, b: Scaled, *, casts: bool) -> Outcome:
    """Compare `fp8_gemm_nt` with the product of its dequantised operands.

    Controls: the left scales rolled along K, the right ones along both axes.
    """
    out = bench.poisoned(a[0].shape[0], b[0].shape[0])

    def product(left: Scaled = a, right: Scaled = b) -> Tensor:
        bench.build.fp8_gemm_nt(left, right, out, disable_ue8m0_cast=not casts)
        return out

    bench.first("fp8_gemm_nt", product)
    expected = matmul_nt(dequantise_rows(*a), dequantise_blocks(*b))
    number = calc_diff(out, expected)
    differing = bench.differing(product, out)
    wrong: dict[str, Any] = {
        "left scales rolled along K": (_rolled(bench, a, -1), b),
        "right scales rolled along N": (a, _rolled(bench, b, 0)),
        "right scales rolled along K": (a, _rolled(bench, b, 1)),
    }
    controls = {}
    for name, (left, right) in wrong.items():
        out.fill_(float("nan"))
        controls[name] = calc_diff(product(left, right), expected)
    bench.time(product)
    return Outcome(number=number, controls=controls, differing=differing)


def _rolled(bench: Bench, operand: Scaled, dim: int) -> Scaled:
    return operand[0], roll(bench.torch, operand[1], dim)
