"""Whole families that a new tree dropped: an architecture, a kernel, a file."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import PurePosixPath


class Kind(str, Enum):
    """What was dropped as a whole."""

    ARCHITECTURE = "architecture"
    KERNEL = "kernel"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One row for everything that left together."""

    kind: Kind
    name: str  # sm_120, sm100_fp4_mqa_logits, or a path
    files: tuple[str, ...]
    lines: int  # telling lines in files that are gone, and of its commits elsewhere
    commits: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def architecture_of(path: str) -> str:
    """Return the architecture that a file's name speaks of, as `sm_90`; empty for none."""
    found = re.match(r"sm(\d+)(?:_|\.|$)", path.rpartition("/")[2])
    return f"sm_{found[1]}" if found else ""


def dropped(missing: Mapping[str, int], kept: Collection[str]) -> tuple[Family, ...]:
    """Return the families of the missing files (with their lines), architectures first.

    An architecture is dropped when none of the new tree's files is for it.
    """
    alive = {architecture_of(path) for path in kept}
    gone: dict[str, list[str]] = defaultdict(list)
    single: list[str] = []
    for path in sorted(missing):
        arch = architecture_of(path)
        if arch and arch not in alive:
            gone[arch].append(path)
        else:
            single.append(path)
    families = [
        Family(
            kind=Kind.ARCHITECTURE,
            name=arch,
            files=tuple(paths),
            lines=sum(missing[path] for path in paths),
        )
        for arch, paths in sorted(gone.items())
    ]
    alone = [_single(path, missing[path]) for path in single]
    return (*families, *sorted(alone, key=lambda family: (family.kind is Kind.FILE, -family.lines)))


def _single(path: str, lines: int) -> Family:
    pure = PurePosixPath(path)
    kernel = pure.parent.name == "impls"
    return Family(
        kind=Kind.KERNEL if kernel else Kind.FILE,
        name=pure.stem if kernel else path,
        files=(path,),
        lines=lines,
    )


def speaks_of(text: str, architecture: str) -> bool:
    """Tell whether a line or a subject names an architecture: SM120, sm_120a, arch_major == 12."""
    number = architecture.removeprefix("sm_")
    # A suffix or a last digit still means the family: 120a, 121; 100f, 103.
    short = rf"sm_?{number[:-1]}\d[af]?"
    major = rf"arch(?:_major)?\w*(?:\(\))?\s*[=!<>]=?\s*{number[:-1]}\b"
    gate = rf"__CUDA_ARCH__\s*[<>=]+\s*{number}0\b"
    return re.search(rf"(?:\b|_){short}(?:\b|_)|{major}|{gate}", text, re.IGNORECASE) is not None


def spoken_of(text: str) -> frozenset[str]:
    """Return the architectures that a subject names."""
    return frozenset(f"sm_{found}0" for found in re.findall(r"(?i)\bsm_?(\d+)\d[af]?\b", text))
