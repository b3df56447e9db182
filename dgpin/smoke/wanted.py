"""Names and keywords of DeepGEMM that vLLM uses, for runs that are not given a host.

Read from vLLM 0.30's `vllm/utils/deep_gemm.py` and its callers.
"""

# A tuple holds spellings of one function; the host takes whichever it finds.
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
