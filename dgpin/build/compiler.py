"""The host's C++ compiler: what it is, where it looks, and what a probe says that it can."""

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.errors import UnavailableError, UsageError

PROBE_LIMIT = 60.0  # seconds; a probe takes one
# Where GCC and clang look besides what their flags say: lists of directories.
HEADERS_IN = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
SEARCHED = (*HEADERS_IN, "LIBRARY_PATH", "COMPILER_PATH")
_SHARED = "libstdc++.so"


class HangingCompilerError(UnavailableError):
    """A compiler that does not come to an end."""

    hint = "Run the compiler by hand; a licence server or a wrapper may be what it waits for."

    def __init__(self, command: Sequence[str], limit: float) -> None:
        super().__init__(f"the compiler `{shlex.join(command)}` did not end within {limit:.0f} s")


class FlagsError(UsageError):
    """A variable with flags that no shell would read."""

    def __init__(self, variable: str, text: str, why: object) -> None:
        super().__init__(
            f"{variable}={text} cannot be read: {why}",
            hint=f"Quote it as for a shell, or unset {variable}.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """A C++ compiler that answers. `flags` are CPPFLAGS and CXXFLAGS, `link_flags` LDFLAGS."""

    command: tuple[str, ...]
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
    """Return the compiler that CXX names, else g++, c++ or clang++; None when none answers.

    Raises:
        FlagsError: CXX, or a variable with flags, is no words of a shell.
        HangingCompilerError: it does not answer.
    """
    named = _words("CXX", env)
    commands = [named] if named else [("g++",), ("c++",), ("clang++",)]
    for command in commands:
        first = shutil.which(command[0], path=env.get("PATH"))
        if first is None:
            continue
        # It is run in other directories than this one.
        words = (os.path.abspath(first), *command[1:])  # noqa: PTH100 - a link stays one
        if (found := _ask(words, env, limit)) is not None:
            return found
    return None


def _ask(words: tuple[str, ...], env: Mapping[str, str], limit: float) -> Compiler | None:
    flags = (*_words("CPPFLAGS", env), *_words("CXXFLAGS", env))
    link_flags = _words("LDFLAGS", env)
    try:
        done = process.run([*words, "-dM", "-E", "-x", "c++", "/dev/null"], env=env, timeout=limit)
    except process.MissingProgramError:  # what is there and cannot be run, or its interpreter
        return None
    if done.returncode is None:
        raise HangingCompilerError(words, limit)
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
        kind=kind,
        version=".".join(macros.get(name, "0") for name in names),
        flags=flags,
        link_flags=link_flags,
    )


def _words(variable: str, env: Mapping[str, str]) -> tuple[str, ...]:
    text = env.get(variable, "")
    try:
        return tuple(_from_anywhere(shlex.split(text)))
    except ValueError as error:
        raise FlagsError(variable, text, str(error).lower()) from error


_PLACES = (
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "--sysroot=",
    "--sysroot",
    "-I",
    "-L",
    "-B",
)


def _from_anywhere(words: Sequence[str]) -> Iterator[str]:
    """Yield flags whose relative paths are absolute: the compile runs in another directory."""
    before = ""
    for word in words:
        option = next((each for each in _PLACES if word.startswith(each)), "")
        place = word if before in _PLACES else word[len(option) :] if option else ""
        if place and not place.startswith("=") and Path(place).exists():
            yield word[: len(word) - len(place)] + os.path.abspath(place)  # noqa: PTH100 - as above
        else:
            yield word
        before = word


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
        # In the order of the compile: what the user asks for wins.
        [*compiler.command, f"-std=c++{std}", *compiler.flags, "-fsyntax-only", "-x", "c++", "-"],
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
    static = "-static-libstdc++" in (*compiler.command, *compiler.link_flags)
    # What is not found comes back as it was asked for.
    if done.text.strip() != _SHARED and not static:
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
    """Return where the compiler's linker looks: by `-L`, LIBRARY_PATH, and by itself."""
    flags = (*compiler.command, *compiler.link_flags)
    named = [
        word.removeprefix("-L") or after
        for word, after in zip(flags, (*flags[1:], ""), strict=True)
        if word.startswith("-L")
    ]
    done = process.run([*compiler.command, "-print-search-dirs"], env=env, timeout=PROBE_LIMIT)
    found = re.search(r"^libraries: =(.*)$", done.text, re.MULTILINE)
    words = [*named, *env.get("LIBRARY_PATH", "").split(":")]
    words += found[1].split(":") if found else []
    return tuple(dict.fromkeys(Path(word) for word in words if word and Path(word).is_dir()))


def more_library_directories(compiler: Compiler, env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where the linker looks besides, as in /usr/local/lib; GNU's linkers tell.

    The compiler does not know of these.
    """
    words = [*compiler.command, "-shared", "-Wl,--verbose", "-x", "c++", os.devnull]
    with tempfile.TemporaryDirectory() as scratch:
        done = process.run([*words, "-o", f"{scratch}/probe.so"], env=env, timeout=PROBE_LIMIT)
    found = re.findall(r'SEARCH_DIR\("=?([^"]+)"\)', done.text)
    return tuple(dict.fromkeys(path for word in found if (path := Path(word)).is_dir()))
