"""Paged MQA logits, the indexer's decode kernel: inputs, calls and comparison of its checks."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from dgpin.smoke import references, signatures
from dgpin.smoke.bench import SEED, Bench
from dgpin.smoke.case import Outcome
from dgpin.smoke.operands import align
from dgpin.smoke.references import Tensor, Torch

HEADS = 64
DEPTH = 128
# With so many query tokens a request, Hopper pairs two SMs.
MULTICAST_NEXT_N = 4
# Context tokens that one task covers; the schedule counts in these.
SPLIT = {"sm_90": 256, "sm_100": 256, "sm_103": 256, "sm_120": 128}
# Patterns of the assertions by which a build declines four query tokens a request, or pages of
# 32 tokens, on Hopper.
NO_NEXT_N4 = (
    r"_schedule_meta_size == num_sms \+ 1",
    r"next_n == 1 or next_n == 2(?! or)",
)
NO_BLOCK_KV32 = (r"(?<!or )block_kv == 64(?! or)",)

CALL = (
    "get_paged_mqa_logits_metadata(lens, block_kv, slots); fp8_fp4_paged_mqa_logits("
    "(q, None), kv, w, lens, table, meta, max_len, clean_logits=False)"
)
REFERENCE = (
    "the sum over heads of w * relu(q . k) in float64, inside each context; "
    "the schedule's invariants"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged:
    """The operands of one call, and what they mean.

    `lengths` [B, n] are context lengths of each query token; the last column is the request's.
    """

    q: Tensor
    keys: Tensor  # e4m3 [pages, block_kv, D]
    scales: Tensor  # fp32 [pages, block_kv]
    weights: Tensor
    lengths: Tensor
    block_table: Tensor
    block_kv: int

    @property
    def width(self) -> int:
        """The columns of the logits."""
        return int(self.block_table.shape[1]) * self.block_kv

    def cache(self, torch: Torch, scales: Tensor) -> Tensor:
        """Return the fused cache: a page's fp8 bytes, then its fp32 scales."""
        pages = self.keys.shape[0]
        values = self.keys.reshape(pages, -1).view(torch.uint8)
        tail = scales.reshape(pages, -1).contiguous().view(torch.uint8)
        fused = torch.cat([values, tail], dim=1)
        return fused.view(pages, self.block_kv, 1, DEPTH + 4)


def lengths(count: int, low: int, high: int, *, zeros: float = 0.0) -> list[int]:
    """Return context lengths from low to high, a share of them zero at random places."""
    draw = random.Random(SEED)  # noqa: S311 - the same inputs on every run, no secret
    return [0 if draw.random() < zeros else draw.randint(low, high) for _ in range(count)]


def slots(bench: Bench, next_n: int) -> int:
    """Return how many workers share the contexts: on Hopper next_n 4 takes two SMs for one."""
    halved = next_n == MULTICAST_NEXT_N and bench.arch == "sm_90"
    return int(bench.build.get_num_sms()) // (2 if halved else 1)


def schedule(bench: Bench, context: Tensor, block_kv: int) -> Tensor:
    """Call the metadata kernel."""
    count = slots(bench, context.shape[1])
    return bench.build.get_paged_mqa_logits_metadata(context, block_kv, count)


def schedule_faults(bench: Bench, made: Tensor, context: Tensor) -> str:
    """Return what is wrong with a schedule, or ""."""
    last = context[:, -1].tolist()
    # One atom a request on Hopper; the others split next_n, and the final entry tells.
    atoms = 1 if bench.arch == "sm_90" else None
    return references.schedule_faults(made.tolist(), last, split=SPLIT[bench.arch], atoms=atoms)


