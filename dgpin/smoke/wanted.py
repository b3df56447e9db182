"""Functions of DeepGEMM that a host uses, with their keywords; vLLM's list where none is given.

Read by dgpin and by the interpreter under test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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


def from_json(told: Mapping[str, Any]) -> Needs:
    """Return the needs whose `dataclasses.asdict` went through JSON."""
    functions = tuple(
        Wanted(spellings=tuple(each["spellings"]), keywords=tuple(each["keywords"]))
        for each in told["functions"]
    )
    return Needs(host=told["host"], functions=functions, optional=tuple(told["optional"]))
