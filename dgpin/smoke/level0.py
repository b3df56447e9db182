"""Level 0: what can be told without a GPU and without loading anything, in under two seconds."""

import math
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dgpin.build import elf
from dgpin.smoke import headers
from dgpin.smoke.environment import cleared
from dgpin.smoke.target import Target
from dgpin.smoke.wanted import VLLM, Needs
from dgpin.verdict import Place, Row, Verdict

if TYPE_CHECKING:  # only wheels say what they require
    from packaging.requirements import Requirement

# A capability, and the text of `_C` by which a build shows that it has it on Hopper.
CAPABILITIES = {
    "next_n4": "next_n == 1 or next_n == 2 or next_n == 4",
    "block_kv32": "arch_major == 9 and (block_kv == 32 or block_kv == 64)",
}
# What a build's own assertion says about nvcc, and the version that it means.
_NVCC_AT_LEAST = ((b"must be at least 12.9", (12, 9)), (b"should be >= 12.3", (12, 3)))
_CUOBJDUMP_UNTIL = (12, 8)  # before, a kernel's name is found with cuobjdump
# Mangled names of the namespaces c10, at and torch, and the libraries that define them.
_OF_TORCH = re.compile(r"3c10|2at|5torch")
_TORCH_LIBRARIES = ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch_python")
_CXX_RUNTIME = "libstdc++.so.6"
_OWN_CACHES = (".deep_gemm", ".dj", ".cache/vllm/deep_gemm")


def rows(
    target: Target,
    *,
    arch: str = "sm_90",
    jit_cache: Path,
    expected: frozenset[str] = frozenset(),
    needs: Needs = VLLM,
) -> tuple[Row, ...]:
    """Return every row; what makes the build not the thing that runs comes first."""
    return (
        *_others(target),
        *_own_caches(target),
        *_identity(target),
        *_torch(target),
        *_libraries(target),
        *_names(target, needs),
        *_capabilities(target, arch, expected),
        *headers.rows(target.package, arch=arch),
        *_toolkit(target),
        *_compiler(target),
        *_cache(jit_cache),
        *_variables(target),
    )


def _others(target: Target) -> Iterator[Row]:
    if not target.others:
        return
    first, own = target.others[0], target.package
    same = target.extension and first / target.extension.name
    if same and same.is_file() and same.read_bytes() == target.data:
        return
    installed = any(place == own.parent for place in target.python.search)
    ahead = not installed or _comes_first(target, first)
    what = "the host would import this other deep_gemm" if ahead else "there is another deep_gemm"
    yield Row(
        rule="other-copy",
        verdict=Verdict.FAIL if installed else Verdict.UNKNOWN,
        message=f"{what}: {first}",
        places=(Place(str(own)),),
        hint="Remove the copy that the pin does not mean; a precompiled vLLM wheel brings its own.",
    )


def _comes_first(target: Target, other: Path) -> bool:
    order = [str(place) for place in target.python.search]
    mine, its = str(target.package.parent), str(other.parent)
    return its in order and order.index(its) < order.index(mine)


def _own_caches(target: Target) -> Iterator[Row]:
    home = target.env.get("HOME")
    built = target.extension.stat().st_mtime if target.extension else 0.0
    for name in _OWN_CACHES if home else ():
        kernels = Path(str(home), name, "cache")
        if _filled(kernels) < built:
            yield Row(
                rule="old-kernels",
                verdict=Verdict.UNKNOWN,
                message=f"the host's JIT cache was filled before this build: {kernels}",
                hint="Delete it with the bump: an edited cutlass or cute header is not noticed.",
            )


def _filled(kernels: Path) -> float:
    """Return when a cache got its last kernel; never, where it has none that can be seen."""
    try:
        return kernels.stat().st_mtime if any(kernels.iterdir()) else math.inf
    except OSError:
        return math.inf


def _identity(target: Target) -> Iterator[Row]:
    if target.extension is None:
        there = ", ".join(sorted(path.name for path in target.package.glob("_C*"))) or "none"
        yield Row(
            rule="extension",
            verdict=Verdict.FAIL,
            message=f"no _C for Python {target.python.short}; there is {there}",
            places=(Place(str(target.package)),),
            hint="Build it for this Python, or name another one with --python.",
        )
        return
    yield Row(
        rule="extension",
        verdict=Verdict.PASS,
        message=f"sha256 {target.digest[:16]}, headers {target.headers[:16]}",
        places=(Place(str(target.extension)),),
    )


