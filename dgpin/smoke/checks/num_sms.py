"""Dense fp8 product on half of the SMs: the host's dual-batch overlap."""

from dgpin.smoke import gemm, operands
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="num_sms",
    guards="a kernel that was given fewer SMs leaves part of its output out",
    call="set_num_sms(half); fp8_gemm_nt((a, sa), (b, sb), d), M, N, K = 300, 2112, 2048",
    reference="the dequantised operands multiplied in float64",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-5,
    floor=0.1,
    level=SWEEP,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare the product."""
    torch = bench.torch
    a, sa = operands.fp8_rows(torch, bench.randn(300, 2048), pow2=True)
    b, sb = operands.fp8_blocks(torch, bench.randn(2112, 2048), pow2=True)
    left, right = (a, operands.spread(torch, sa)), (b, operands.spread(torch, sb))
    everything = bench.build.get_num_sms()
    bench.build.set_num_sms(everything // 2)
    try:
        return gemm.compare(bench, left, right, casts=True)
    finally:
        bench.build.set_num_sms(everything)
