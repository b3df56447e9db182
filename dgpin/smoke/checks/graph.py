"""Capture in a CUDA graph, replay with other inputs: the host's decode path."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import calc_diff, dequantise_blocks, dequantise_rows, matmul_nt, worst

CHECK = Check(
    id="graph",
    guards="a captured kernel keeps an address, a size or a schedule of its capture",
    call="fp8_gemm_nt and get_paged_mqa_logits_metadata captured once, replayed with new inputs",
    reference="the dequantised product in float64, and the invariants of the schedule",
    arches=("sm_90", "sm_100", "sm_103"),
    limit=1e-5,
    floor=0.1,
    ran_on=("sm_90",),
    seconds=1,
    family="fp8_gemm",
)
ROWS, COLUMNS, DEPTH = 33, 2112, 7168


def run(bench: Bench) -> Outcome:
    """Compare each replay; the control is the left rows rolled."""
    torch, cuda = bench.torch, bench.torch.cuda
    a, b = bench.fp8_rows(ROWS, DEPTH), bench.fp8_blocks(COLUMNS, DEPTH)
    out = bench.poisoned(ROWS, COLUMNS)
    context = bench.integers([[777]] * 64)

    def body() -> object:
        bench.build.fp8_gemm_nt(a, b, out, disable_ue8m0_cast=not bench.needs_pow2)
        return paged.schedule(bench, context, 64)

    aside = cuda.Stream()
    aside.wait_stream(cuda.current_stream())
    with cuda.stream(aside):
        bench.first("fp8_gemm_nt", body)
    cuda.current_stream().wait_stream(aside)
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        made = body()
    numbers, faults = [], []
    for length in (50, 150, 250, 350):
        fresh = bench.fp8_rows(ROWS, DEPTH)
        for kept, new in zip(a, fresh, strict=True):
            kept.copy_(new)
        context.fill_(length)
        out.fill_(float("nan"))
        graph.replay()
        bench.synchronize()
        numbers.append(calc_diff(out, matmul_nt(dequantise_rows(*a), dequantise_blocks(*b))))
        faults.append(paged.schedule_faults(bench, made, context))
    rolled = dequantise_rows(roll(torch, a[0], 0), roll(torch, a[1], 0))
    control = calc_diff(out, matmul_nt(rolled, dequantise_blocks(*b)))
    return Outcome(
        number=worst(numbers),
        controls={"rows rolled": control},
        broken=tuple(sorted({fault for fault in faults if fault})),
    )
