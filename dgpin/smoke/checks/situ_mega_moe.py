"""The fused mixture of experts with SiTU: gate and up projection have a scale each."""

from dgpin.smoke import references, signatures
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome, UnsupportedError
from dgpin.smoke.group import Alone
from dgpin.smoke.operands import fp4_rows, fp8_rows, pack_ue8m0_rows
from dgpin.smoke.references import Tensor

CHECK = Check(
    id="situ_mega_moe",
    guards="the gate's and the up projection's tanh scales change places",
    call=(
        "fp8_fp4_mega_moe(y, w1, w2, buffer, activation='situ', activation_alpha=4.0, "
        "activation_beta=25.0), 96 tokens, 8 experts, top 4, H = I = 512"
    ),
    reference="the dequantised experts in float64, alpha on the gate and beta on the up projection",
    arches=("sm_100", "sm_103"),
    limit=1e-3,
    # At these sizes a swapped pair costs 0.13; with gate values near 1 it would cost 3e-3.
    floor=5e-2,
    capabilities=("situ",),
    seconds=15,
)
TOKENS, HIDDEN, INNER, EXPERTS, CHOSEN = 96, 512, 512, 8, 4
GATE, UP = 4.0, 25.0
# The forks name the two differently; the gate's comes first.
NAMES = (("activation_alpha", "activation_beta"), ("situ_beta", "situ_linear_beta"))


def run(bench: Bench) -> Outcome:
    """Compare the layer; the control is the reference with the scales swapped."""
    function = getattr(bench.build, "fp8_fp4_mega_moe", None)
    names = next((n for n in NAMES if function and signatures.has(function, n[0])), None)
    if function is None or names is None:
        raise UnsupportedError("fp8_fp4_mega_moe has no parameters for SiTU")
    torch = bench.torch
    x, scales = fp8_rows(torch, bench.randn(TOKENS, HIDDEN), block=32, pow2=True)
    first = fp4_rows(torch, bench.randn(EXPERTS, 2 * INNER, HIDDEN))
    second = fp4_rows(torch, bench.randn(EXPERTS, HIDDEN, INNER, scale=0.05))
    scores = bench.randn32(TOKENS, EXPERTS).sigmoid()
    weight, chosen = torch.topk(scores, CHOSEN, dim=-1)
    weight = weight / weight.sum(-1, keepdim=True)
    buffer = bench.build.get_symm_buffer_for_mega_moe(
        Alone(), EXPERTS, TOKENS, CHOSEN, HIDDEN, INNER, activation="situ"
    )
    w1, w2 = bench.build.transform_weights_for_mega_moe(
        _laid_out(bench, first), _laid_out(bench, second), activation="situ"
    )
    out = bench.poisoned(TOKENS, HIDDEN)

    def layer() -> Tensor:
        buffer.x[:TOKENS].copy_(x)
        buffer.x_sf[:TOKENS].copy_(pack_ue8m0_rows(torch, scales))
        buffer.topk_idx[:TOKENS].copy_(chosen)
        buffer.topk_weights[:TOKENS].copy_(weight)
        function(
            out, w1, w2, buffer, activation="situ", **dict(zip(names, (GATE, UP), strict=True))
        )
        return out

    got = bench.first("fp8_fp4_mega_moe", layer)

    def expected(alpha: float, beta: float) -> Tensor:
        return references.experts(
            references.dequantise_rows(x, scales, block=32),
            chosen,
            weight,
            first[2],
            second[2],
            activation=lambda gate, up: references.situ(gate, up, alpha=alpha, beta=beta),
        )

    number = references.calc_diff(got, expected(GATE, UP))
    swapped = references.calc_diff(got, expected(UP, GATE))
    differing = bench.differing(layer, got)
    bench.time(layer)
    return Outcome(number=number, controls={"scales swapped": swapped}, differing=differing)


def _laid_out(bench: Bench, weights: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    packed, scales, _ = weights
    experts, rows, columns = packed.shape
    layout = bench.build.transform_sf_into_required_layout
    return packed, layout(scales, rows, columns * 2, (1, 32), experts)
