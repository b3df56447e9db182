"""The hyper-connection's product before its norm."""

from dgpin.smoke import references
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import Tensor, calc_diff

CHECK = Check(
    id="hc_prenorm",
    guards="the tf32 product or the sums of squares beside it are wrong",
    call="tf32_hc_prenorm_gemm(x[137, 28672], fn[24, 28672], out[16, 137, 24], sq[16, 137], 16)",
    reference="both in float64, after the 16 splits are summed",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=0.1,
    ran_on=("sm_90",),
)
ROWS, COLUMNS, DEPTH, SPLITS = 137, 24, 28672, 16
SQUARES_LIMIT = 1e-5


def run(bench: Bench) -> Outcome:
    """Compare the product and the sums; the control is the rows of fn rolled."""
    x, fn = bench.randn(ROWS, DEPTH), bench.randn32(COLUMNS, DEPTH)
    kind = bench.torch.float32
    out = bench.poisoned(SPLITS, ROWS, COLUMNS, dtype=kind)
    squares = bench.poisoned(SPLITS, ROWS, dtype=kind)

    def product(other: Tensor = fn) -> Tensor:
        bench.build.tf32_hc_prenorm_gemm(x, other, out, squares, SPLITS)
        return out

    bench.first("tf32_hc_prenorm_gemm", product)
    expected, norms = references.hc_prenorm(x, fn)
    number = calc_diff(out.double().sum(0), expected)
    error = references.relative(squares.double().sum(0), norms)
    differing = bench.differing(product, out)
    bench.time(product)
    control = calc_diff(product(roll(bench.torch, fn, 0)).double().sum(0), expected)
    broken = () if error <= SQUARES_LIMIT else (f"the sums of squares are off by {error:.3g}",)
    return Outcome(
        number=number,
        controls={"rows of fn rolled": control},
        broken=broken,
        differing=differing,
        notes={"squares_relative": error},
    )
