"""Dense fp8 product with the left scales as the host's quantiser leaves them."""

from dgpin.smoke import gemm, operands
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="fp8_gemm_columns",
    guards="scales that come in TMA's layout already are transposed again",
    call="fp8_gemm_nt with column-major, aligned left scales, M, N, K = 1024, 4096, 2048",
    reference="the dequantised operands multiplied in float64",
    arches=("sm_90",),
    limit=1e-5,
    floor=0.1,
    level=SWEEP,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare the product."""
    torch = bench.torch
    a, sa = operands.fp8_rows(torch, bench.randn(1024, 2048))
    b, sb = operands.fp8_blocks(torch, bench.randn(4096, 2048))
    sa = operands.spread(torch, sa).T.contiguous().T  # 1024 rows need no padding
    return gemm.compare(bench, (a, sa), (b, operands.spread(torch, sb)), casts=False)