def _torch(target: Target) -> Iterator[Row]:
    if target.torch is None:
        yield Row(
            rule="torch",
            verdict=Verdict.FAIL,
            message=f"{target.python.path} has no torch",
            hint="Name the interpreter that has it with --python.",
        )
        return
    have = target.torch.version
    asked = list(_of_torch(target.requires))
    if not asked:
        yield Row(
            rule="torch",
            verdict=Verdict.PASS,
            message=f"{have}; the build does not say which torch it is for",
        )
        return
    fits = all(each.specifier.contains(have, prereleases=True) for each in asked)
    yield Row(
        rule="torch",
        verdict=Verdict.PASS if fits else Verdict.FAIL,
        message=f"torch {have}; the build requires {', '.join(map(str, asked))}",
        hint="" if fits else "Build it for this torch: a clean import would prove nothing.",
    )


def _of_torch(requires: Sequence[str]) -> Iterator["Requirement"]:
    """Yield what a wheel requires of torch, whoever installs it."""
    mentioned = [text for text in requires if text.startswith("torch")]
    if not mentioned:
        return
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - wheels

    for text in mentioned:
        try:
            found = Requirement(text)
        except InvalidRequirement:
            continue
        if found.name == "torch" and (found.marker is None or found.marker.evaluate({"extra": ""})):
            yield found


def _libraries(target: Target) -> Iterator[Row]:
    if target.extension is None:
        return
    try:
        needs = elf.read(target.data, name=str(target.extension))
    except elf.ElfError as error:
        yield Row(
            rule="libraries",
            verdict=Verdict.FAIL,
            message=error.message,
            places=(Place(str(target.extension)),),
            hint="Install the package again: the file is damaged.",
        )
        return
    runtime = next((name for name in needs.libraries if name.startswith("libcudart.so")), "")
    wanted_major = runtime.rpartition(".")[2]
    torch_major = target.torch.cuda.partition(".")[0] if target.torch else ""
    clash = bool(runtime and torch_major and wanted_major != torch_major)
    yield Row(
        rule="libraries",
        verdict=Verdict.FAIL if clash else Verdict.PASS,
        message=f"{runtime} beside a torch for CUDA {target.torch.cuda if target.torch else ''}"
        if clash
        else f"{len(needs.libraries)}, among them {runtime or 'no CUDA runtime'}",
        hint="Build it with the CUDA of torch." if clash else "",
    )
    if _CXX_RUNTIME not in needs.libraries:
        # Seen with a g++ that has no libstdc++.so: the process then holds two runtimes, and the
        # first std::regex of the JIT dies in a facet of the other one's locale.
        yield Row(
            rule="c++-runtime",
            verdict=Verdict.FAIL,
            message=f"{_CXX_RUNTIME} is not asked for: _C carries a C++ runtime of its own",
            places=(Place(str(target.extension)),),
            hint="Build it with a g++ that links libstdc++ dynamically, such as CXX=/usr/bin/g++.",
        )
    yield from _symbols(target, needs)


def _symbols(target: Target, needs: elf.Needs) -> Iterator[Row]:
    """Look up what `_C` asks of torch in torch's own libraries, without loading either."""
    asked = [name for name in needs.symbols if _OF_TORCH.search(name)]
    if target.torch is None or not asked:
        return
    libraries = [target.torch.root / "lib" / f"lib{name}.so" for name in _TORCH_LIBRARIES]
    try:
        absent = elf.absent(asked, [path for path in libraries if path.is_file()])
    except elf.ElfError:
        return
    more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
    yield Row(
        rule="symbols",
        verdict=Verdict.FAIL if absent else Verdict.PASS,
        message=f"torch {target.torch.version} has no {absent[0]}{more}"
        if absent
        else f"torch has all {len(asked)} that _C asks of it",
        hint="It was built against another torch: build it for this one." if absent else "",
    )


