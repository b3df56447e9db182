"""Failures explained: cause and cure, from what the process said.

2.6 prints nvcc's log to stdout and raises little; 2.8 raises the command and the log and appends
a C++ trace. So the exception, stdout and stderr are read together, the most telling text first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SEGMENTATION_FAULT = -11


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something failed, and what to do. `cause` names the row of the table."""

    cause: str
    what: str
    cure: str
    said: str = ""  # the text that gave it away


@dataclass(frozen=True, slots=True)
class _Row:
    cause: str
    pattern: str
    what: str
    cure: str


# Order matters: what one row says can be a consequence of a row above it.
_TABLE = (
    _Row(
        "abi",
        r"undefined symbol: \S+",
        "`_C` was built against another torch than the one that runs",
        "Build it for this torch (`dgpin build --python`), or install the torch that the wheel"
        " requires.",
    ),
    _Row(
        "library",
        r"\S+: cannot open shared object file",
        "a library that `_C` needs is not here, such as a CUDA 12 runtime beside CUDA 13",
        "Install the CUDA runtime that the build was linked with, or build it for this one.",
    ),
    _Row(
        "unloadable",
        r"Could not load this library: \S*",
        "torch cannot load `_C`: it was built against another torch, or a library of it is missing",
        "Compare torch with what the build requires; `ldd` names missing libraries.",
    ),
    _Row(
        "import",
        # As it is raised: torch warns of a missing numpy in nearly the same words.
        r"(?:ModuleNotFound|Import)Error: (?:No module named '?[\w.]+|cannot import name \S+)",
        "the package, its `_C` for this Python, or a name it imports is missing",
        "Name a build for this Python with --build, or another interpreter with --python.",
    ),
    _Row(
        "no-gpu",
        r"No CUDA GPUs are available|no CUDA-capable device|Found no NVIDIA driver"
        r"|driver version is insufficient|not compiled with CUDA enabled",
        "there is no GPU that this process can use",
        "Run on a machine with a GPU and its driver, and leave CUDA_VISIBLE_DEVICES unset.",
    ),
    _Row(
        "nvrtc",
        r"NVRTC log: .*|catastrophic error: cannot open source file \S+",
        "NVRTC cannot compile these headers, and its empty result is now in the JIT cache",
        "Unset DG_JIT_USE_NVRTC and delete the JIT cache.",
    ),
    _Row(
        "old-nvcc",
        r"NVCC version (?:must|should) be at least [\d.]+"
        r"|at least NVCC [\d.]+(?:.|\n)*?missing kernel\.cu or kernel\.cubin",
        "nvcc is older than this DeepGEMM asks for",
        "Point CUDA_HOME to a toolkit of 12.9 or later.",
    ),
    _Row(
        "no-nvcc",
        r"CC compiler is not executable: \S*|exists\(nvcc_path\)"
        r"|nvcc: (?:not found|No such file or directory|Permission denied)"
        r"|ome_path\.empty\(\) and std::filesystem::exists\(home_path\)",
        "there is no nvcc where the build looks for it",
        "Set CUDA_HOME to a CUDA toolkit that has bin/nvcc.",
    ),
    _Row(
        "no-compiler",
        r"(?:gcc|g\+\+|cc1plus)\S*: (?:not found|No such file or directory|Permission denied)"
        r"|Failed to preprocess host compiler properties",
        "nvcc found no C++ compiler to work with",
        "Install g++ and have it on PATH.",
    ),
    _Row(
        "temporary-directory",
        r"Could not open output file '[^']*tmpxft[^']*'?",
        "nvcc cannot write its temporary files",
        "Point TMPDIR to a directory that can be written.",
    ),
    _Row(
        "no-home",
        r"HOME environment variable must not be empty|fatal error: \.deep_gemm/\S+",
        "HOME is not set, so there is no place for the JIT cache",
        "Set HOME, or DG_JIT_CACHE_DIR.",
    ),
    _Row(
        "environment",
        r"invalid value for \w+: \S*|CompilerOptions::default_options\(deep_jit::Env",
        "an environment variable has a value that this build refuses",
        "Unset the DG_* and DJ_* variables.",
    ),
    _Row(
        "cpp-standard",
        r"-std=c\+\+(?:11|14|17)\b|__is_complete_or_unbounded\(std::__type_identity",
        "the kernels are compiled as an older C++ than their headers need",
        "Unset DG_JIT_CPP_STANDARD; the kernels need C++20.",
    ),
    _Row(
        "missing-header",
        r"fatal error: (?!\.)\S+: No such file[^\n]*|[Ff]ailed to open: ?\S*",
        "an include file of the package is missing",
        "Install the package again whole: `include/` must hold deep_gemm, cutlass and cute.",
    ),
    _Row(
        "cache-unwritable",
        r"Failed to make directory: \S+|cannot create director\w+: [^\n]*|Read-only file system"
        r"|failed to open for writing\S*|Permission denied[^\n]*",
        "the JIT cache cannot be written",
        "Give DG_JIT_CACHE_DIR a directory that can be written, or free its disk.",
    ),
    _Row(
        "cache-damaged",
        r"Corrupted JIT cache directory[^:\n]*|missing CUDA CUBIN: \S*"
        r"|expected exactly one kernel in \S*|CUDA_ERROR_INVALID_IMAGE"
        r"|device kernel image is invalid",
        "an entry of the JIT cache is damaged, or was made for another GPU",
        "Delete the JIT cache and run again.",
    ),
    _Row(
        "wrong-gpu",
        r"CUDA_ERROR_NO_BINARY_FOR_GPU|no kernel image is available",
        "the code was made for another GPU",
        "Delete the JIT cache, and check that the build serves this architecture.",
    ),
    _Row(
        "fault",
        r"illegal memory access|CUDA_ERROR_ILLEGAL_ADDRESS|cudaErrorIllegalAddress"
        r"|misaligned address|illegal instruction|unspecified launch failure",
        "the kernel touched memory that is not its own",
        "Do not move the pin here; `dgpin smoke --only` with this check repeats it.",
    ),
    _Row(
        "stale-kernel",
        r"CUDA_ERROR_INVALID_VALUE",
        "kernel and launcher do not fit: the JIT cache holds another kernel under this name",
        "Delete the JIT cache and run again.",
    ),
    _Row(
        "out-of-memory",
        r"out of memory",
        "the GPU's memory is used up, probably by others",
        "Wait for the GPU to be free, or choose another with CUDA_VISIBLE_DEVICES.",
    ),
    _Row(
        "unsupported",
        r"Unsupported arch\w*|arch_major\S* == \d+|Unknown SF transformation"
        r"|next_n == 1 or next_n == 2|block_kv == 64|_schedule_meta_size == num_sms",
        "the build declines this shape or architecture",
        "If the host needs it, this build is not for it: name it with --expect.",
    ),
    _Row(
        "call",
        r"incompatible function arguments|unexpected keyword argument \S+"
        r"|missing \d+ required positional[^\n]*|has no attribute '\w+'",
        "the function is gone or takes other arguments",
        "`dgpin diff-api` shows what became of it.",
    ),
    _Row(
        "compile",
        r"\): error: [^\n]*|: error: [^\n]*|NVCC compilation failed|command failed with exit code",
        "nvcc could not compile a kernel: its source and the toolkit do not fit",
        "Read nvcc's first error below; CUDA_HOME chooses the toolkit.",
    ),
)


