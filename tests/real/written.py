"""DeepGEMM sources of the 2.5 and 2.6 line, written here to what the real ones tell.

The commits that vLLM pinned before 0.30 are in no package index. What a source of theirs tells
(submodules, include directories, libraries, floors, architectures, kernels, names) is public, and
is all that a pin needs of it.
"""

from collections.abc import Mapping

from tests.example.deepgemm import sources
from tests.example.repository import Commit

CUTLASS, FMT, DEEP_JIT = "third-party/cutlass", "third-party/fmt", "third-party/deep_jit"
ARCHES = ("sm90", "sm100", "sm120")
KERNELS = {
    "sm90": """
        bf16_gemm bmk_bnk_mn fp8_gemm_1d1d fp8_gemm_1d2d fp8_mqa_logits fp8_paged_mqa_logits
        tf32_hc_prenorm_gemm
        """,
    "sm100": """
        bf16_gemm bf16_mega_moe bmk_bnk_mn fp8_fp4_gemm_1d1d fp8_fp4_mega_moe mqa_logits
        tf32_hc_prenorm_gemm
        """,
    "sm120": "fp8_gemm_1d1d paged_mqa_logits",
    "smxx": "clean_logits layout",
}
# Names that the host calls; the last four are gone in 2.8.
NAMES = (
    "fp8_gemm_nt",
    "fp8_fp4_gemm_nt",
    "m_grouped_fp8_gemm_nt_contiguous",
    "m_grouped_fp8_gemm_nt_masked",
    "fp8_fp4_mqa_logits",
    "fp8_fp4_paged_mqa_logits",
    "get_paged_mqa_logits_metadata",
    "tf32_hc_prenorm_gemm",
    "transform_sf_into_required_layout",
    "fp8_gemm_nt_skip_head_mid",
    "fp8_mqa_logits",
    "fp8_paged_mqa_logits",
)
_IMPLS = "deep_gemm/include/deep_gemm/impls"


def files(version: str, *, arches: tuple[str, ...] = ARCHES) -> dict[str, str]:
    """Return a source's files, those of its submodules included."""
    kept = {
        path: text
        for path, text in sources()["old"].items()
        if not path.startswith((f"{_IMPLS}/", "deep_gemm/utils/"))
    }
    kept["deep_gemm/__init__.py"] = (
        f"from . import _C\nfrom ._C import (\n    {', '.join(NAMES)},\n)\n"
        "fp8_m_grouped_gemm_nt_masked = m_grouped_fp8_gemm_nt_masked\n"
        "from . import legacy, mega, testing, utils\n"
        f"\n__version__ = '{version}'\n"
    )
    for name in ("legacy", "mega", "testing", "utils"):
        kept[f"deep_gemm/{name}/__init__.py"] = ""
    return kept | kernels(*arches, "smxx")


def kernels(*arches: str) -> dict[str, str]:
    """Return the kernel headers of architectures."""
    return {
        f"{_IMPLS}/{arch}_{name}.cuh": "#pragma once\n"
        for arch in arches
        for name in KERNELS[arch].split()
    }


def commit(
    name: str,
    all_files: Mapping[str, str],
    submodules: Mapping[str, str],
    *,
    parents: tuple[str, ...] = (),
    branch: str,
) -> Commit:
    """Return a commit with `branch` at it; what lies in the submodules is theirs."""
    inside = tuple(f"{path}/" for path in submodules)
    return Commit(
        name=name,
        subject=f"State {name}",
        files={path: text for path, text in all_files.items() if not path.startswith(inside)},
        submodules=submodules,
        parents=parents,
        refs=[f"refs/heads/{branch}"],
    )