def inputs(
    bench: Bench, last: Sequence[int], *, next_n: int, block_kv: int, heads: int = HEADS
) -> Paged:
    """Return operands for requests of these context lengths, lengths and page table guarded."""
    torch = bench.torch
    end = bench.integers(list(last))
    steps = bench.integers(list(range(next_n)))
    context = (end[:, None] - (next_n - 1) + steps[None]).clamp_min(0)
    context = context * (end[:, None] > 0)
    counts = [align(length, block_kv) // block_kv for length in last]
    total = sum(counts) + 3  # three pages that nobody owns
    page_of = torch.randperm(total, device=bench.device).tolist()
    table = [[0] * max(1, *counts) for _ in counts]
    for row, count in zip(table, counts, strict=True):
        row[:count], page_of = page_of[:count], page_of[count:]
    raw = bench.randn32(total, block_kv, DEPTH)
    scale = raw.abs().amax(-1).clamp_min(1e-4) / 448.0
    keys = (raw / scale[..., None]).to(torch.float8_e4m3fn)
    octaves = torch.randint(-2, 3, scale.shape, device=bench.device)
    return Paged(
        q=bench.randn(len(last), next_n, heads, DEPTH).to(torch.float8_e4m3fn),
        keys=keys,
        scales=scale * octaves.float().exp2(),
        weights=bench.randn32(len(last) * next_n, heads),
        lengths=bench.guarded(context.int().contiguous()),
        block_table=bench.guarded(bench.integers(table)),
        block_kv=block_kv,
    )


def call(bench: Bench, case: Paged, cache: Tensor, table: Tensor, made: Tensor) -> Tensor:
    """Call the logits kernel as the host does; `clean_logits` only where it still exists."""
    function = bench.build.fp8_fp4_paged_mqa_logits
    extra = {"clean_logits": False} if signatures.has(function, "clean_logits") else {}
    q = (case.q, None)
    return function(q, cache, case.weights, case.lengths, table, made, case.width, **extra)


def compare(
    bench: Bench, last: Sequence[int], *, next_n: int, block_kv: int = 64, heads: int = HEADS
) -> Outcome:
    """Compare the logits of these requests with the reference, inside their contexts."""
    torch = bench.torch
    case = inputs(bench, last, next_n=next_n, block_kv=block_kv, heads=heads)
    cache = case.cache(torch, case.scales)
    made = bench.first(
        "get_paged_mqa_logits_metadata", lambda: schedule(bench, case.lengths, block_kv)
    )
    fault = schedule_faults(bench, made, case.lengths)

    def logits() -> Tensor:
        return call(bench, case, cache, case.block_table, made)

    got = bench.first("fp8_fp4_paged_mqa_logits", logits)
    pages = case.keys.float().double() * case.scales.double()[..., None]
    expected = references.paged_mqa_logits(case.q, pages, case.weights, case.block_table)
    columns = torch.arange(case.width, device=bench.device)
    inside = columns[None] < case.lengths.reshape(-1)[:, None]
    rolled = case.cache(torch, case.scales.roll(1, 1))
    swapped = case.block_table.roll(1, 0).contiguous()
    controls = {
        "scales of the cache rolled": references.calc_diff(
            call(bench, case, rolled, case.block_table, made)[inside], expected[inside]
        ),
        "page rows of two requests swapped": references.calc_diff(
            call(bench, case, cache, swapped, made)[inside], expected[inside]
        ),
    }
    number = references.calc_diff(got[inside], expected[inside])
    differing = bench.differing(lambda: logits()[inside], got[inside])
    bench.time(logits)
    return Outcome(
        number=number,
        controls=controls,
        broken=(fault,) if fault else (),
        differing=differing,
        notes={"rows": len(last) * next_n, "wrong_rows": _wrong_rows(got, expected, inside)},
    )


def _wrong_rows(got: Tensor, expected: Tensor, inside: Tensor) -> int:
    error = (got.double() - expected).abs().masked_fill(~inside, 0).amax(1)
    size = expected.abs().masked_fill(~inside, 0).amax(1).clamp_min(1e-3)
    # Written so that NaN counts as wrong.
    return int((~(error <= 1e-2 * size)).sum())


def empty_schedule(bench: Bench, *, next_n: int, batch: int, block_kv: int = 64) -> Outcome:
    """Ask for the schedule of a batch in which every context is empty."""
    context = bench.guarded(bench.integers([[0] * next_n] * batch))
    some = bench.integers([[block_kv] * next_n] * batch)  # the same kernel, with work to do
    bench.first("get_paged_mqa_logits_metadata", lambda: schedule(bench, some, block_kv))
    bench.alone()
    made = bench.first("get_paged_mqa_logits_metadata", lambda: schedule(bench, context, block_kv))
    rows = made.tolist()
    fault = schedule_faults(bench, made, context)
    # The same schedule with its first worker sent to a request that has nothing to do.
    wrong = [[0, 1], *rows[1:]]
    noticed = references.schedule_faults(wrong, [0] * batch, split=SPLIT[bench.arch], atoms=1)
    bench.time(lambda: schedule(bench, context, block_kv))
    return Outcome(
        number=float(bool(fault)),
        controls={"a task in an empty schedule": float(bool(noticed))},
        broken=(fault,) if fault else (),
        notes={"first": rows[0], "last": rows[-1]},
    )


def empty_batch(bench: Bench, *, next_n: int, batch: int = 1024, block_kv: int = 64) -> Outcome:
    """Run the logits kernel on empty contexts with a hand-made, right schedule.

    So the consumer of the schedule is tested, not its maker. Nothing is to be computed: the call
    passes if it reads nothing beyond the lengths and the page table, which end at a guard page.
    """
    torch = bench.torch
    case = Paged(
        q=bench.randn(batch, next_n, HEADS, DEPTH).to(torch.float8_e4m3fn),
        keys=torch.zeros(8, block_kv, DEPTH, device=bench.device).to(torch.float8_e4m3fn),
        scales=torch.zeros(8, block_kv, device=bench.device),
        weights=bench.randn32(batch * next_n, HEADS),
        lengths=bench.guarded(bench.integers([[0] * next_n] * batch)),
        block_table=bench.guarded(bench.integers([[0] * 4] * batch)),
        block_kv=block_kv,
    )
    made = bench.integers([[batch, 0]] * (slots(bench, next_n) + 1))
    cache = case.cache(torch, case.scales)
    bench.alone()
    bench.first(
        "fp8_fp4_paged_mqa_logits", lambda: call(bench, case, cache, case.block_table, made)
    )
    return Outcome(number=0.0)
