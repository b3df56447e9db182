"""Failures that were provoked on a GPU, kind by kind, in the shapes of 2.6 and of 2.8.

The texts are shortened; which of exception, stdout and stderr holds the telling line, the exit
code and the end by time are those of the run.
"""

from dataclasses import dataclass

import pytest

from dgpin.smoke.case import Check
from dgpin.smoke.explain import told
from dgpin.smoke.transcript import Child, results
from dgpin.verdict import Verdict

# What nearly any failed compilation says besides its own cause.
CONSEQUENCES = frozenset({"compile", "cache-damaged"})

# 2.6: nvcc's log on stdout, one assertion as the exception, Python's traceback on stderr.
FAILED_26 = (
    'RuntimeError: Assertion error (jit/compiler.hpp:9): false and "NVCC compilation failed"'
)
BROKEN_26 = 'RuntimeError: Assertion error (jit/handle.hpp:9): false and "Corrupted JIT cache dir'
BROKEN_26 += 'ectory"'
SAID_26 = "NVCC compilation failed: {}"
# 2.8: the command and then the log in the exception, a trace of C++ behind it and on stderr.
FAILED_28 = (
    "RuntimeError: Assertion error (jit/command.hpp:9): exit_code == 0: command failed with exit"
    " code 1:\ncd /c/srv/jit/1 && /cuda/bin/nvcc kernel.cu --cubin --output-file kernel.cubin"
    " --gpu-architecture=sm_90a -O3 {} --compiler-options=-fPIC --include-path /p/include\n{}"
)
TRACE_28 = (
    "C++ trace (most recent call first):\n"
    "  #0 /p/_C.so+0x13 deep_jit::cuda::Kernel::load(deep_jit::Env const&) at ??:0\n"
    "  #1 /p/_C.so+0x9c <unknown function> at ??:0\n"
)
# Where the text of a record ends inside nvcc's command, no cause can be told but this one.
CUT = FAILED_28.format("-std=c++20", "").partition(" --compiler-options")[0]


def python(exception: str) -> str:
    """Return the traceback that 2.6 leaves on stderr."""
    return f'Traceback (most recent call last):\n  File "check.py", line 3, in run\n{exception}\n'


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One kind on one shape of build; `cause` is None for what passed all the same."""

    kind: str
    build: str
    cause: str | None
    exception: str = ""
    stdout: str = ""
    stderr: str = ""
    code: int | None = 0

    @property
    def text(self) -> str:
        """Everything that was said."""
        return f"{self.exception}\n{self.stdout}\n{self.stderr}"


def old(kind: str, cause: str, exception: str, stdout: str = "") -> Failure:
    """Return a failure of 2.6."""
    return Failure(
        kind=kind, build="2.6", cause=cause, exception=exception, stdout=stdout,
        stderr=python(exception),
    )  # fmt: skip


def new(kind: str, cause: str, exception: str) -> Failure:
    """Return a failure of 2.8 in a call."""
    return Failure(kind=kind, build="2.8", cause=cause, exception=exception, stderr=TRACE_28)


def start(kind: str, cause: str, said: str) -> Failure:
    """Return a failure of 2.8 at its first step, which ends the process."""
    return Failure(
        kind=kind, build="2.8", cause=cause, stderr=f"RuntimeError: {said}\n{TRACE_28}", code=1
    )


def passed(kind: str, *builds: str) -> list[Failure]:
    """Return what did no harm."""
    return [Failure(kind=kind, build=build, cause=None) for build in builds]


def compiled(log: str = "", standard: str = "-std=c++20") -> str:
    """Return 2.8's exception of a compilation."""
    return FAILED_28.format(standard, log)


def unbound(build: str, symbol: str) -> Failure:
    """Return the import of a build for another torch."""
    said = f"ImportError: /p/{build}/deep_gemm/_C.so: undefined symbol: {symbol}"
    return Failure(kind="import", build=build, cause="abi", exception=said, code=None)


SYMBOL = "_ZN3c1010ValueErrorC1ENS_14SourceLocationE"
NVRTC = 'NVRTC log: math.cuh(3): catastrophic error: cannot open source file "cuda/std/cstdint"'
IMAGE = "CUDA driver error (jit/handle.hpp:9): 200 (CUDA_ERROR_INVALID_IMAGE)"
OTHER = "CUDA driver error (jit/handle.hpp:9): 1 (CUDA_ERROR_INVALID_VALUE)"
REFUSED = "RuntimeError: Assertion error (apis/attention.hpp:9): block_kv == 64"
NO_NVCC = "RuntimeError: Assertion error (jit/compiler.hpp:9): std::filesystem::exists(nvcc_path)"
FULL = "RuntimeError: Assertion error (utils/system.hpp:9): Failed to open: /p/impls/layout.cuh"
ILLEGAL = "failed with CUDA error 700 (CUDA_ERROR_ILLEGAL_ADDRESS)\n"
ONE = "RuntimeError: Panic error (kernel.hpp:9): expected exactly one kernel in /c/kernel.cubin\n"