def explain(text: str, *, returncode: int | None = 0, timed_out: bool = False) -> Explanation:
    """Return the cause and the cure of a failure.

    `text` is the exception, stdout and stderr, in this order; `returncode` is the process's, when
    it did not answer at all.
    """
    if timed_out:
        return Explanation(
            cause="hang",
            what="no answer in time: a kernel hangs, or a truncated cubin does, as 2.6 does on one",
            cure="Delete the JIT cache and run again; if it stays, the kernel hangs.",
        )
    if found := next(told(text), None):
        return found
    if returncode == _SEGMENTATION_FAULT:
        return Explanation(
            cause="segmentation-fault",
            what="a segmentation fault without a word: `_C` and torch do not fit, or a cubin in"
            " the JIT cache is truncated, on which 2.8 dies",
            cure="Compare torch with what the build requires, delete the JIT cache, run again.",
        )
    return Explanation(
        cause="unexplained",
        what="no known cause",
        cure="The text below is all that the process said.",
    )


def told(text: str) -> Iterator[Explanation]:
    """Yield every cause that a text tells, the first of which is the one to name."""
    for row in _TABLE:
        if found := re.search(row.pattern, text):
            yield Explanation(
                cause=row.cause, what=row.what, cure=row.cure, said=found[0].strip()[:200]
            )


def causes() -> tuple[str, ...]:
    """Return every cause that can be named."""
    return (*(row.cause for row in _TABLE), "hang", "segmentation-fault", "unexplained")
