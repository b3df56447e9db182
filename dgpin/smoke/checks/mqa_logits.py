"""MQA logits over one sequence: the indexer's prefill kernel."""

from dataclasses import dataclass
from functools import partial

from dgpin.smoke import references, signatures
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.references import Tensor

CHECK = Check(
    id="mqa_logits",
    guards="prefill scores are wrong, or the columns outside a row's context are not -inf",
    call=(
        "fp8_fp4_mqa_logits((q, None), (k, sf), w, ks, ke, clean_logits=False), then True; "
        "S, T, D = 300, 1500, 128, 64 and 32 heads"
    ),
    reference="the sum over heads of w * relu(q . k) in float64",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=1e-1,
    ran_on=("sm_90",),
    seconds=10,
)
QUERIES, KEYS, DEPTH = 300, 1500, 128


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    q: Tensor
    k: Tensor
    scales: Tensor
    weights: Tensor
    start: Tensor
    end: Tensor
    places: Tensor  # 0 to T-1, the columns

    @property
    def inside(self) -> Tensor:
        """Which columns belong to each row's context."""
        return (self.places >= self.start[:, None]) & (self.places < self.end[:, None])


def run(bench: Bench) -> Outcome:
    """Compare with 64 and with 32 heads; the control is the keys' scales rolled."""
    numbers, controls, broken = {}, {}, []
    for heads in (64, 32):
        case = _case(bench, heads)
        keys = case.k.float().double() * case.scales.double()[:, None]
        expected = references.mqa_logits(case.q, keys, case.weights)[case.inside]
        got = bench.first("fp8_fp4_mqa_logits", partial(_call, bench, case, case.scales))
        rolled = _call(bench, case, case.scales.roll(1).contiguous())
        numbers[f"{heads} heads"] = references.calc_diff(got[case.inside], expected)
        controls[f"scales rolled, {heads} heads"] = references.calc_diff(
            rolled[case.inside], expected
        )
        cleaned = bench.first(
            "fp8_fp4_mqa_logits", partial(_call, bench, case, case.scales, clean=True)
        )
        wrong = int((bench.torch.isneginf(cleaned) != ~case.inside).sum())
        if wrong:
            broken.append(f"{wrong} cells are -inf inside, or not outside, their row's context")
        bench.time(partial(_call, bench, case, case.scales))
    return Outcome(
        number=references.worst(numbers.values()),
        controls=controls,
        broken=tuple(broken),
        notes={**numbers, "compressed_output": _is_compressed(bench)},
    )


def _is_compressed(bench: Bench) -> bool:
    # 2.8.2 answers with column j of row i for key start[i] + j, and cleans nothing.
    return not signatures.has(bench.build.fp8_fp4_mqa_logits, "clean_logits")


def _call(bench: Bench, case: _Case, scales: Tensor, *, clean: bool = False) -> Tensor:
    function = bench.build.fp8_fp4_mqa_logits
    operands = (case.q, None), (case.k, scales), case.weights, case.start, case.end
    if not _is_compressed(bench):
        return function(*operands, clean_logits=clean)
    logits = function(*operands, int((case.end - case.start).max()))
    column = (case.places - case.start[:, None]).clamp(0, logits.shape[1] - 1).long()
    return logits.gather(1, column).masked_fill(~case.inside, float("-inf"))


def _case(bench: Bench, heads: int) -> _Case:
    torch = bench.torch
    raw = bench.randn32(KEYS, DEPTH)
    scale = raw.abs().amax(1).clamp_min(1e-4) / 448.0
    octaves = torch.randint(-2, 3, scale.shape, device=bench.device)
    draw = {"device": bench.device, "dtype": torch.int32}
    return _Case(
        q=bench.randn(QUERIES, heads, DEPTH).to(torch.float8_e4m3fn),
        k=(raw / scale[:, None]).to(torch.float8_e4m3fn),
        scales=scale * octaves.float().exp2(),
        weights=bench.randn32(QUERIES, heads),
        start=torch.randint(0, 200, (QUERIES,), **draw),
        end=torch.randint(400, KEYS + 1, (QUERIES,), **draw),
        places=torch.arange(KEYS, device=bench.device)[None],
    )
