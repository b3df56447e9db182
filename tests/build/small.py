"""A DeepGEMM so small that it compiles in half a second, and a torch of the same kind."""

import sys
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from tests.build.world import write

SETUP = """\
from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension

third_party_include_dirs = [
    'third-party/cutlass/include/cute',
    'third-party/cutlass/include/cutlass',
]

CUDAExtension(name='deep_gemm._C',
              sources=['csrc/python_api.cpp'],
              include_dirs=[f'{CUDA_HOME}/include', 'third-party/cutlass/include'],
              libraries=['cudart'],
              extra_compile_args=['-std=c++17', '-O0'])
"""
MODULE = """\
#include <Python.h>
#include <cuda_runtime_api.h>
#include <torch/python.h>

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit__C(void) { return PyModule_Create(&module); }
"""
PACKAGE = """\
import torch

from . import _C

__version__ = '2.8.0'
"""
# What torch's __init__ does in the end: its libraries are there before an extension wants them.
TORCH = """\
import ctypes
from pathlib import Path

for library in sorted((Path(__file__).parent / 'lib').glob('*.so')):
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
"""
# c10 carries std::string in its symbols, by which dgpin tells the ABI.
STRING = "#include <string>\nvoid touch(std::string) {}\n"
LIBRARIES = ("c10", "c10_cuda", "torch", "torch_cpu", "torch_cuda", "torch_python")


@dataclass(frozen=True, kw_only=True)
class Small:
    """Where the source, the interpreter and the toolkit are."""

    root: Path

    @property
    def source(self) -> Path:
        """The DeepGEMM."""
        return self.root / "source"

    @property
    def python(self) -> str:
        """An interpreter that has the small torch."""
        return str(self.root / "venv/bin/python")

    @property
    def toolkit(self) -> Path:
        """The CUDA home."""
        return self.root / "cuda"

    @property
    def site(self) -> Path:
        """The interpreter's site-packages."""
        return next((self.root / "venv/lib").glob("python*/site-packages"))


def make(root: Path) -> Small:
    """Write the small world; a second is what it takes."""
    small = Small(root=root)
    write_source(small.source)
    toolkit(small.toolkit, "13.0")
    # Without pip a virtual environment takes a tenth of a second.
    process.run([sys.executable, "-m", "venv", "--without-pip", root / "venv"]).check()
    torch = small.site / "torch"
    write(torch / "__init__.py", TORCH)
    write(
        torch / "version.py",
        f"__version__ = '2.14.1+cu130'\ncuda = '13.0'\ngit_version = '{'5' * 40}'\n",
    )
    write(torch / "include/ATen/ATen.h", "#error C++20 or later compatible compiler is required\n")
    write(torch / "include/torch/python.h")
    for name in LIBRARIES:
        library(torch / f"lib/lib{name}.so", code=STRING if name == "c10" else "")
    return small


def write_source(root: Path) -> None:
    """Write the source."""
    write(root / "setup.py", SETUP)
    write(root / "csrc/python_api.cpp", MODULE)
    write(root / "deep_gemm/__init__.py", PACKAGE)
    write(root / "deep_gemm/include/deep_gemm/impls/sm90_gemm.cuh")
    write(root / "third-party/cutlass/include/cute/tensor.hpp")
    write(root / "third-party/cutlass/include/cutlass/cutlass.h")


def toolkit(home: Path, version: str, *, header: str = "") -> None:
    """Write a CUDA home whose runtime header is `header`."""
    major, minor = version.split(".")
    number = int(major) * 1000 + int(minor) * 10
    write(home / "include/cuda.h", f"#define CUDA_VERSION {number}\n")
    write(home / "include/cuda_runtime_api.h", header)
    library(home / "lib64/libcudart.so", soname=f"libcudart.so.{major}")
    # The loader looks for the name that the extension asks for.
    (home / f"lib64/libcudart.so.{major}").unlink(missing_ok=True)
    (home / f"lib64/libcudart.so.{major}").symlink_to("libcudart.so")


def library(path: Path, *, code: str = "", soname: str = "") -> None:
    """Compile a shared object."""
    path.parent.mkdir(parents=True, exist_ok=True)
    name = f"-Wl,-soname,{soname or path.name}"
    command = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(path), name]
    process.run(command, stdin=code.encode()).check()
