"""A `deep_gemm` of plain torch for the CPU, sound or with one fault of a real build.

It stands in for the device so that the checks themselves can be tested: FAULTS names what it does
wrong.
"""

from itertools import pairwise
from typing import Any

import torch

FAULTS: set[str] = set()
WORKERS = 132
SPLIT = 256
_settings = {"sms": WORKERS, "pdl": 0, "rows": 128}


def get_num_sms() -> int:
    return _settings["sms"]


def set_num_sms(value: int) -> None:
    _settings["sms"] = value


def get_pdl() -> bool:
    return bool(_settings["pdl"])


def set_pdl(value: bool) -> None:
    _settings["pdl"] = value


def get_mk_alignment_for_contiguous_layout() -> int:
    return _settings["rows"]


def set_mk_alignment_for_contiguous_layout(value: int) -> None:
    if "settings ignored" not in FAULTS:
        _settings["rows"] = value


def get_theoretical_mk_alignment_for_contiguous_layout(_tokens: int | None = None) -> int:
    return 128


def get_tma_aligned_size(rows: int, size: int) -> int:
    step = 16 // size
    return -(-rows // step) * step


def _rows(operand: Any) -> torch.Tensor:
    values, scales = operand
    if "left scales rolled" in FAULTS:
        scales = scales.roll(1, -1)
    return (values.float().unflatten(-1, (-1, 128)) * scales.unsqueeze(-1)).flatten(-2)


def _blocks(operand: Any) -> torch.Tensor:
    values, scales = operand
    n, k = values.shape[-2:]
    wide = scales.repeat_interleave(128, -1)[..., :k]
    return values.float() * wide.repeat_interleave(128, -2)[..., :n, :]


def fp8_gemm_nt(a: Any, b: Any, d: torch.Tensor, *, disable_ue8m0_cast: bool = False) -> None:
    if a[1].dtype == torch.int32:
        raise RuntimeError("Assertion error (gemm.hpp:1): sfa_dtype == torch::kFloat")
    d.copy_(_rows(a) @ _blocks(b).T)
    if "last row unwritten" in FAULTS:
        d[-1] = float("nan")


def bf16_gemm_nt(a: torch.Tensor, b: torch.Tensor, d: torch.Tensor) -> None:
    d.copy_(a.float() @ b.float().T)
    if "race" in FAULTS:
        d[0, 0] = float(torch.rand(()))


cublaslt_gemm_nt = bf16_gemm_nt


def m_grouped_fp8_gemm_nt_contiguous(
    a: Any, b: Any, d: torch.Tensor, index: torch.Tensor, *, disable_ue8m0_cast: bool = False
) -> None:
    rows, weights = _rows(a), _blocks(b)
    for group in range(len(weights)):
        mine = index == group
        d[mine] = (rows[mine] @ weights[group].T).to(d.dtype)


def m_grouped_fp8_gemm_nt_masked(
    a: Any,
    b: Any,
    d: torch.Tensor,
    counts: torch.Tensor,
    _expected: int,
    *,
    disable_ue8m0_cast: bool = False,
) -> None:
    rows, weights = _rows(a), _blocks(b)
    for group, count in enumerate(counts.tolist()):
        width = count + 1 if "one row too many" in FAULTS else count
        d[group, :width] = (rows[group, :width] @ weights[group].T).to(d.dtype)


def fp8_einsum(
    _equation: str, x: Any, y: Any, z: torch.Tensor, *, recipe: tuple[int, int, int]
) -> None:
    z.copy_(torch.einsum("bhr,hdr->bhd", _rows(x), _blocks(y)))


def tf32_hc_prenorm_gemm(
    x: torch.Tensor, fn: torch.Tensor, out: torch.Tensor, squares: torch.Tensor, splits: int
) -> None:
    parts = x.float().unflatten(-1, (splits, -1)).transpose(0, 1)
    out.copy_(parts @ fn.unflatten(-1, (splits, -1)).permute(1, 2, 0))
    squares.copy_(parts.square().sum(-1))


def get_mn_major_tma_aligned_tensor(scales: torch.Tensor) -> torch.Tensor:
    rows = scales.shape[-2]
    wide = torch.zeros(*scales.shape[:-2], scales.shape[-1], get_tma_aligned_size(rows, 4))
    wide[..., :rows] = scales.transpose(-1, -2)
    return wide.transpose(-1, -2)[..., :rows, :]


def transform_sf_into_required_layout(
    sf: torch.Tensor,
    _mn: int,
    _k: int,
    _recipe: object,
    _groups: int | None = None,
    is_sfa: bool = False,
    disable_ue8m0_cast: bool = False,
) -> torch.Tensor:
    return get_mn_major_tma_aligned_tensor(sf) if is_sfa else sf


def fp8_fp4_mqa_logits(
    q: Any,
    kv: Any,
    weights: torch.Tensor,
    starts: torch.Tensor,
    ends: torch.Tensor,
    clean_logits: bool = True,
) -> torch.Tensor:
    keys = kv[0].float() * kv[1][:, None]
    logits = torch.einsum("shd,td->sht", q[0].float(), keys).relu()
    out = torch.einsum("sht,sh->st", logits, weights)
    if clean_logits:
        at = torch.arange(out.shape[1])[None]
        out[(at < starts[:, None]) | (at >= ends[:, None])] = float("-inf")
    return out


def get_paged_mqa_logits_metadata(
    context: torch.Tensor, block_kv: int, workers: int, indices: Any = None
) -> torch.Tensor:
    if "hopper of upstream" in FAULTS and block_kv != 64:
        raise RuntimeError("Assertion error (attention.hpp:1): block_kv == 64")
    last = context[:, -1].tolist()
    batch = len(last)
    if "empty schedule" in FAULTS and not any(last) and batch % 32 == 0:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    splits = [-(-length // SPLIT) for length in last]
    tasks = [(r, s) for r, count in enumerate(splits) for s in range(count)]
    share, rest = divmod(len(tasks), workers)
    starts, here = [], 0
    for worker in range(workers):
        starts.append(here)
        here += share + (worker >= workers - rest)
    entries = [tasks[at] if at < len(tasks) else (batch, 0) for at in starts] + [(batch, 0)]
    return torch.tensor(entries, dtype=torch.int32)


def fp8_fp4_paged_mqa_logits(
    q: Any,
    cache: torch.Tensor,
    weights: torch.Tensor,
    context: torch.Tensor,
    table: torch.Tensor,
    schedule: torch.Tensor,
    width: int,
    clean_logits: bool = False,
    indices: Any = None,
) -> torch.Tensor:
    if "hopper of upstream" in FAULTS and q[0].shape[1] not in (1, 2):
        raise RuntimeError("Assertion error (attention.hpp:2): next_n == 1 or next_n == 2")
    pages, block_kv = cache.shape[:2]
    raw = cache.view(pages, -1)
    keys = raw[:, : block_kv * 128].view(torch.float8_e4m3fn).float().view(pages, block_kv, 128)
    scales = raw[:, block_kv * 128 :].contiguous().view(torch.float32)
    keys = keys * scales[..., None]
    batch, following, heads, _ = q[0].shape
    used = q[0].float()
    weight = weights.view(batch, following, heads)
    if "stale query" in FAULTS:
        used, weight = _stale(used, weight, context[:, -1].tolist(), schedule.tolist())
    out = torch.full((batch * following, width), float("nan"))
    for r, length in enumerate(context[:, -1].tolist()):
        mine = keys[table[r, : -(-length // block_kv)].long()].reshape(-1, 128)
        scores = torch.einsum("nhd,td->nht", used[r], mine).relu()
        rows = slice(r * following, (r + 1) * following)
        out[rows, : len(mine)] = torch.einsum("nht,nh->nt", scores, weight[r])
    return out


def _stale(
    q: torch.Tensor, weight: torch.Tensor, last: list[int], schedule: list[list[int]]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Fetch, as the faulty kernel does, the query after the current one: maybe an empty one's."""
    q, weight = q.clone(), weight.clone()
    right_q, right_weight = q.clone(), weight.clone()
    for (first, _), (end, part) in pairwise(schedule):
        owned = range(first, min(end + (part > 0), len(last)))
        busy = [r for r in owned if last[r]]
        for before, after in pairwise(busy):
            q[after], weight[after] = right_q[before + 1], right_weight[before + 1]
    return q, weight


class _Buffer:
    def __init__(self, tokens: int, chosen: int, hidden: int) -> None:
        self.x = torch.zeros(tokens, hidden).to(torch.float8_e4m3fn)
        self.x_sf = torch.zeros(tokens, hidden // 128, dtype=torch.int32)
        self.topk_idx = torch.zeros(tokens, chosen, dtype=torch.int64)
        self.topk_weights = torch.zeros(tokens, chosen)


def get_symm_buffer_for_mega_moe(
    _group: object,
    _experts: int,
    tokens: int,
    chosen: int,
    hidden: int,
    _inner: int,
    mma_type: str = "fp8xfp4",
    activation: str = "swiglu",
) -> _Buffer:
    if mma_type == "bf16xbf16":
        raise RuntimeError("Assertion error (mega_moe.hpp:1): Unsupported architecture")
    return _Buffer(tokens, chosen, hidden)


def transform_weights_for_mega_moe(first: Any, second: Any, activation: str = "swiglu") -> Any:
    return first, second


def _fp4(packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    raw = packed.view(torch.uint8)
    codes = torch.stack([raw & 15, raw >> 4], dim=-1).flatten(-2)
    sizes = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6.0])[(codes & 7).long()]
    values = torch.where(codes > 7, -sizes, sizes)
    return (values.unflatten(-1, (-1, 32)) * scales.unsqueeze(-1)).flatten(-2)


def fp8_fp4_gemm_nt(
    a: Any, b: Any, d: torch.Tensor, *, recipe_a: Any = None, recipe_b: Any = None
) -> None:
    d.copy_(_rows(a) @ _fp4(*b).T)


def _requantised(x: torch.Tensor) -> torch.Tensor:
    """Round to e4m3 with one power-of-two scale for 32 columns, as between the two products."""
    wide = x.unflatten(-1, (-1, 32))
    scale = (wide.abs().amax(-1, keepdim=True).clamp_min(1e-4) / 448).log2().ceil().exp2()
    return ((wide / scale).to(torch.float8_e4m3fn).float() * scale).flatten(-2)


def fp8_fp4_mega_moe(
    y: torch.Tensor,
    first: Any,
    second: Any,
    buffer: _Buffer,
    activation: str = "swiglu",
    activation_alpha: float = 1.0,
    activation_beta: float = 0.0,
) -> None:
    """Step by step what the kernel rounds: gate and up to bf16, their product to e4m3."""
    alpha, beta = activation_alpha, activation_beta
    if "scales swapped" in FAULTS:
        alpha, beta = beta, alpha
    w1, w2 = _fp4(*first), _fp4(*second)
    inner = w2.shape[2]
    exponents = buffer.x_sf.view(torch.uint8).int()
    scales = (exponents << 23).view(torch.float32)
    x = (buffer.x.float().unflatten(-1, (-1, 32)) * scales.unsqueeze(-1)).flatten(-2)
    out = torch.zeros(x.shape)
    for slot in range(buffer.topk_idx.shape[1]):
        for expert in buffer.topk_idx[:, slot].unique().tolist():
            rows = buffer.topk_idx[:, slot] == expert
            hidden = (x[rows] @ w1[expert].T).bfloat16().float()
            gate, up = hidden[:, :inner], hidden[:, inner:]
            acted = alpha * torch.tanh(gate / alpha) * torch.sigmoid(gate)
            acted = acted * (beta * torch.tanh(up / beta) if beta > 0 else up)
            acted = acted * buffer.topk_weights[rows, slot, None]
            out[rows] += (_requantised(acted) @ w2[expert].T).bfloat16().float()
    y.copy_(out)


def einsum(
    _equation: str, a: torch.Tensor, b: torch.Tensor, d: torch.Tensor, *, c: torch.Tensor
) -> None:
    batches = a if "a batch left out" not in FAULTS else a[1:]
    d.copy_(c + torch.einsum("bmk,bnk->mn", batches.float(), b[-len(batches) :].float()))
