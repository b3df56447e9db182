"""What a process said, in the shapes of 2.6 and of 2.8, and the one cause that it has."""

import pytest

from dgpin.smoke.explain import causes, explain

# 2.8 raises the command before the log; the telling line comes after it.
COMMAND = (
    "RuntimeError: Assertion error (command.hpp:9): exit_code == 0: command failed with exit code"
    " 1:\ncd /c/tmp/1 && /cuda/bin/nvcc kernel.cu --cubin -std=c++20 --include-path /p/include\n"
)
NVCC = 'RuntimeError: Assertion error (compiler.hpp:9): false and "NVCC compilation failed"\n'
TRACE = "\nC++ trace (most recent call first):\n  #0 _C.so+0x1 deep_jit::Kernel::load() at ??:0\n"

SAID = [
    ("ImportError: /p/_C.so: undefined symbol: _ZN3c105ErrorC1Ev", "abi"),
    ("OSError: libcudart.so.12: cannot open shared object file: No such file", "library"),
    ("OSError: Could not load this library: /p/_C.so", "unloadable"),
    ("ModuleNotFoundError: No module named 'deep_gemm._C'", "import"),
    ("ImportError: cannot import name 'fp8_gemm_nt' from 'deep_gemm._C'", "import"),
    (
        (
            "UserWarning: Failed to initialize NumPy: No module named 'numpy'\n"
            "RuntimeError: NVCC compiler is not executable: /e/bin/nvcc"
        ),
        "no-nvcc",
    ),
    ("sh: 1: /cuda/bin/nvcc: Permission denied", "no-nvcc"),
    ("RuntimeError: No CUDA GPUs are available", "no-gpu"),
    ("RuntimeError: Found no NVIDIA driver on your system.", "no-gpu"),
    (
        (
            "RuntimeError: 200 (CUDA_ERROR_INVALID_IMAGE)\nNVRTC log: math.cuh(3): catastrophic"
            ' error: cannot open source file "cuda/std/cstdint"'
        ),
        "nvrtc",
    ),
    (f"RuntimeError: 2 or minor >= 9): NVCC version must be at least 12.9{TRACE}", "old-nvcc"),
    (
        (
            'RuntimeError: false and "Corrupted JIT cache directory"\nWarning: please use at least'
            " NVCC 12.9\nCorrupted JIT cache directory (missing kernel.cu or kernel.cubin): /c/x"
        ),
        "old-nvcc",
    ),
    ("RuntimeError: Assertion error: std::filesystem::exists(nvcc_path)", "no-nvcc"),
    (f"RuntimeError: NVCC compiler is not executable: /e/bin/nvcc{TRACE}", "no-nvcc"),
    (f"not home_path.empty() and std::filesystem::exists(home_path){TRACE}", "no-nvcc"),
    (f"{NVCC}gcc: No such file or directory\nnvcc fatal : Failed to preprocess", "no-compiler"),
    (f"{COMMAND}nvcc fatal : Failed to preprocess host compiler properties.", "no-compiler"),
    (f"{NVCC}nvcc fatal : Could not open output file '/t/tmpxft_1'", "temporary-directory"),
    (f"{COMMAND}nvcc fatal : Could not open output file '/t/tmpxft_1'", "temporary-directory"),
    (f"{NVCC}cc1plus: fatal error: .deep_gemm/tmp/1/kernel.cu: No such file", "no-home"),
    ("not home.empty(): HOME environment variable must not be empty", "no-home"),
    ("RuntimeError: invalid value for DG_JIT_DEBUG: maybe", "environment"),
    (
        "  #1 _C.so+0x1 deep_jit::cuda::CompilerOptions::default_options(deep_jit::Env const&)",
        "environment",
    ),
    (COMMAND.replace("c++20", "c++17"), "cpp-standard"),
    (f"{NVCC}/p/math.cuh:4: fatal error: cutlass/half.h: No such file", "missing-header"),
    (f"{COMMAND}/p/math.cuh:4: fatal error: cutlass/half.h: No such file", "missing-header"),
    (f"RuntimeError: input.is_open(): failed to open: {TRACE}", "missing-header"),
    ("RuntimeError: Failed to make directory: /x/tmp, created: false", "cache-unwritable"),
    (
        "RuntimeError: filesystem error: cannot create directories: No such file [/x]",
        "cache-unwritable",
    ),
    ('RuntimeError: false and "Corrupted JIT cache directory"', "cache-damaged"),
    (f"RuntimeError: Panic error: missing CUDA CUBIN: /c/kernel.cubin{TRACE}", "cache-damaged"),
    (f"RuntimeError: expected exactly one kernel in /c/kernel.cubin{TRACE}", "cache-damaged"),
    (
        "RuntimeError: 200 (CUDA_ERROR_INVALID_IMAGE, device kernel image is invalid)",
        "cache-damaged",
    ),
    ("RuntimeError: CUDA_ERROR_NO_BINARY_FOR_GPU", "wrong-gpu"),
    ("AcceleratorError: CUDA error: an illegal memory access was encountered", "fault"),
    (
        f"RuntimeError: error 700 (CUDA_ERROR_ILLEGAL_ADDRESS): an illegal memory access{TRACE}",
        "fault",
    ),
    (
        f"RuntimeError: lazy_cuLaunchKernelEx(...) error 1 (CUDA_ERROR_INVALID_VALUE){TRACE}",
        "stale-kernel",
    ),
    ("OutOfMemoryError: CUDA out of memory.", "out-of-memory"),
    ("RuntimeError: Assertion error (attention.hpp:1): block_kv == 64", "unsupported"),
    ("RuntimeError: Assertion error (mega_moe.hpp:1): Unsupported architecture", "unsupported"),
    ("TypeError: f() got an unexpected keyword argument 'clean_logits'", "call"),
    ("AttributeError: module 'deep_gemm' has no attribute 'fp8_gemm_nt'", "call"),
    (f"{NVCC}/p/k.cuh(3): error: expected a declaration", "compile"),
    (f"{COMMAND}/p/k.cuh(3): error: expected a declaration", "compile"),
    (COMMAND, "compile"),
    ("ValueError: something that nobody has seen", "unexplained"),
    ("", "unexplained"),
]


@pytest.mark.parametrize(("said", "cause"), SAID)
def test_cause(said: str, cause: str) -> None:
    """Each text has its cause, and a cure."""
    found = explain(said)

    assert cause == found.cause
    assert found.what
    assert found.cure.endswith(".")


def test_silence() -> None:
    """A process that said nothing is explained by how it ended."""
    assert "segmentation-fault" == explain("", returncode=-11).cause
    assert "hang" == explain("", returncode=None, timed_out=True).cause


def test_every_cause_is_tested() -> None:
    """Each row of the table is met by some text above."""
    met = {cause for _, cause in SAID} | {"segmentation-fault", "hang"}

    assert set(causes()) == met
