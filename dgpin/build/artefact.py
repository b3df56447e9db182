"""Does a built `deep_gemm` hold what it promises, and does it fit this torch?"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dgpin.api.failures import demangle
from dgpin.build import contents, elf, modules, torch_files
from dgpin.build.contents import Contents
from dgpin.build.elf import Needs
from dgpin.build.interpreter import Interpreter
from dgpin.build.torch_files import Torch
from dgpin.verdict import Place, Row, Verdict

# The Pythons that a requires-python is read against.
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
_OLDEST = (3, 10)  # what an abi3 file must run on where its wheel's name does not tell
_HEADERS = {
    "include/deep_gemm/": "its own kernels",
    "include/cutlass/": "CUTLASS",
    "include/cute/": "CuTe",
}
# The `t` of a free-threaded Python, whose extensions no other loads.
_CPYTHON = re.compile(r"\.cpython-(\d)(\d+t?)d?-")
_TORCH_SYMBOL = re.compile(r"_Z.*(?:(?<!\d)(?:3c10|2at|5torch|6caffe2)|THP)")
_TORCH_LIBRARIES = ("c10", "c10_cuda", "torch", "torch_cpu", "torch_cuda", "torch_python")
_CUDA_LIBRARY = re.compile(r"lib(?:cudart|nvrtc|cublas|cublasLt|cupti)\.so\.\d+")
_MOST = 5  # symbols that one message names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What is judged, and the torch against which."""

    contents: Contents
    needs: dict[str, Needs]
    interpreter: Interpreter | None
    torch: Torch | None

    def place(self, name: str) -> Place:
        return Place(posixpath.normpath(f"{self.contents.prefix}/{name}".lstrip("/")))


def check_artefact(path: Path, *, interpreter: Interpreter | None = None) -> tuple[Row, ...]:
    """Judge a wheel, a directory or a `.so` file against the torch of an interpreter.

    Without an interpreter, or when it has no torch, what depends on torch is skipped.

    Raises:
        UsageError: there is no such file, or no `deep_gemm` in it.
        UnavailableError: the file or an extension in it cannot be read.
    """
    return _judge(contents.open_path(path), interpreter)


def check_environment(interpreter: Interpreter) -> tuple[Row, ...]:
    """Judge the `deep_gemm` that an interpreter would import.

    Raises:
        UsageError: it has none.
        UnavailableError: an extension in it cannot be read.
    """
    return _judge(contents.installed(interpreter), interpreter)


def _judge(found: Contents, interpreter: Interpreter | None) -> tuple[Row, ...]:
    subject = _Subject(
        contents=found,
        needs={name: elf.read(found.read(name), name=name) for name in found.extensions},
        interpreter=interpreter,
        torch=torch_files.find(interpreter.search) if interpreter else None,
    )
    rows: list[Row] = []
    for judge in _JUDGES:
        rows += judge(subject)
    return tuple(rows)


def _extension(subject: _Subject) -> Iterator[Row]:
    names = subject.contents.extensions
    foreign = _foreign(subject)
    if foreign:
        yield foreign
        return
    if names:
        places = tuple(subject.place(name) for name in names)
        yield _row("artefact-extension", Verdict.PASS, f"{len(names)} compiled", places=places)
        return
    yield _row(
        "artefact-extension",
        Verdict.FAIL,
        "no deep_gemm/_C*.so: the extension was never built, or not packed",
        hint="Build it with `dgpin build` and pack what that leaves.",
    )


def _foreign(subject: _Subject) -> Row | None:
    """Return the row of extensions for a machine that is not the promised one."""
    tags = subject.contents.tags
    if tags:
        promised, whose = tags[2], f"its name promises {tags[2]}"
    elif subject.interpreter is not None:
        promised = subject.interpreter.platform
        whose = f"{subject.interpreter.path} runs on {promised}"
    else:
        return None
    others = [
        name
        for name in subject.contents.extensions
        if not promised.endswith((subject.needs[name].machine, "universal2"))
    ]
    if not others:
        return None
    machines = ", ".join(sorted({subject.needs[name].machine for name in others}))
    return _row(
        "artefact-extension",
        Verdict.FAIL,
        f"compiled for {machines}, and {whose}",
        places=tuple(subject.place(name) for name in others),
        hint="Build it on the machine that it is for, and name the wheel for that platform.",
    )


