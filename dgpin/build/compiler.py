"""The host's C++ compiler: what it is, where it looks, and what a probe says that it can."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.errors import UnavailableError

PROBE_LIMIT = 60.0  # seconds; a probe takes one
_SHARED = "libstdc++.so"


class HangingCompilerError(UnavailableError):
    """A compiler that does not come to an end."""

    hint = "Run the compiler by hand; a licence server or a wrapper may be what it waits for."

    def __init__(self, command: Sequence[str], limit: float) -> None:
        super().__init__(f"the compiler `{shlex.join(command)}` did not end within {limit:.0f} s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """A C++ compiler that answers. `flags` are CPPFLAGS and CXXFLAGS, `link_flags` LDFLAGS."""

    command: tuple[str, ...]
    path: str
    kind: str  # "gcc" or "clang"
    version: str
    flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name it as people do: `g++ 12.2.0`."""
        return f"{'g++' if self.kind == 'gcc' else 'clang++'} {self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What came of a program of a few lines; `output` is the compiler's words where it failed."""

    compiles: bool
    output: str


def find(env: Mapping[str, str], *, limit: float = PROBE_LIMIT) -> Compiler | None:
    """Return the compiler that CXX names, else g++, else c++; None when it cannot be started.

    Raises:
        HangingCompilerError: it does not answer.
    """
    named = tuple(shlex.split(env.get("CXX", "")))
    commands = [named] if named else [("g++",), ("c++",), ("clang++",)]
    for command in commands:
        # `ccache g++`: the compiler is the last word that is no option.
        program = [word for word in command if not word.startswith("-")][-1]
        path = shutil.which(program, path=env.get("PATH"))
        if path is not None:
            return _ask(command, path, env, limit)
    return None


def _ask(
    command: tuple[str, ...], path: str, env: Mapping[str, str], limit: float
) -> Compiler | None:
    first = shutil.which(command[0], path=env.get("PATH"))
    if first is None:
        return None
    words = (first, *command[1:])
    done = process.run([*words, "-dM", "-E", "-x", "c++", "/dev/null"], env=env, timeout=limit)
    if done.returncode is None:
        raise HangingCompilerError(command, limit)
    macros = dict(re.findall(r"^#define (__\w+__) (.*)$", done.text, re.MULTILINE))
    if done.returncode or not ({"__GNUC__", "__clang_major__"} & macros.keys()):
        return None
    kind = "clang" if "__clang_major__" in macros else "gcc"
    names = (
        ("__clang_major__", "__clang_minor__", "__clang_patchlevel__")
        if kind == "clang"
        else ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
    )
    return Compiler(
        command=words,
        path=path,
        kind=kind,
        version=".".join(macros.get(name, "0") for name in names),
        flags=(*shlex.split(env.get("CPPFLAGS", "")), *shlex.split(env.get("CXXFLAGS", ""))),
        link_flags=tuple(shlex.split(env.get("LDFLAGS", ""))),
    )


def probe(
    compiler: Compiler,
    program: str,
    *,
    std: int,
    env: Mapping[str, str],
    limit: float = PROBE_LIMIT,
) -> Probe:
    """Check a program of a few lines with the compiler and its flags; nothing is written.

    Raises:
        HangingCompilerError: it does not come to an end.
    """
    done = process.run(
        [*compiler.command, *compiler.flags, f"-std=c++{std}", "-fsyntax-only", "-x", "c++", "-"],
        env=env,
        stdin=program.encode(),
        timeout=limit,
    )
    if done.returncode is None:
        raise HangingCompilerError(compiler.command, limit)
    return Probe(compiles=done.returncode == 0, output=done.tail)


_CALLS_LIBRARY = b"namespace std { void terminate() noexcept; }\nvoid end() { std::terminate(); }\n"


def has_shared_library(compiler: Compiler, env: Mapping[str, str]) -> bool:
    """Return whether what it links uses the C++ library that torch uses: the shared one.

    An extension with a static one of its own imports, and dies of SIGSEGV when the JIT compiles its
    first kernel (met with a g++ outside the system's, on Ubuntu 24.04 with torch 2.11).

    Raises:
        HangingCompilerError: it does not come to an end.
    """
    words = [*compiler.command, f"-print-file-name={_SHARED}"]
    done = process.run(words, env=env, timeout=PROBE_LIMIT)
    # What is not found comes back as it was asked for.
    if done.text.strip() != _SHARED and "-static-libstdc++" not in compiler.link_flags:
        return True
    # LDFLAGS may still lead to a shared one, so the linker has the last word.
    from dgpin.build import elf  # noqa: PLC0415 - start-up: few compilers are so

    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "probe.so")
        words = [*compiler.command, "-shared", "-fPIC", "-x", "c++", "-", "-x", "none"]
        words += [*compiler.link_flags, "-o", str(out)]
        done = process.run(words, env=env, stdin=_CALLS_LIBRARY, timeout=PROBE_LIMIT)
        if done.returncode is None:
            raise HangingCompilerError(compiler.command, PROBE_LIMIT)
        if done.returncode:
            return False
        needed = elf.read(out.read_bytes(), name=out.name).libraries
    return any(name.startswith(_SHARED) for name in needed)


def library_directories(compiler: Compiler, env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where the compiler's linker looks by itself, after LIBRARY_PATH."""
    done = process.run([*compiler.command, "-print-search-dirs"], env=env, timeout=PROBE_LIMIT)
    found = re.search(r"^libraries: =(.*)$", done.text, re.MULTILINE)
    words = [*env.get("LIBRARY_PATH", "").split(":"), *(found[1].split(":") if found else [])]
    return tuple(dict.fromkeys(Path(word) for word in words if word and Path(word).is_dir()))
