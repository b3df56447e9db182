"""Why a build did not load: the cause, what it is not, and the remedy."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dgpin.errors import UnavailableError


class Cause(str, Enum):
    """The kinds of failure that have remedies of their own."""

    PYTHON_ABI = "Python ABI"
    TORCH_ABI = "torch ABI"
    CUDA_LIBRARY = "CUDA library"
    SYSTEM_LIBRARY = "system library"
    CUDA_HOME = "CUDA home"
    HEADER = "header"
    ABSENT = "absent"
    DAMAGED = "damaged file"
    IMPORT = "import"
    CRASH = "crash"
    HANG = "hang"
    EXIT = "exit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One classified failure; `symbol` is the mangled name that the loader missed."""

    cause: Cause
    what: str
    remedy: str
    symbol: str = ""


class LoadError(UnavailableError):
    """A build that the interpreter under test does not load."""

    hint = "The remedy follows from the cause, which stands in brackets."

    def __init__(self, label: str, failure: Failure) -> None:
        super().__init__(
            f"{label} does not load ({failure.cause.value}): {failure.what}", hint=failure.remedy
        )
        self.failure = failure


class BothFailedError(UnavailableError):
    """Neither of the two builds loads."""

    hint = "Each has its own cause and remedy; the second may follow from the first."

    def __init__(self, first: LoadError, second: LoadError) -> None:
        super().__init__(f"{first.message}\n  {first.hint}\n{second.message}", hint=second.hint)