def _pythons(subject: _Subject) -> Iterator[Row]:
    names = subject.contents.extensions
    if not names or not subject.contents.prefix:
        return
    wanted, why = _wanted_pythons(subject)
    if not wanted:
        yield _row("artefact-pythons", Verdict.SKIP, why)
        return
    covered = {f"{m[1]}.{m[2]}" for name in names if (m := _CPYTHON.search(name))}
    # abi3, or without Python's API at all: for each but the free-threaded.
    serves_all = any(not _CPYTHON.search(name) for name in names)
    absent = [
        version
        for version in wanted
        if version not in covered and (version.endswith("t") or not serves_all)
    ]
    if absent:
        yield _row(
            "artefact-pythons",
            Verdict.FAIL,
            f"no extension for Python {', '.join(absent)}, which {why}",
            places=tuple(subject.place(name) for name in names),
            hint="Build for each of them: dgpin build --python … --python …",
        )
    else:
        yield _row("artefact-pythons", Verdict.PASS, f"one for each of Python {', '.join(wanted)}")


def _wanted_pythons(subject: _Subject) -> tuple[tuple[str, ...], str]:
    """Return the Pythons that the artefact promises to run on, and what promises it."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - start-up

    tags = subject.contents.tags
    only = re.fullmatch(r"cp(\d)(\d+t?)", tags[1]) if tags else None
    if only:
        return (f"{only[1]}.{only[2]}",), f"its name promises ({tags[1]})"
    if subject.interpreter is not None and not tags:
        free = _CPYTHON.search(f"_C{subject.interpreter.ext_suffix}")
        version = f"{free[1]}.{free[2]}" if free else subject.interpreter.short
        return (version,), f"{subject.interpreter.path} is"
    oldest = _floor(tags) if tags else (0, 0)
    for owner in subject.contents.owners:
        try:
            allowed = SpecifierSet(owner.requires_python)
        except InvalidSpecifier:
            continue
        if owner.requires_python:
            wanted = tuple(
                version
                for version in PYTHONS
                if allowed.contains(f"{version}.99") and _numbers(version) >= oldest
            )
            told = f"requires-python {owner.requires_python}"
            return (
                wanted,
                f"{told} allows" if wanted else f"{told} allows none of {PYTHONS[-1]} or older",
            )
    return (), "nothing tells for which Pythons it is meant"


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor)


def _limited_api(subject: _Subject) -> Iterator[Row]:
    for name in subject.contents.extensions:
        if ".abi3." not in name:
            continue
        floor = _floor(subject.contents.tags)
        beyond = [each for each in subject.needs[name].symbols if not _is_limited(each, floor)]
        spoken = f"{floor[0]}.{floor[1]}"
        if beyond:
            yield _row(
                "artefact-abi3",
                Verdict.FAIL,
                f"is named abi3 but uses what is not in the limited API of {spoken}: "
                f"{_some(beyond)}",
                places=(subject.place(name),),
                hint="Build one extension for each Python, or with Py_LIMITED_API.",
            )
        else:
            message = f"only the limited API of {spoken}"
            yield _row("artefact-abi3", Verdict.PASS, message, places=(subject.place(name),))


def _floor(tags: tuple[str, ...]) -> tuple[int, int]:
    """Return the oldest Python of a wheel's name; `cp310.cp311` names the older one first."""
    found = re.match(r"cp(\d)(\d+)", tags[0]) if tags else None
    return (int(found[1]), int(found[2])) if found else _OLDEST


def _is_limited(symbol: str, floor: tuple[int, int]) -> bool:
    if not re.match(r"_?Py[A-Z_]", symbol):
        return True
    import abi3info  # type: ignore[import-untyped]  # noqa: PLC0415 - 0.15 s for abi3 files only
    from abi3info.models import Symbol  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

    known = abi3info.FUNCTIONS.get(Symbol(symbol)) or abi3info.DATAS.get(Symbol(symbol))
    return known is not None and bool((known.added.major, known.added.minor) <= floor)