FAILURES = [
    *passed("a switch that is no truth value", "2.6"),
    Failure(
        kind="a switch that is no truth value", build="2.8", cause="environment", code=1,
        stderr=TRACE_28.replace("Kernel::load(", "CompilerOptions::default_options("),
    ),
    old("unwritable cache", "cache-unwritable", "RuntimeError: Failed to make directory: /x/tmp"),
    new("unwritable cache", "cache-unwritable",
        "RuntimeError: filesystem error: cannot create directories: No such file or directory"),
    old("C++17", "cpp-standard", FAILED_26,
        SAID_26.format('type_traits(9): note: "__is_complete_or_unbounded(std::__type_identity<T')),
    new("C++17", "cpp-standard", compiled(standard="-std=c++17")),
    old("empty cubin", "cache-damaged", f"RuntimeError: {IMAGE}"),
    new("empty cubin", "cache-damaged", f"RuntimeError: {IMAGE}\n{TRACE_28}"),
    old("garbage for a cubin", "cache-damaged", BROKEN_26,
        "Corrupted JIT cache directory (expected 1 kernel, found 0): /c/k"),
    new("garbage for a cubin", "cache-damaged", ONE),
    old("missing cubin", "cache-damaged", BROKEN_26,
        "Corrupted JIT cache directory (missing kernel.cu or kernel.cubin): /c/k"),
    new("missing cubin", "cache-damaged",
        f"RuntimeError: Panic error (kernel.hpp:9): missing CUDA CUBIN: /c/k.cubin\n{TRACE_28}"),
    old("cubin for sm_100", "cache-damaged", BROKEN_26,
        "Corrupted JIT cache directory (expected 1 kernel, found 0): /c/k"),
    new("cubin for sm_100", "cache-damaged", ONE),
    old("another kernel's cubin", "stale-kernel", f"RuntimeError: {OTHER}"),
    new("another kernel's cubin", "stale-kernel", f"RuntimeError: {OTHER}\n{TRACE_28}"),
    Failure(kind="truncated cubin", build="2.6", cause="hang", code=None),
    Failure(kind="truncated cubin", build="2.8", cause="segmentation-fault", code=-11),
    old("no CUDA home", "no-nvcc", NO_NVCC),
    start("no CUDA home", "no-nvcc",
          "not home_path.empty() and std::filesystem::exists(home_path)"),
    old("CUDA home without nvcc", "no-nvcc", NO_NVCC),
    start("CUDA home without nvcc", "no-nvcc", "NVCC compiler is not executable: /e/bin/nvcc"),
    *passed("an edited header of cutlass", "2.6", "2.8"),
    old("no cutlass", "missing-header", FAILED_26,
        SAID_26.format("math.cuh:4:10: fatal error: cutlass/half.h: No such file or directory")),
    new("no cutlass", "compile", CUT),
    old("an edited header of the package", "compile", FAILED_26,
        SAID_26.format("math.cuh(4): error: expected a declaration")),
    new("an edited header of the package", "compile", CUT),
    old("no header of the package", "missing-header", FULL),
    new("no header of the package", "missing-header",
        f"RuntimeError: Assertion error: input.is_open(): failed to open: \n{TRACE_28}"),
    Failure(
        kind="a fault, each launch waited for", build="2.8", cause="fault", code=70,
        exception=f"RuntimeError: Panic error (driver.hpp:9): cuLaunchKernelEx(...) {ILLEGAL}",
        stderr=TRACE_28,
    ),
    *passed("no cuobjdump", "2.6", "2.8"),
    *passed("neither CUDA home nor nvcc on PATH", "2.6", "2.8"),
    *(Failure(kind="no GPU that can be seen", build=build, cause="no-gpu", code=1,
              stderr=python("RuntimeError: No CUDA GPUs are available"))
      for build in ("2.6", "2.8")),
    old("neither HOME nor a cache", "no-home", FAILED_26,
        SAID_26.format("cc1plus: fatal error: .deep_gemm/tmp/1/kernel.cu: No such file")),
    start("neither HOME nor a cache", "no-home", "HOME environment variable must not be empty"),
    old("no C++ compiler", "no-compiler", FAILED_26,
        SAID_26.format("gcc: No such file or directory\nnvcc fatal   : Failed to preprocess")),
    new("no C++ compiler", "compile", CUT),
    old("nvcc 12.8", "old-nvcc", BROKEN_26,
        "Warning: please use at least NVCC 12.9\nCorrupted JIT cache directory (missing kernel.cu"
        " or kernel.cubin): /c/k"),
    start("nvcc 12.8", "old-nvcc", "NVCC version must be at least 12.9"),
    old("no place for temporary files", "temporary-directory", FAILED_26,
        SAID_26.format("nvcc fatal   : Could not open output file '/x/tmpxft_1'")),
    new("no place for temporary files", "compile", CUT),
    Failure(kind="a shape that it declines", build="2.8", cause="unsupported", exception=REFUSED,
            stderr=python(REFUSED)),
    old("NVRTC", "nvrtc", f"RuntimeError: {IMAGE}", NVRTC),
    *passed("NVRTC", "2.8"),
    unbound("vLLM 0.29", SYMBOL),
    unbound("vLLM 0.30", SYMBOL),
    unbound("tokenspeed 2.6.1", SYMBOL),
    unbound("tokenspeed 2.8.0", SYMBOL),
    unbound("tokenspeed 2.8.2", "_ZN3c104cuda19CUDAErrorLogCaptureC1Ev"),
    Failure(kind="import", build="sgl", cause="unloadable", code=None,
            exception="OSError: Could not load this library: /p/sgl/deep_gemm/_C.so"),
]  # fmt: skip

