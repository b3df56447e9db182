"""Grouped fp8 product over contiguous rows: the experts of a prefill."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import align
from dgpin.smoke.references import (
    Tensor,
    calc_diff,
    dequantise_blocks,
    dequantise_rows,
    grouped_nt,
)

CHECK = Check(
    id="grouped_contig",
    guards="rows go to the wrong expert, or padding rows are read past the index",
    call=(
        "m_grouped_fp8_gemm_nt_contiguous((a, sa), (b, sb), d, m_indices, "
        "disable_ue8m0_cast=True), 4 experts, 128/0/300/77 rows, N, K = 2048, 4096"
    ),
    reference="each row's dequantised product with its expert, in float64; padding rows aside",
    arches=("sm_90", "sm_100", "sm_103"),
    limit=1e-5,
    floor=0.1,
    ran_on=("sm_90",),
    seconds=4,
)
ROWS = (128, 0, 300, 77)


def run(bench: Bench) -> Outcome:
    """Compare the rows that belong to an expert; the control gives each to the next one."""
    torch, build = bench.torch, bench.build
    step = build.get_mk_alignment_for_contiguous_layout()
    owners: list[int] = []
    for expert, count in enumerate(ROWS):
        owners += [expert] * count + [-1] * (align(count, step) - count)
    index = bench.guarded(bench.integers(owners))
    used = index >= 0
    a, b = bench.fp8_rows(len(owners), 4096), bench.fp8_blocks(len(ROWS), 2048, 4096)
    out = bench.poisoned(len(owners), 2048)

    def product(rows: Tensor = index) -> Tensor:
        build.m_grouped_fp8_gemm_nt_contiguous(
            a, b, out, rows, disable_ue8m0_cast=not bench.needs_pow2
        )
        return out[used]

    got = bench.first("m_grouped_fp8_gemm_nt_contiguous", product)
    expected = grouped_nt(dequantise_rows(*a), dequantise_blocks(*b), index)[used]
    number = calc_diff(got, expected)
    differing = bench.differing(product, got)
    bench.time(product)
    out.fill_(float("nan"))
    shifted = torch.where(used, (index + 1) % len(ROWS), index).int().contiguous()
    control = calc_diff(product(shifted), expected)
    return Outcome(
        number=number,
        controls={"experts shifted by one": control},
        differing=differing,
        notes={"row_alignment": step},
    )