def _cuda(subject: _Subject) -> Iterator[Row]:
    torch = subject.torch
    asked: dict[tuple[str, ...], list[Place]] = {}
    for name in subject.contents.extensions:
        found = tuple(n for n in subject.needs[name].libraries if _CUDA_LIBRARY.match(n))
        if found:
            asked.setdefault(found, []).append(subject.place(name))
    for libraries, places in asked.items():
        if torch is None:
            message = f"needs {', '.join(libraries)}; no torch to compare with"
            yield _row("artefact-cuda", Verdict.SKIP, message, places=tuple(places))
            continue
        others = [each for each in libraries if not each.endswith(f".{_major(torch.cuda)}")]
        if others:
            yield _row(
                "artefact-cuda",
                Verdict.FAIL,
                f"needs {', '.join(others)}, and torch {torch.version} is built with CUDA "
                f"{torch.cuda or 'none'}",
                places=tuple(places),
                hint=_rebuild(subject),
            )
        else:
            message = f"needs {', '.join(libraries)}, as torch {torch.version} does"
            yield _row("artefact-cuda", Verdict.PASS, message, places=tuple(places))


def _major(version: str) -> str:
    return version.partition(".")[0]


def _torch_symbols(subject: _Subject) -> Iterator[Row]:
    torch = subject.torch
    if torch is None:
        if subject.contents.extensions:
            message = "no torch to compare with; name an interpreter that has one"
            yield _row("artefact-torch", Verdict.SKIP, message)
        return
    libraries = [
        path
        for name in _TORCH_LIBRARIES
        if (path := torch.root / "lib" / f"lib{name}.so").is_file()
    ]
    loaded = _loaded(subject)
    if subject.interpreter and subject.contents.extensions and not loaded:
        message = f"no extension for Python {subject.interpreter.short} to compare"
        yield _row("artefact-torch", Verdict.SKIP, message)
    for name in loaded:
        wanted = [each for each in subject.needs[name].symbols if _TORCH_SYMBOL.match(each)]
        missing = elf.absent(wanted, libraries)
        if missing:
            yield _row(
                "artefact-torch",
                Verdict.FAIL,
                f"torch {torch.version} lacks {len(missing)} of the {len(wanted)} torch symbols: "
                f"{_some([demangle(each) for each in missing])}{_strings(missing, torch)}",
                places=(subject.place(name),),
                hint=_rebuild(subject),
            )
        else:
            message = f"all {len(wanted)} torch symbols are in torch {torch.version}"
            yield _row("artefact-torch", Verdict.PASS, message, places=(subject.place(name),))


def _loaded(subject: _Subject) -> tuple[str, ...]:
    """Return the extensions that the interpreter would load; its torch is for that Python only."""
    names = subject.contents.extensions
    suffix = subject.interpreter.ext_suffix if subject.interpreter else ""
    return tuple(n for n in names if not _CPYTHON.search(n) or n.endswith(suffix))


def _strings(missing: Iterable[str], torch: Torch) -> str:
    uses = any("__cxx11" in symbol for symbol in missing)
    if uses and not torch.cxx11_abi:
        return "; it passes std::string by the C++11 ABI, and this torch is built without"
    return ""


def _torch_build(subject: _Subject) -> Iterator[Row]:
    """Compare the torch that it was made for, as fingerprint or metadata tell, with this one."""
    torch, made_for = subject.torch, _made_for(subject.contents)
    if torch is None or made_for is None:
        return
    version, git = made_for
    here = torch.version.partition("+")[0]
    if not _same(version, here):
        message = f"made for torch {version}, and torch {torch.version} is installed"
        yield _row("artefact-torch-build", Verdict.FAIL, message, hint=_rebuild(subject))
    elif git and git != torch.git:
        message = (
            f"made for another build of torch {here}: {git[:7]}, and {torch.git[:7]} is installed"
        )
        yield _row("artefact-torch-build", Verdict.FAIL, message, hint=_rebuild(subject))
    else:
        yield _row("artefact-torch-build", Verdict.PASS, f"made for torch {version}")