# Three of them again, as they are where nothing cuts them short.
WHOLE = [
    new("no cutlass, whole", "missing-header",
        compiled("math.cuh:4:10: fatal error: cutlass/half.h: No such file or directory")),
    new("no C++ compiler, whole", "no-compiler",
        compiled("nvcc fatal   : Failed to preprocess host compiler properties.")),
    new("no place for temporary files, whole", "temporary-directory",
        compiled("nvcc fatal   : Could not open output file '/x/tmpxft_1'")),
]  # fmt: skip


def name(failure: Failure) -> str:
    """Return a name for pytest."""
    return f"{failure.kind}, {failure.build}"


def ended(failure: Failure) -> Child:
    """Return the worker's process that fails so."""
    begin = {"event": "check", "check": "one"}
    end: dict[str, object] = {
        "event": "end", "check": "one", "seconds": 1.0, "cold_seconds": 0.0, "warm_ms": [],
        "kernels": [], "number": 0.0, "why": "",
    }  # fmt: skip
    if failure.exception:
        end["raised"] = failure.exception
    answers = failure.exception or failure.cause is None
    return Child(
        events=(begin, end) if answers else (begin,),
        returncode=failure.code,
        stdout=f"@@ dgpin check one\n{failure.stdout}",
        stderr=f"@@ dgpin check one\n{failure.stderr}",
    )


CHECK = Check(id="one", guards="x", call="x", reference="x", arches=("sm_90",), limit=0)


def test_all_are_here() -> None:
    """The table holds as many failures as were provoked, eight of which did no harm."""
    assert (54, 8) == (len(FAILURES), sum(each.cause is None for each in FAILURES))
    assert len(FAILURES) == len({name(each) for each in FAILURES})


@pytest.mark.parametrize("failure", [*FAILURES, *WHOLE], ids=name)
def test_explained(failure: Failure) -> None:
    """Each failure is explained as what it was, with a cure; what did no harm passes."""
    (result,) = results(ended(failure), [CHECK])

    if failure.cause is None:
        assert (Verdict.PASS, None) == (result.verdict, result.explanation)
        return
    assert result.explanation is not None
    assert result.verdict.is_finding
    assert failure.cause == result.explanation.cause
    assert result.explanation.cure.endswith(".")


@pytest.mark.parametrize("failure", [*FAILURES, *WHOLE], ids=name)
def test_one_cause(failure: Failure) -> None:
    """No text tells two causes, but for what follows from the first: order decides nothing else."""
    causes = [each.cause for each in told(failure.text)]
    silent = {None, "hang", "segmentation-fault"}

    assert causes[:1] == [cause for cause in [failure.cause] if cause not in silent]
    assert CONSEQUENCES >= set(causes[1:])
