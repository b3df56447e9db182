"""The fp8 product head by head."""

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
    id="fp8_einsum",
    guards="heads are mixed up, or the recipe is read otherwise",
    call=(
        "fp8_einsum('bhr,hdr->bhd', (x, sx), (y, sy), z, recipe=(1, 128, 128)), "
        "b, h, r, d = 37, 8, 4096, 1024"
    ),
    reference="the dequantised product of each head in float64",
    arches=("sm_90", "sm_100", "sm_103"),
    limit=1e-5,
    floor=0.1,
    ran_on=("sm_90",),
)
BATCH, HEADS, DEPTH, OUT = 37, 8, 4096, 1024


def run(bench: Bench) -> Outcome:
    """Compare the product; the control takes each head's neighbour for its weights."""
    x, y = bench.fp8_rows(BATCH, HEADS, DEPTH), bench.fp8_blocks(HEADS, OUT, DEPTH)
    out = bench.poisoned(BATCH, HEADS, OUT)

    def product(weights: tuple[Tensor, Tensor] = y) -> Tensor:
        bench.build.fp8_einsum("bhr,hdr->bhd", x, weights, out, recipe=(1, 128, 128))
        return out

    bench.first("fp8_einsum", product)
    by_head = matmul_nt(dequantise_rows(*x).transpose(0, 1), dequantise_blocks(*y))
    expected = by_head.transpose(0, 1)
    number = calc_diff(out, expected)
    differing = bench.differing(product, out)
    bench.time(product)
    neighbour = (roll(bench.torch, y[0], 0), roll(bench.torch, y[1], 0))
    control = calc_diff(product(neighbour), expected)
    return Outcome(number=number, controls={"heads rolled": control}, differing=differing)