def _made_for(found: Contents) -> tuple[str, str] | None:
    if found.fingerprint is not None:
        text = found.fingerprint.decode(errors="replace")
        told = re.search(r'"torch": "(\S+) git (\w*)"', text)
        if told:
            return told[1], told[2]
    for owner in found.owners:
        for requirement in owner.requires:
            if pinned := _pinned_torch(requirement):
                return pinned, ""
    return None


def _pinned_torch(requirement: str) -> str:
    """Return the version of torch that a Requires-Dist names, for every install; else nothing."""
    pinned = re.fullmatch(r"torch\s*\(?==\s*([\w.+]+)\)?\s*(?:;(.*))?", requirement)
    if pinned is None or "extra" in (pinned[2] or ""):
        return ""
    return pinned[1]


def _same(one: str, other: str) -> bool:
    """Whether two versions are one, whatever their local parts: 2.9 is 2.9.0."""
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - start-up

    try:
        return Version(one.partition("+")[0]) == Version(other.partition("+")[0])
    except InvalidVersion:
        return one == other


def _headers(subject: _Subject) -> Iterator[Row]:
    if not subject.contents.prefix:
        return
    counts = {
        what: sum(name.startswith(prefix) for name in subject.contents.files)
        for prefix, what in _HEADERS.items()
    }
    absent = [what for what, count in counts.items() if not count]
    if absent:
        yield _row(
            "artefact-headers",
            Verdict.FAIL,
            f"the headers that kernels are compiled from are missing: {', '.join(absent)}",
            hint="Pack deep_gemm/include, with CUTLASS's cute and cutlass beside deep_gemm.",
        )
    else:
        message = ", ".join(f"{count} of {what}" for what, count in counts.items())
        yield _row("artefact-headers", Verdict.PASS, f"headers: {message}")


def _modules(subject: _Subject) -> Iterator[Row]:
    found = subject.contents
    if not found.prefix:
        return
    python = {name for name in found.files if name.endswith(".py")}
    absent = modules.absent(python, found.files, found.read)
    if absent:
        yield _row(
            "artefact-modules",
            Verdict.FAIL,
            f"imports what is not in it: {', '.join(each.module for each in absent)}",
            places=tuple(
                Place(f"{found.prefix}/{each.place.path}", each.place.line) for each in absent
            ),
            hint="Pack every Python module of the source, or it cannot be imported.",
        )
    else:
        yield _row("artefact-modules", Verdict.PASS, f"{len(python)} modules, none missing")


def _owners(subject: _Subject) -> Iterator[Row]:
    owners = subject.contents.owners
    if len(owners) > 1:
        named = " and ".join(f"{each.name} {each.version}" for each in owners)
        yield _row(
            "artefact-owners",
            Verdict.FAIL,
            f"{len(owners)} distributions claim its files: {named}",
            places=(Place(subject.contents.prefix),),
            hint="Uninstall all of them, then install the one that is meant.",
        )
    elif owners and not subject.contents.tags:
        message = f"belongs to {owners[0].name} {owners[0].version} alone"
        yield _row("artefact-owners", Verdict.PASS, message)


def _rebuild(subject: _Subject) -> str:
    python = f" --python {subject.interpreter.path}" if subject.interpreter else ""
    return f"Rebuild it for this torch: dgpin build{python}"


def _some(names: list[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(names[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _row(
    rule: str, verdict: Verdict, message: str, *, places: tuple[Place, ...] = (), hint: str = ""
) -> Row:
    return Row(rule=rule, verdict=verdict, message=message, places=places, hint=hint)


_JUDGES: tuple[Callable[[_Subject], Iterator[Row]], ...] = (
    _extension,
    _pythons,
    _limited_api,
    _cuda,
    _torch_symbols,
    _torch_build,
    _headers,
    _modules,
    _owners,
)
