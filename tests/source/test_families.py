"""Whole families that a new tree dropped."""

import pytest

from dgpin.source import families
from dgpin.source.families import Kind


@pytest.mark.parametrize(
    ("path", "architecture"),
    [
        ("impls/sm120_fp8_gemm.cuh", "sm_120"),
        ("heuristics/sm90.hpp", "sm_90"),
        ("impls/smxx_layout.cuh", ""),
        ("sm120/kernel.cuh", ""),
        ("common/small.cuh", ""),
    ],
)
def test_architecture(path: str, architecture: str) -> None:
    """A file's own name tells its architecture."""
    assert architecture == families.architecture_of(path)


def test_one_row_each() -> None:
    """A dropped architecture is one row, a dropped kernel another, and files come last."""
    found = families.dropped(
        {"impls/sm120_a.cuh": 10, "sm120.hpp": 5, "impls/sm90_b.cuh": 7, "util.hpp": 9},
        {"impls/sm90_a.cuh"},
    )

    assert [
        (Kind.ARCHITECTURE, "sm_120", 15),
        (Kind.KERNEL, "sm90_b", 7),
        (Kind.FILE, "util.hpp", 9),
    ] == [(family.kind, family.name, family.lines) for family in found]


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("SM120: enable split-K", True),
        ("sm_120a", True),
        ("SM121 reuses it", True),
        ("&sm120_fp8_gemm<", True),
        ("if (arch_major == 12)", True),
        ("device_runtime->get_arch_major() == 12", True),
        ("#if __CUDA_ARCH__ >= 1200", True),
        ("SM100 and SM90", False),
        ("arch_major == 10", False),
        ("size == 12", False),
        ("sm1200_name", False),
    ],
)
def test_speaks_of(text: str, speaks: bool) -> None:
    """A line names an architecture by its number, its family's, or its major version."""
    assert speaks == families.speaks_of(text, "sm_120")


@pytest.mark.parametrize(
    ("subject", "spoken"),
    [
        ("SM120: fix SM90/SM100 regressions", {"sm_120", "sm_90", "sm_100"}),
        ("Add SM120a support", {"sm_120"}),
        ("Fix H=32", set()),
    ],
)
def test_spoken_of(subject: str, spoken: set[str]) -> None:
    """Every architecture that a subject names is found."""
    assert spoken == families.spoken_of(subject)
