"""Loader messages, and the causes that they stand for."""

import pytest

from dgpin.api import failures
from dgpin.api.failures import Cause

SUFFIX = ".cpython-311-x86_64-linux-gnu.so"
HERE = ("_C.cpython-311-x86_64-linux-gnu.so",)


def classified(message: str, *, kind: str = "ImportError", **more: object) -> failures.Failure:
    """Return the cause of an import that raised this."""
    facts = {
        "stage": "build",
        "type": kind,
        "message": message,
        "line": "",
        "place": "",
        "missing": "",
        "maps": [],
        **more,
    }
    return failures.classify(facts, extensions=HERE, suffix=SUFFIX)


@pytest.mark.parametrize(
    ("message", "cause", "says"),
    [
        (
            "/x/_C.so: undefined symbol: _ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb",
            Cause.TORCH_ABI,
            "c10::cuda::c10_cuda_check_implementation",
        ),
        (
            "/x/_C.so: undefined symbol: _ZN3c106detail14torchCheckFailEPKcS2_jRKSs",
            Cause.TORCH_ABI,
            "c10::detail::torchCheckFail",
        ),
        (
            "undefined symbol: _ZN2at8internal3fooERKNSt7__cxx1112basic_stringIcEE",
            Cause.TORCH_ABI,
            "std::string by the other C++ ABI",
        ),
        ("undefined symbol: PyUnicode_AsUTF8Foo", Cause.PYTHON_ABI, "another Python"),
        ("undefined symbol: _PyThreadState_Current", Cause.PYTHON_ABI, "another Python"),
        ("undefined symbol: cudaLaunchKernelExC", Cause.CUDA_LIBRARY, "cudaLaunchKernelExC"),
        ("undefined symbol: cublasLtCreate", Cause.CUDA_LIBRARY, "cublasLtCreate"),
        (
            "libcudart.so.12: cannot open shared object file: No such file or directory",
            Cause.CUDA_LIBRARY,
            "it needs libcudart.so.12",
        ),
        (
            "libnvrtc.so.13: cannot open shared object file: No such file or directory",
            Cause.CUDA_LIBRARY,
            "it needs libnvrtc.so.13",
        ),
        (
            "libc10_cuda.so: cannot open shared object file: No such file or directory",
            Cause.TORCH_ABI,
            "it needs libc10_cuda.so",
        ),
        (
            "libdw.so.1: cannot open shared object file: No such file or directory",
            Cause.SYSTEM_LIBRARY,
            "it needs libdw.so.1",
        ),
        (
            "/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /x/_C.so)",
            Cause.SYSTEM_LIBRARY,
            "GLIBCXX_3.4.32",
        ),
        ("/x/_C.so: file too short", Cause.DAMAGED, "file too short"),
        ("/x/_C.so: wrong ELF class: ELFCLASS32", Cause.DAMAGED, "wrong ELF class"),
        ("something else entirely", Cause.IMPORT, "something else entirely"),
    ],
)
def test_loader(message: str, cause: Cause, says: str) -> None:
    """Each message of the loader has a cause, and the thing that is missing is named."""
    found = classified(message)

    assert cause is found.cause
    assert says in found.what
    assert found.remedy


def test_not_about_the_gpu() -> None:
    """A torch that does not fit is not mistaken for an architecture that is missing."""
    found = classified("undefined symbol: _ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb")

    assert "nothing about the GPU or the architectures" in found.what


def test_found_instead() -> None:
    """The library that is there instead is named."""
    maps = ["/torch/lib/libcudart.so.13", "/usr/lib/libm.so.6"]
    found = classified("libcudart.so.12: cannot open shared object file", maps=maps)

    assert "there is /torch/lib/libcudart.so.13 instead" in found.what


def test_cuda_home() -> None:
    """The assertion of older builds is told from other assertions."""
    line = "assert cuda_home is not None"

    assert Cause.CUDA_HOME is classified("", kind="AssertionError", line=line).cause
    assert Cause.IMPORT is classified("", kind="AssertionError", line="assert x").cause


def test_torch_stage() -> None:
    """What goes wrong in torch is never the build's fault."""
    found = classified("No module named 'torch'", kind="ModuleNotFoundError", stage="torch")

    assert Cause.ABSENT is found.cause


@pytest.mark.parametrize(
    ("symbol", "plain"),
    [
        (
            "_ZN3c104cuda20CUDACachingAllocator9allocatorE",
            "c10::cuda::CUDACachingAllocator::allocator",
        ),
        ("_Z3fooi", "foo"),
        ("_ZNK2at6Tensor3dimEv", "at::Tensor::dim"),
        ("_ZN1aB5cxx111bEv", "a::b"),
        ("PyUnicode_New", "PyUnicode_New"),
        ("_Z", "_Z"),
    ],
)
def test_demangle(symbol: str, plain: str) -> None:
    """Enough of a symbol is read to know whose it is."""
    assert plain == failures.demangle(symbol)


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("_C.cpython-311-x86_64-linux-gnu.so", True),
        ("_C.cpython-312-x86_64-linux-gnu.so", False),
        ("_C_extension.abi3.so", True),
        ("_C.so", True),
    ],
)
def test_fits(name: str, *, fits: bool) -> None:
    """An interpreter takes its own suffix, the stable one and the bare one."""
    assert fits == failures.fits(name, SUFFIX)
