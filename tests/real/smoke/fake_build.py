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
    out = torch.empty(batch * following, width)
    for r in range(batch):
        mine = keys[table[r].long()].reshape(width, 128)
        scores = torch.einsum("nhd,td->nht", used[r], mine).relu()
        rows = slice(r * following, (r + 1) * following)
        out[rows] = torch.einsum("nht,nh->nt", scores, weight[r])
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


def get_symm_buffer_for_mega_moe(*_args: object, **_kwargs: object) -> object:
    raise RuntimeError("Assertion error (mega_moe.hpp:1): Unsupported architecture")