_UNDEFINED = re.compile(r"undefined symbol: (\S+)")
_NO_LIBRARY = re.compile(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file")
_VERSION = re.compile(r"version [`']([\w.]+)' not found")
_DAMAGED = re.compile(r"file too short|invalid ELF header|wrong ELF class|not a dynamic")
_HEADER = re.compile(r"[\w/.+-]+\.(?:h|hpp|cuh)\b")
_CUDA = re.compile(r"lib(?:cu|nv)\w*")
_CUDA_CALL = re.compile(r"^(?:cu[A-Z]|cuda[A-Z]|cublas|nvrtc|nvJitLink|nvml)")
_NOT_GPU = "This says nothing about the GPU or the architectures that the build is for."


def classify(facts: Mapping[str, Any], *, extensions: Sequence[str], suffix: str) -> Failure:
    """Return the cause of an import that raised, from what the probe wrote down.

    `extensions` are the build's shared objects, `suffix` what the interpreter looks for.
    """
    message, kind = str(facts["message"]), str(facts["type"])
    missing = str(facts["missing"])
    if facts["stage"] == "torch":
        return Failure(
            cause=Cause.ABSENT,
            what=f"the interpreter has no usable torch: {message}",
            remedy="Name an interpreter that has torch with --python.",
        )
    loader = _from_loader(message, [str(path) for path in facts.get("maps", ())])
    if loader is not None:
        return loader
    if missing.rsplit(".", maxsplit=1)[-1].startswith("_C") or "'_C'" in message:
        return _no_extension(extensions, suffix=suffix, message=message)
    if kind == "ModuleNotFoundError" and missing:
        return Failure(
            cause=Cause.ABSENT,
            what=f"it imports `{missing}`, which the interpreter does not have",
            remedy=f"Install {missing.partition('.')[0]} for that interpreter.",
        )
    return _other(facts, kind=kind, message=message)


def _from_loader(message: str, loaded: Sequence[str]) -> Failure | None:
    """Return the cause that the dynamic loader's words tell; None when they are not its words."""
    if undefined := _UNDEFINED.search(message):
        return _undefined(undefined.group(1))
    if library := _NO_LIBRARY.search(message):
        return _library(library.group(1), loaded)
    if version := _VERSION.search(message):
        return Failure(
            cause=Cause.SYSTEM_LIBRARY,
            what=f"it wants {version.group(1)}, which this system's library does not have",
            remedy="Build it on this system, or use a newer one.",
        )
    if _DAMAGED.search(message):
        return Failure(
            cause=Cause.DAMAGED, what=message, remedy="Fetch or build it again; it is not whole."
        )
    return None


def _undefined(symbol: str) -> Failure:
    plain = demangle(symbol)
    if re.match(r"_?Py[A-Z_]", symbol):
        return Failure(
            cause=Cause.PYTHON_ABI,
            what=f"it was built for another Python: there is no `{plain}`",
            remedy="Use a build for this Python, or name another interpreter with --python.",
            symbol=symbol,
        )
    if _CUDA_CALL.match(symbol):
        return Failure(
            cause=Cause.CUDA_LIBRARY,
            what=f"the CUDA libraries at hand are of another version: there is no `{plain}`",
            remedy="Use a torch for the CUDA version that the build was made with.",
            symbol=symbol,
        )
    strings = " It passes std::string by the other C++ ABI." if "__cxx11" in symbol else ""
    return Failure(
        cause=Cause.TORCH_ABI,
        what=f"it was built for another torch: there is no `{plain}`.{strings} {_NOT_GPU}",
        remedy="Rebuild it for this torch, or name an interpreter with the torch it was built for.",
        symbol=symbol,
    )


def _library(name: str, loaded: Sequence[str]) -> Failure:
    stem = name.partition(".so")[0]
    others = sorted({p for p in loaded if p.rpartition("/")[2].partition(".so")[0] == stem})
    instead = f"; there is {', '.join(others)} instead" if others else ""
    if _CUDA.match(stem):
        return Failure(
            cause=Cause.CUDA_LIBRARY,
            what=f"it needs {name}{instead}. {_NOT_GPU}",
            remedy="Use a torch for the CUDA version that the build was made with.",
        )
    torch = stem.startswith(("libtorch", "libc10"))
    return Failure(
        cause=Cause.TORCH_ABI if torch else Cause.SYSTEM_LIBRARY,
        what=f"it needs {name}{instead}",
        remedy=f"Install what brings {name}.",
    )


def _no_extension(extensions: Sequence[str], *, suffix: str, message: str) -> Failure:
    if extensions and not any(fits(name, suffix) for name in extensions):
        return Failure(
            cause=Cause.PYTHON_ABI,
            what=f"it has {', '.join(extensions)}, and this Python looks for _C{suffix}",
            remedy="Name an interpreter that fits with --python.",
        )
    if not extensions:
        return Failure(
            cause=Cause.ABSENT,
            what="it has no compiled `_C`",
            remedy="Name a build, or compare the source text with --static.",
        )
    return Failure(cause=Cause.IMPORT, what=message, remedy="Read the message: it is the build's.")


def fits(name: str, suffix: str) -> bool:
    """Whether an interpreter whose extensions end in `suffix` would load a file of that name."""
    tail = name[name.index(".") :]
    return tail in {suffix, ".so", ".abi3.so"}


def _other(facts: Mapping[str, Any], *, kind: str, message: str) -> Failure:
    line = str(facts["line"])
    where = f" at {facts['place']}" if facts["place"] else ""
    if kind == "AssertionError" and "cuda_home" in line + message:
        return Failure(
            cause=Cause.CUDA_HOME,
            what=f"it wants a CUDA toolkit and finds none{where}",
            remedy="Set CUDA_HOME to the toolkit; for reading signatures any directory will do.",
        )
    if header := _HEADER.search(message):
        return Failure(
            cause=Cause.HEADER,
            what=f"it misses the header {header.group(0)}{where}",
            remedy="The package was packed without its headers: fetch or build it again.",
        )
    text = f"{kind}: {message}" if message else kind
    shown = f" (`{line}`)" if line else ""
    return Failure(
        cause=Cause.IMPORT,
        what=f"its import raises {text}{where}{shown}",
        remedy="Run the import yourself to see the whole traceback.",
    )


def ended(returncode: int | None, *, stage: str, tail: str, limit: float) -> Failure:
    """Return the cause of a probe that gave no answer. `limit` is in seconds."""
    said = f"; its last words: {tail}" if tail else ""
    during = f"during `{stage}`" if stage else "before it began"
    if returncode is None:
        return Failure(
            cause=Cause.HANG,
            what=f"no answer within {limit:g} s, {during}",
            remedy="Give it more time with --timeout, if it is only slow.",
        )
    if returncode < 0:
        return Failure(
            cause=Cause.CRASH,
            what=f"the interpreter died of signal {-returncode} {during}{said}",
            remedy="A build for another torch or CUDA may do this; so may a second torch library.",
        )
    return Failure(
        cause=Cause.EXIT,
        what=f"the interpreter ended with {returncode} {during}{said}",
        remedy="The library ends the process when it is imported: that is its own fault.",
    )


def demangle(symbol: str) -> str:
    """Return the qualified name of an Itanium-mangled function; what it cannot read, as it is.

    Only nested and plain names are read: enough to know whose function it is.
    """
    match = re.match(r"_ZN?[KVr]*", symbol)
    if match is None:
        return symbol
    names: list[str] = []
    rest = symbol[match.end() :]
    if rest.startswith("St"):
        names, rest = ["std"], rest[2:]
    while length := re.match(r"\d+", rest):
        start, size = length.end(), int(length.group(0))
        names.append(rest[start : start + size])
        rest = rest[start + size :]
        if abi := re.match(r"B(\d+)", rest):  # an ABI tag, as in [abi:cxx11]
            rest = rest[abi.end() + int(abi.group(1)) :]
    return "::".join(names) if names else symbol
