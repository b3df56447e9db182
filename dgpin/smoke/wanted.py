"""Functions of DeepGEMM and their keywords that a host uses, read from it or, without one, vLLM's.

Read by dgpin and by the interpreter under test.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpin.api.uses import Form, Scan, Then, Use

_REACHING = frozenset({Form.CALL, Form.READ, Form.IMPORT})
_ASKING = frozenset({Form.HASATTR, Form.PARAMETER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One function, and what it is given by name.

    `spellings` are paths below the package, of which the host takes the first that is there.
    """

    spellings: tuple[str, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a build must have for a host; `optional` it would use, and can do without."""

    host: str
    functions: tuple[Wanted, ...]
    optional: tuple[str, ...] = ()

    @property
    def keywords(self) -> tuple[str, ...]:
        """Every keyword, whichever function it is for."""
        return tuple(sorted({word for each in self.functions for word in each.keywords}))


# Spellings of one function, and its keywords. Read from vLLM 0.30's `vllm/utils/deep_gemm.py` and
# its callers.
_OF_VLLM = {
    "cublaslt_gemm_nt": "",
    "fp8_gemm_nt": "disable_ue8m0_cast",
    "fp8_einsum": "recipe",
    "m_grouped_fp8_gemm_nt_contiguous": "disable_ue8m0_cast",
    "m_grouped_fp8_fp4_gemm_nt_contiguous": "",
    "m_grouped_fp8_gemm_nt_masked fp8_m_grouped_gemm_nt_masked": "disable_ue8m0_cast",
    "fp8_fp4_mqa_logits": "clean_logits",
    "fp8_fp4_paged_mqa_logits": "clean_logits indices",
    "get_paged_mqa_logits_metadata": "indices",
    "tf32_hc_prenorm_gemm": "",
    "get_mn_major_tma_aligned_tensor": "",
    "get_mn_major_tma_aligned_packed_ue8m0_tensor": "",
    "get_k_grouped_mn_major_tma_aligned_packed_ue8m0_tensor": "",
    "get_mk_alignment_for_contiguous_layout": "",
    "get_theoretical_mk_alignment_for_contiguous_layout": "",
    "set_mk_alignment_for_contiguous_layout": "",
    "transform_sf_into_required_layout": "disable_ue8m0_cast",
    "pack_ue8m0_to_int": "",
    "get_num_sms": "",
    "set_num_sms": "",
    "set_pdl": "",
}
VLLM = Needs(
    host="vLLM",
    functions=tuple(
        Wanted(spellings=tuple(names.split()), keywords=tuple(words.split()))
        for names, words in _OF_VLLM.items()
    ),
    optional=("mega_mhc", "fp8_fp4_mega_moe", "bf16_mega_moe", "get_block_m_for_mega_moe"),
)


def of_host(root: Path) -> Needs:
    """Return what a host's files use of the API. Nothing of the host is imported or run."""
    from dgpin.api.host.scan import scan  # noqa: PLC0415 - most runs are given no host

    return needs(scan(root), host=root.name)


def from_json(told: Mapping[str, Any]) -> Needs:
    """Return the needs whose `dataclasses.asdict` went through JSON."""
    functions = tuple(
        Wanted(spellings=tuple(each["spellings"]), keywords=tuple(each["keywords"]))
        for each in told["functions"]
    )
    return Needs(host=told["host"], functions=functions, optional=tuple(told["optional"]))


def needs(found: Scan, *, host: str) -> Needs:
    """Return the names without which a use fails, and the keywords that such uses pass.

    A name that the host asks for before it uses it, and can do without, is optional; tests are
    left out.
    """
    uses = [use for use in found.uses if use.is_use and not use.in_test]
    asked = {use.path for use in uses if _asks(use)}
    # Later legs of `a or b`: read only where the first is not there.
    later = {(use.place, target.path) for use in uses for target in use.targets[1:]}
    functions: dict[tuple[str, ...], set[str]] = {}
    for use in uses:
        if use.form not in _REACHING or _copes(use) or (use.place, use.path) in later:
            continue
        if asked & {target.path for target in use.targets}:
            continue
        if spellings := tuple(dict.fromkeys(_names(use))):
            functions.setdefault(spellings, set()).update(_keywords(use))
    return Needs(
        host=host,
        functions=tuple(
            Wanted(spellings=spellings, keywords=tuple(sorted(words)))
            for spellings, words in sorted(functions.items())
        ),
        optional=tuple(sorted(filter(None, map(_below, asked)))),
    )


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
    yield from filter(None, (_below(target.path) for target in use.targets))


def _below(path: str) -> str:
    """Return a path without the package that it starts with, "" for the package itself."""
    return path.partition(".")[2]


def _keywords(use: Use) -> Iterator[str]:
    """Yield what a call passes by name, but for what the host asks the function about first."""
    if use.is_one_of:  # of the functions that may be called here, each may take its own
        return
    known = {guard.parameter for guard in use.guards}
    for keyword in use.arguments.keywords if use.arguments else ():
        if keyword.name not in known:
            yield keyword.name