def _names(target: Target, needs: Needs) -> Iterator[Row]:
    """Look for the host's names and keywords as texts: a binding must hold each of them."""
    if target.extension is None:
        return
    sources = b"\0".join(
        path.read_bytes() for path in sorted(target.package.rglob("*.py")) if path.is_file()
    )

    def has(text: str) -> bool:
        word = re.escape(text.encode())
        return text.encode() + b"\0" in target.data or bool(
            re.search(rb"(?<!\w)%s(?!\w)" % word, sources)
        )

    # A method is bound under its own name alone, whatever its class or module.
    lost = [
        " or ".join(each.spellings)
        for each in needs.functions
        if not any(has(path.rpartition(".")[2]) for path in each.spellings)
    ]
    lost += [word for word in needs.keywords if not has(word)]
    yield Row(
        rule="names",
        verdict=Verdict.FAIL if lost else Verdict.PASS,
        message=f"not in this build: {', '.join(lost)}"
        if lost
        else f"{len(needs.functions)} names and {len(needs.keywords)} keywords of {needs.host} are"
        " there",
        hint="`dgpin diff-api` shows what became of them." if lost else "",
    )


def _capabilities(target: Target, arch: str, expected: frozenset[str]) -> Iterator[Row]:
    if target.extension is None or arch != "sm_90":
        return
    for name, text in CAPABILITIES.items():
        there = target.mentions(text)
        lacking = Verdict.FAIL if name in expected else Verdict.UNSUPPORTED
        needed = "the host needs it, and " if name in expected else ""
        yield Row(
            rule=name,
            verdict=Verdict.PASS if there else lacking,
            message="an assertion in _C allows it"
            if there
            else f"{needed}no assertion in _C allows it",
        )


def _toolkit(target: Target) -> Iterator[Row]:
    kit = target.toolkit
    if kit.nvcc is None:
        yield Row(
            rule="nvcc",
            verdict=Verdict.FAIL,
            message=f"no nvcc in {kit.home} ({kit.origin})" if kit.home else "no CUDA toolkit",
            hint="Set CUDA_HOME to a toolkit that has bin/nvcc; kernels are compiled at run time.",
        )
        return
    least = next((at for text, at in _NVCC_AT_LEAST if text in target.data), (12, 3))
    have = _numbers(kit.version)
    message = f"nvcc {kit.version or 'of no known version'} in {kit.home} ({kit.origin})"
    if have < least:
        yield Row(
            rule="nvcc",
            verdict=Verdict.FAIL,
            message=f"{message}; this build needs {least[0]}.{least[1]}",
            hint="Point CUDA_HOME to a newer toolkit; torch's own CUDA version says nothing here.",
        )
        return
    mixed = _header_version(kit.home / "include" / "cuda.h") if kit.home else ""
    clash = bool(mixed) and _numbers(mixed) != have
    yield Row(
        rule="nvcc",
        verdict=Verdict.FAIL if clash else Verdict.PASS,
        message=f"{message} beside headers of {mixed}: mixed toolkits" if clash else message,
        hint="Let nvcc and its headers come from one toolkit." if clash else "",
    )
    dump = kit.nvcc.with_name("cuobjdump")
    if have < _CUOBJDUMP_UNTIL and not dump.exists():
        yield Row(
            rule="cuobjdump",
            verdict=Verdict.FAIL,
            message=f"none beside nvcc {kit.version}, which finds kernels with it",
            hint=f"Install cuda-cuobjdump-{have[0]}-{have[1]}.",
        )


def _compiler(target: Target) -> Iterator[Row]:
    found = shutil.which("g++", path=target.env.get("PATH"))
    yield Row(
        rule="compiler",
        verdict=Verdict.PASS if found else Verdict.FAIL,
        message=found or "no g++ on PATH: nvcc needs a C++ compiler",
        hint="" if found else "Install g++; a C compiler alone is not enough.",
    )


def _cache(path: Path) -> Iterator[Row]:
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    writable = place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    yield Row(
        rule="jit-cache",
        verdict=Verdict.PASS if writable else Verdict.FAIL,
        message=str(path) if writable else f"{path} cannot be written",
        hint="" if writable else "Name another place in DGPIN_CACHE_DIR.",
    )


def _variables(target: Target) -> Iterator[Row]:
    names = [name for name in cleared(target.env) if name.startswith(("DG_", "DJ_", "LD_"))]
    if names:
        yield Row(
            rule="environment",
            verdict=Verdict.UNKNOWN,
            message=f"set here, and not for the checks: {', '.join(names)}",
            hint="If the host runs with them, it runs something else than what was checked.",
        )


def _header_version(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"^\s*#\s*define\s+CUDA_VERSION\s+(\d+)", text, re.MULTILINE)
    if found is None:
        return ""
    number = int(found[1])
    return f"{number // 1000}.{number % 1000 // 10}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
