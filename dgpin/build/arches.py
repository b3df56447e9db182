"""TORCH_CUDA_ARCH_LIST: without effect on `_C`, but a host may leave DeepGEMM out by it."""

import re
from collections.abc import Iterable

# The names that torch.utils.cpp_extension takes besides numbers, of the generations that
# DeepGEMM's kernels can be for.
_NAMES = {"Hopper": ("9",), "Blackwell": ("10", "12"), "Ampere": ("8",), "Ada": ("8",)}


def families(words: Iterable[str]) -> frozenset[str] | None:
    """Return the families (`9`, `10`, `12`) of an architecture list; None for a word unknown.

    `9.0a`, `10.0f`, `sm_90`, `90` and `12.0+PTX` are understood.
    """
    found: set[str] = set()
    for word in words:
        bare = word.strip().removesuffix("+PTX").removeprefix("sm_")
        number = re.fullmatch(r"(\d{1,2})\.\d[af]?|(\d{1,2})\d[af]?", bare)
        if number:
            found.add(number[1] or number[2])
        elif bare in _NAMES:
            found.update(_NAMES[bare])
        elif bare:
            return None
    return frozenset(found)


def note(asked: str, supported: Iterable[str]) -> str:
    """Say what TORCH_CUDA_ARCH_LIST does here; empty when it is not set.

    `supported` is the list by which the host decides, empty without one.
    """
    words = re.split(r"[;, ]+", asked.strip())
    wanted, offered = families(words), families(supported)
    if not asked.strip():
        return ""
    if wanted and offered and not wanted & offered:
        listed = ", ".join(sorted(offered, key=int))
        return (
            f"TORCH_CUDA_ARCH_LIST={asked} has no family of the host's list ({listed}): the "
            "host's own build leaves DeepGEMM out without a word"
        )
    return f"TORCH_CUDA_ARCH_LIST={asked} changes nothing here: _C is host code"
