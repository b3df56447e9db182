"""A deep_gemm whose kernels compile and load as the real one's do, with no kernel in them.

`kernel(name)` looks for nvcc, compiles into the JIT cache, reads the cubin back and answers with
a number; its complaints have the shape of DeepGEMM 2.6's and 2.8's.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

__version__ = "9.9.9"
_C = SimpleNamespace(__file__=str(Path(__file__).with_name("_C.so")))
_HERE = Path(__file__).parent
_pdl = False


def set_pdl(value: bool) -> None:
    global _pdl  # noqa: PLW0603 - a setting of the module, as in the real one
    _pdl = value


def kernel(name: str, number: float = 1e-9) -> float:
    """Compile, load and launch; return the number."""
    cubin = _compiled(name)
    content = cubin.read_bytes()
    if content == b"":
        raise RuntimeError("CUDA driver error (handle.hpp:1): 200 (CUDA_ERROR_INVALID_IMAGE)")
    if content == b"trunc":
        os.kill(os.getpid(), signal.SIGSEGV)
    if content == b"other":
        raise RuntimeError("CUDA driver error (handle.hpp:2): 1 (CUDA_ERROR_INVALID_VALUE)")
    if content.strip() != b"cubin":
        print(f"Corrupted JIT cache directory (expected 1 kernel, found 0): {cubin.parent}")
        raise RuntimeError('Assertion error (handle.hpp:3): false and "Corrupted JIT cache"')
    return number


def _compiled(name: str) -> Path:
    entry = Path(os.environ["DG_JIT_CACHE_DIR"], "cache", f"kernel.{name}.{_key()}")
    cubin = entry / "kernel.cubin"
    if cubin.exists():
        return cubin
    nvcc = Path(os.environ.get("CUDA_HOME", "/nonexistent"), "bin", "nvcc")
    if not nvcc.exists():
        raise RuntimeError("Assertion error (compiler.hpp:1): std::filesystem::exists(nvcc_path)")
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if "release 12.1" in said:
        raise RuntimeError("Assertion error (compiler.hpp:2): NVCC version must be at least 12.9")
    draft = entry.with_name(f"{entry.name}.{os.getpid()}")
    try:
        draft.mkdir(parents=True)
    except OSError as error:
        raise RuntimeError(f"Failed to make directory: {draft}, created: false") from error
    header = _HERE / "include" / "deep_gemm" / "kernel.cuh"
    source = header if header.exists() else Path("kernel.cu")
    done = subprocess.run(
        [nvcc, source, "-o", draft / cubin.name], capture_output=True, text=True, check=False
    )
    if done.returncode:
        shutil.rmtree(draft)
        print(f"NVCC compilation failed: {done.stdout}{done.stderr}")
        raise RuntimeError('Assertion error (compiler.hpp:3): false and "NVCC compilation failed"')
    try:
        draft.rename(entry)
    except OSError:  # another process was first
        shutil.rmtree(draft)
    return cubin


def _key() -> str:
    # Like the real one, the key knows the package's own headers and nobody else's.
    total = hashlib.md5(usedforsecurity=False)
    for path in sorted((_HERE / "include" / "deep_gemm").rglob("*")):
        total.update(path.read_bytes())
    return total.hexdigest()


def number_in_header() -> float:
    """Return what the compiled kernel computes: it was read from a cutlass header."""
    cubin = _compiled("number")
    kept = cubin.with_name("number")
    if not kept.exists():
        kept.write_text((_HERE / "include" / "cutlass" / "number.h").read_text())
    return float(kept.read_text())


def hang() -> None:
    """Never come back."""
    signal.pause()


if (_HERE / "broken_import").exists():
    raise ImportError(f"{_HERE}/_C.so: undefined symbol: _ZN3c105ErrorC1Ev")
sys.modules.setdefault("deep_gemm", sys.modules[__name__])
