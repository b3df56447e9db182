"""A chain of dependent kernels with and without programmatic dependent launch."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import fp8_rows
from dgpin.smoke.references import Tensor

CHECK = Check(
    id="pdl",
    guards="with PDL, as the host sets it, a kernel starts before its input is written",
    call="30 dependent fp8_gemm_nt behind get_mn_major_tma_aligned_tensor, PDL on, 5 times",
    reference="the same chain with PDL off, bit by bit",
    arches=("sm_90",),
    limit=0,
    floor=0,
    metric="runs that differ",
    ran_on=("sm_90",),
)
ROWS, SIZE, LINKS, RUNS = 64, 4096, 30, 5


def run(bench: Bench) -> Outcome:
    """Compare the chains' bits; the control starts one chain from other values."""
    torch, build = bench.torch, bench.build
    weights = bench.fp8_blocks(SIZE, SIZE, scale=0.02)
    start, out = bench.randn(ROWS, SIZE), bench.poisoned(ROWS, SIZE)

    def chain(links: int, x: Tensor = start) -> Tensor:
        for _ in range(links):
            a, scales = fp8_rows(torch, x)
            scales = build.get_mn_major_tma_aligned_tensor(scales)
            out.fill_(float("nan"))
            build.fp8_gemm_nt((a, scales), weights, out, disable_ue8m0_cast=True)
            x = out / out.float().std().to(out.dtype)
        return x.clone()

    before = build.get_pdl()
    try:
        build.set_pdl(False)
        bench.first("fp8_gemm_nt", lambda: chain(1))
        off = chain(LINKS)
        build.set_pdl(True)
        on = [chain(LINKS) for _ in range(RUNS)]
        other = chain(LINKS, start.roll(1, 0))
        bench.synchronize()
    finally:
        build.set_pdl(before)
    differ = sum(not _same(bench, x, off) for x in on)
    control = float(not _same(bench, other, off))
    broken = ("the chain ends in NaN",) if bool(torch.isnan(off).any()) else ()
    return Outcome(number=differ, controls={"rows rolled": control}, broken=broken)


def _same(bench: Bench, x: Tensor, y: Tensor) -> bool:
    byte = bench.torch.uint8
    return bool(bench.torch.equal(x.view(byte), y.view(byte)))
