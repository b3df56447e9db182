"""The product that is summed over its batch."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome
from dgpin.smoke.operands import roll
from dgpin.smoke.references import Tensor, calc_diff, matmul_nt

CHECK = Check(
    id="einsum_bmk",
    guards="batches are summed twice, or left out, when the product adds to what is there",
    call="einsum('bmk,bnk->mn', a[64, 256, 128], b[64, 384, 128], d, c=d), d of zeros in fp32",
    reference="the product in float64",
    arches=("sm_90",),
    limit=1e-10,
    floor=0.1,
    level=SWEEP,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare the sum; the control is the left batches rolled."""
    a, b = bench.randn(64, 256, 128), bench.randn(64, 384, 128)

    def product(left: Tensor = a) -> Tensor:
        out = bench.torch.zeros(256, 384, device=bench.device)
        bench.build.einsum("bmk,bnk->mn", left, b, out, c=out)
        return out

    got = bench.first("einsum", product)
    number = calc_diff(got, matmul_nt(a, b).sum(0))
    bench.time(product)
    control = calc_diff(product(roll(bench.torch, a, 0)), matmul_nt(a, b).sum(0))
    return Outcome(number=number, controls={"batches rolled": control})
