"""Names and keywords of DeepGEMM that a host uses, read from it or, without one, vLLM's."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dgpin.api.uses import Form, Scan, Then, Use

_REACHING = frozenset({Form.CALL, Form.READ, Form.IMPORT})
_ASKING = frozenset({Form.HASATTR, Form.PARAMETER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a build must have for a host.

    Each entry of `names` holds spellings of one function: the host takes whichever it finds.
    """

    host: str
    names: tuple[tuple[str, ...], ...]
    keywords: tuple[str, ...]


# A tuple holds spellings of one function. Read from vLLM 0.30's `vllm/utils/deep_gemm.py` and its
# callers; the worker has no host to read, so the check `api` goes by these too.
NAMES: tuple[str | tuple[str, ...], ...] = (
    "cublaslt_gemm_nt",
    "fp8_gemm_nt",
    "fp8_einsum",
    "m_grouped_fp8_gemm_nt_contiguous",
    "m_grouped_fp8_fp4_gemm_nt_contiguous",
    ("m_grouped_fp8_gemm_nt_masked", "fp8_m_grouped_gemm_nt_masked"),
    "fp8_fp4_mqa_logits",
    "fp8_fp4_paged_mqa_logits",
    "get_paged_mqa_logits_metadata",
    "tf32_hc_prenorm_gemm",
    "get_mn_major_tma_aligned_tensor",
    "get_mn_major_tma_aligned_packed_ue8m0_tensor",
    "get_k_grouped_mn_major_tma_aligned_packed_ue8m0_tensor",
    "get_mk_alignment_for_contiguous_layout",
    "get_theoretical_mk_alignment_for_contiguous_layout",
    "set_mk_alignment_for_contiguous_layout",
    "transform_sf_into_required_layout",
    "pack_ue8m0_to_int",
    "get_num_sms",
    "set_num_sms",
    "set_pdl",
)
OPTIONAL: tuple[str | tuple[str, ...], ...] = (
    "mega_mhc",
    "fp8_fp4_mega_moe",
    "bf16_mega_moe",
    "get_block_m_for_mega_moe",
)
KEYWORDS: dict[str, tuple[str, ...]] = {
    "fp8_gemm_nt": ("disable_ue8m0_cast",),
    "m_grouped_fp8_gemm_nt_contiguous": ("disable_ue8m0_cast",),
    "m_grouped_fp8_gemm_nt_masked": ("disable_ue8m0_cast",),
    "transform_sf_into_required_layout": ("disable_ue8m0_cast",),
    "fp8_einsum": ("recipe",),
    "fp8_fp4_mqa_logits": ("clean_logits",),
    "fp8_fp4_paged_mqa_logits": ("clean_logits", "indices"),
    "get_paged_mqa_logits_metadata": ("indices",),
}
VLLM = Needs(
    host="vLLM",
    names=tuple((entry,) if isinstance(entry, str) else entry for entry in NAMES),
    keywords=tuple(sorted({word for words in KEYWORDS.values() for word in words})),
)


def of_host(root: Path) -> Needs:
    """Return what a host's files use of the API. Nothing of the host is imported or run."""
    from dgpin.api.host.scan import scan  # noqa: PLC0415 - most runs are given no host

    return needs(scan(root), host=root.name)


def needs(found: Scan, *, host: str) -> Needs:
    """Return the names without which a use fails, and the keywords that such uses pass.

    A name that the host asks for before it uses it, and can do without, is none of them; tests
    are left out.
    """
    uses = [use for use in found.uses if use.is_use and not use.in_test]
    asked = {use.path for use in uses if _asks(use)}
    names: dict[tuple[str, ...], None] = {}
    keywords: set[str] = set()
    for use in uses:
        if use.form not in _REACHING or _copes(use) or asked & {t.path for t in use.targets}:
            continue
        if spellings := tuple(dict.fromkeys(_names(use))):
            names[spellings] = None
            keywords |= set(_keywords(use))
    return Needs(host=host, names=tuple(sorted(names)), keywords=tuple(sorted(keywords)))


def _asks(use: Use) -> bool:
    """Whether the host learns here that a name is absent, and goes on without it."""
    if use.form in _REACHING:
        return use.form is not Form.CALL and _copes(use)
    raises = any(each.outcome.then is Then.RAISES for each in use.consumers)
    return use.form in _ASKING or bool(use.consumers and not raises)


def _copes(use: Use) -> bool:
    outcomes = [handler.outcome for handler in use.handlers]
    if use.absent is not None:
        outcomes.append(use.absent)
    return any(outcome.then is not Then.RAISES for outcome in outcomes)


def _names(use: Use) -> Iterator[str]:
    for each in use.targets:
        package, dot, name = each.path.rpartition(".")
        if dot and package:
            yield name


def _keywords(use: Use) -> Iterator[str]:
    """Yield what a call passes by name, but for what the host asks the function about first."""
    known = {guard.parameter for guard in use.guards}
    for keyword in use.arguments.keywords if use.arguments else ():
        if keyword.name not in known:
            yield keyword.name
