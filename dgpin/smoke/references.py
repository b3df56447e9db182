"""Plain references: the operands dequantised, the sums in float64.

Everything here is tensor methods only, so it runs wherever the tensors are, and the tests run it
on the CPU.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# torch is not installed beside dgpin, so nothing can say more about these.
Tensor = Any
Torch = Any  # the module
Build = Any  # the package deep_gemm

FP8_BLOCK = 128  # columns that share a scale; rows too, for weights


def calc_diff(x: Tensor, y: Tensor) -> float:
    """Return 1 - 2*sum(x*y)/sum(x*x + y*y) in float64: 0 for equal, about 1 for unrelated.

    The measure of DeepGEMM's own tests. NaN anywhere gives NaN, which no limit admits.
    """
    x, y = x.double(), y.double()
    scale = float((x * x + y * y).sum())
    return 0.0 if scale == 0 else float(1 - 2 * (x * y).sum() / scale)


def worst(numbers: Iterable[float]) -> float:
    """Return the largest number; NaN is larger than any."""
    found = list(numbers)
    return next((x for x in found if math.isnan(x)), max(found))


def relative(x: Tensor, y: Tensor) -> float:
    """Return the norm of x - y over the norm of y, in float64."""
    x, y = x.double(), y.double()
    return float((x - y).norm()) / max(float(y.norm()), 1e-300)


def dequantise_rows(values: Tensor, scales: Tensor, *, block: int = FP8_BLOCK) -> Tensor:
    """Return float64 values [..., K] of fp8 [..., K] with scales [..., K/block]."""
    wide = values.float().double().unflatten(-1, (-1, block))
    return (wide * scales.double().unsqueeze(-1)).flatten(-2)


def dequantise_blocks(values: Tensor, scales: Tensor, *, block: int = FP8_BLOCK) -> Tensor:
    """Return float64 values [..., N, K] of fp8 with scales [..., ceil(N/block), ceil(K/block)]."""
    rows, columns = values.shape[-2:]
    spread = scales.double().repeat_interleave(block, -1)[..., :columns]
    return values.float().double() * spread.repeat_interleave(block, -2)[..., :rows, :]


def matmul_nt(a: Tensor, b: Tensor) -> Tensor:
    """Return a @ b transposed, in float64; leading dimensions are batches."""
    return a.double() @ b.double().transpose(-1, -2)


def grouped_nt(a: Tensor, b: Tensor, group_of_row: Tensor) -> Tensor:
    """Return a[i] @ b[group_of_row[i]]^T row by row; rows of group -1 are zero."""
    out = a.double().new_zeros(a.shape[0], b.shape[1])
    for group in range(b.shape[0]):
        rows = group_of_row == group
        out[rows] = matmul_nt(a[rows], b[group])
    return out


def mqa_logits(q: Tensor, k: Tensor, weights: Tensor) -> Tensor:
    """Return sum over heads of weights * relu(q . k).

    q [S, H, D], k [T, D], weights [S, H] give [S, T]: the lightning indexer's score, in float64.
    """
    scores = (q.float().double() @ k.double().T).relu()  # [S, H, T]
    return (scores * weights.double().unsqueeze(-1)).sum(1)


def paged_mqa_logits(q: Tensor, pages: Tensor, weights: Tensor, block_table: Tensor) -> Tensor:
    """Return the logits [B*n, blocks*block_kv] of each query over its request's pages.

    q [B, n, H, D], pages [P, block_kv, D] dequantised, weights [B*n, H], block_table [B, blocks].
    """
    batch, following, _, depth = q.shape
    width = block_table.shape[1] * pages.shape[1]
    out = q.float().double().new_empty(batch * following, width)
    for request in range(batch):
        keys = pages[block_table[request].long()].reshape(width, depth)
        rows = slice(request * following, (request + 1) * following)
        out[rows] = mqa_logits(q[request], keys, weights[rows])
    return out


def hc_prenorm(x: Tensor, fn: Tensor) -> tuple[Tensor, Tensor]:
    """Return x @ fn^T and the sums of squares of x's rows, in float64."""
    return matmul_nt(x, fn), x.double().square().sum(-1)


def situ(gate: Tensor, up: Tensor, *, alpha: float, beta: float) -> Tensor:
    """Return alpha*tanh(gate/alpha)*sigmoid(gate) times beta*tanh(up/beta), or times up.

    alpha is the gate's scale, beta the up projection's; beta 0 means no tanh there. Read from the
    SM100 kernel's source (`sm100_fp8_fp4_mega_moe_situ.cuh`).
    """
    gated = alpha * (gate / alpha).tanh() * gate.sigmoid()
    return gated * (beta * (up / beta).tanh() if beta > 0 else up)


def swiglu(gate: Tensor, up: Tensor, *, alpha: float = 1.0, beta: float = 0.0) -> Tensor:
    """Return gate*sigmoid(alpha*gate)*(up + beta): the same two names mean something else here."""
    return gate * (alpha * gate).sigmoid() * (up + beta)


def experts(
    x: Tensor,
    chosen: Tensor,
    weight: Tensor,
    w1: Tensor,
    w2: Tensor,
    *,
    activation: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:
    """Return the mixture-of-experts layer in float64, nothing rounded on the way.

    x [T, H]; chosen and weight [T, k], a negative choice skips its slot; w1 [E, 2I, H] holds the
    gate's rows, then the up projection's; w2 [E, H, I].
    """
    inner = w2.shape[2]
    out = x.double().new_zeros(x.shape)
    for slot in range(chosen.shape[1]):
        for expert in sorted(set(chosen[:, slot].tolist()) - {-1}):
            rows = chosen[:, slot] == expert
            hidden = matmul_nt(x[rows], w1[expert])
            acted = activation(hidden[:, :inner], hidden[:, inner:])
            scaled = acted * weight[rows, slot].double().unsqueeze(-1)
            out[rows] += matmul_nt(scaled, w2[expert])
    return out


def schedule_faults(
    schedule: Sequence[Sequence[int]], lengths: Sequence[int], *, split: int, atoms: int | None
) -> str:
    """Return what is wrong with a paged-MQA schedule, or "".

    An entry is (query atom, split of its context); SM i works from entry i up to entry i+1. So
    the entries, laid on one line of all splits, start at 0, end at the total, never go back, and
    hand out shares that differ by at most one. `atoms` is the number of query atoms a request
    has; None reads it from the final entry. This holds whatever the kernel does inside.
    """
    batch = len(lengths)
    splits = [math.ceil(length / split) for length in lengths]
    end = schedule[-1]
    if end[1] != 0 or end[0] % batch:
        return f"the schedule ends with {tuple(end)}, not past the last request"
    atoms = end[0] // batch if atoms is None else atoms
    before = [0]
    for count in splits:
        before.append(before[-1] + count)
    line = []
    for entry, part in schedule:
        request, atom = divmod(entry, atoms)
        if request > batch or (request == batch and (atom or part)):
            return f"the entry {(entry, part)} lies past the last request"
        here = before[-1] * atoms
        if request < batch:
            here = before[request] * atoms + atom * splits[request] + part
        line.append(here)
    if line[0] != 0 or line[-1] != before[-1] * atoms:
        return f"the schedule covers {line[0]} to {line[-1]} of {before[-1] * atoms} splits"
    shares = [after - first for first, after in itertools.pairwise(line)]
    if min(shares) < 0 or max(shares) - min(shares) > 1:
        return f"the shares of the SMs run from {min(shares)} to {max(shares)} splits"
    return ""
