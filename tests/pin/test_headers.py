"""Whose header is it?"""

import pytest

from dgpin.pin.headers import GCC_FLOORS, PACKAGES, Owner, owner


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("format", Owner.STANDARD),
        ("cstdint", Owner.STANDARD),
        ("stdint.h", Owner.STANDARD),
        ("sys/wait.h", Owner.STANDARD),
        ("immintrin.h", Owner.STANDARD),
        ("cuda.h", Owner.CUDA),
        ("cuda_fp8.h", Owner.CUDA),
        ("cuda_fp16.hpp", Owner.CUDA),
        ("cuda/std/utility", Owner.CUDA),
        ("cccl/cuda/std/utility", Owner.CUDA),
        ("cublasLt.h", Owner.CUDA),
        ("cuComplex.h", Owner.CUDA),
        ("nvrtc.h", Owner.CUDA),
        ("vector_types.h", Owner.CUDA),
        ("torch/python.h", Owner.TORCH),
        ("ATen/cuda/CUDAContext.h", Owner.TORCH),
        ("pybind11/pybind11.h", Owner.TORCH),
        ("Python.h", Owner.TORCH),
        ("elfutils/libdwfl.h", Owner.PACKAGE),
        # Nobody's, as far as the tables know
        ("nccl.h", None),
        ("cudnn.h", None),
        ("acl/acl.h", None),
        ("windows.h", None),
        ("vector.hpp", None),
        ("elfutils/unheard_of.h", None),
        ("pytorch/x.h", None),
    ],
)
def test_owner(header: str, expected: Owner | None) -> None:
    """Each header has one owner, and no owner is guessed from a likeness."""
    assert expected == owner(header)


def test_packages() -> None:
    """DeepJIT's header has its package on each family of distributions."""
    found = PACKAGES["elfutils/libdwfl.h"]

    assert ("elfutils-devel", "libdw-dev", "elfutils-dev") == (found.rpm, found.deb, found.apk)


def test_packages_are_sorted() -> None:
    """The tables stay in order, so that two additions do not meet at the end."""
    assert sorted(PACKAGES) == list(PACKAGES)
    assert sorted(GCC_FLOORS) == list(GCC_FLOORS)
