"""Small builds, and interpreters that load them without a real torch."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter

# What the probe, and small builds, ask of torch.
TORCH = '''
"""A torch that is only there."""
__version__ = "9.9.0"


class version:
    cuda = "13.0"


class _C:
    @staticmethod
    def _jit_get_all_schemas():
        return []


class dtype:
    pass


class Tensor:
    pass


float32 = dtype()


def empty(*shape):
    return Tensor()
'''
# A build needs a compiled half; Python's own stands in for it here.
NATIVE = '"""The stand-in for the compiled half."""\n'


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below a directory, with a `_C.py` unless there is one; return the directory."""
    for name, text in {"deep_gemm/_C.py": NATIVE, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def python(root: Path, *, torch: str | None = TORCH, base: str = sys.executable) -> Interpreter:
    """Make an interpreter that has this torch, or none, and nothing else."""
    subprocess.run([base, "-m", "venv", "--without-pip", root], check=True)
    executable = root / "bin" / "python"
    if torch is not None:
        packages = next((root / "lib").glob("python*")) / "site-packages"
        write(packages, {"torch/__init__.py": torch, "torch-9.9.0.dist-info/METADATA": ""})
        (packages / "deep_gemm" / "_C.py").unlink()
        (packages / "deep_gemm").rmdir()
    return interpreter.read(str(executable), modules=("torch", "deep_gemm"))
