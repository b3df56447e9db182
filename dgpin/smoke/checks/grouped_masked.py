"""Grouped fp8 product with a row count for each group: the experts of a decode."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import (
    Tensor,
    calc_diff,
    dequantise_blocks,
    dequantise_rows,
    matmul_nt,
)

CHECK = Check(
    id="grouped_masked",
    guards="rows beyond a group's count are written, or those within are not",
    call=(
        "m_grouped_fp8_gemm_nt_masked((a, sa), (b, sb), d, masked_m, 90, "
        "disable_ue8m0_cast=True), 4 experts of 0/1/100/256 of 256 rows, N, K = 2048, 4096"
    ),
    reference="each group's dequantised product in float64; empty groups stay untouched",
    arches=("sm_90", "sm_100", "sm_103"),
    limit=1e-5,
    floor=0.1,
    ran_on=("sm_90",),
    seconds=3,
)
COUNTS = (0, 1, 100, 256)
EXPECTED_ROWS = 90


def run(bench: Bench) -> Outcome:
    """Compare the rows in use; the control takes each expert's neighbour for its weights."""
    torch = bench.torch
    a, b = bench.fp8_rows(len(COUNTS), 256, 4096), bench.fp8_blocks(len(COUNTS), 2048, 4096)
    counts = bench.guarded(bench.integers(COUNTS))
    out = bench.poisoned(len(COUNTS), 256, 2048)

    def used(x: Tensor) -> Tensor:
        return torch.cat([x[group, :count] for group, count in enumerate(COUNTS)])

    def product(weights: tuple[Tensor, Tensor] = b, rows: Tensor = counts) -> Tensor:
        bench.build.m_grouped_fp8_gemm_nt_masked(
            a, weights, out, rows, EXPECTED_ROWS, disable_ue8m0_cast=not bench.needs_pow2
        )
        return used(out)

    got = bench.first("m_grouped_fp8_gemm_nt_masked", product)
    expected = used(matmul_nt(dequantise_rows(*a), dequantise_blocks(*b)))
    broken = []
    if not bool(torch.isnan(out[0]).all()):
        broken.append("a group of no rows was written")
    number, differing = calc_diff(got, expected), bench.differing(product, got)
    bench.time(product)
    neighbour = (roll(torch, b[0], 0), roll(torch, b[1], 0))
    out.fill_(float("nan"))
    control = calc_diff(product(neighbour), expected)
    out.fill_(float("nan"))
    product(rows=bench.integers([0] * len(COUNTS)))
    bench.synchronize()
    if not bool(torch.isnan(out).all()):
        broken.append("a batch of no rows at all was written")
    return Outcome(
        number=number,
        controls={"weights of the neighbour": control},
        broken=tuple(broken),
        differing=differing,
    )
