"""Everything that a build needs, looked for before the compiler starts: one table."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dgpin import cache
from dgpin.build import compiler as compilers
from dgpin.build import cuda, flags, headers, packages, scan
from dgpin.build.cuda import Library
from dgpin.build.interpreter import Interpreter
from dgpin.build.recipe import Binding, Recipe
from dgpin.build.table import Item, Kind, Preflight, Status
from dgpin.build.toolchain import Toolchain
from dgpin.pin import headers as known
from dgpin.verdict import Place

# A package of DeepGEMM with CUTLASS's headers is 30 MB; a compile of it needs 200 MB of
# temporary files.
DISK_NEEDED = 500_000_000  # bytes


def inspect(
    recipe: Recipe,
    source: Path,
    toolchain: Toolchain,
    *,
    room: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
) -> Preflight:
    """Look for everything that compiling this source with this toolchain needs.

    Raises:
        HangingCompilerError: a compiler that does not come to an end.
    """
    with ThreadPoolExecutor() as pool:
        closing = pool.submit(_headers, recipe, source, toolchain)
        linking = pool.submit(flags.libraries, recipe, toolchain)
        probing = pool.submit(_compiler, recipe, toolchain)
        first = [
            *_interpreters(toolchain),
            *_torch(toolchain),
            *_toolkit(toolchain),
        ]
        found = linking.result()
        rest = [
            *probing.result(),
            *closing.result(),
            *_libraries(found, toolchain),
            *_tools(recipe, toolchain),
            *_disk(room),
        ]
    return Preflight(toolchain=toolchain, items=(*first, *rest), libraries=found)


def _interpreters(toolchain: Toolchain) -> Iterator[Item]:
    for each in toolchain.interpreters:
        name = f"Python {each.version}"
        if (each.include / "Python.h").is_file():
            yield Item(kind=Kind.INTERPRETER, name=name, status=Status.FOUND, detail=str(each.path))
            continue
        what = packages.python_headers(toolchain.distribution, each.short)
        yield Item(
            kind=Kind.INTERPRETER,
            name=name,
            status=Status.MISSING,
            detail=f"{each.path} has no Python.h in {each.include}",
            package=what.package if _is_the_systems(each) else "",
        )


def _is_the_systems(each: Interpreter) -> bool:
    return str(each.include).startswith("/usr/include/")


def _torch(toolchain: Toolchain) -> Iterator[Item]:
    torch = toolchain.torch
    if torch is None:
        looked = ", ".join(str(each.path) for each in toolchain.interpreters)
        yield _item(Kind.TORCH, "torch", missing=f"not installed for {looked}", pip="torch")
        return
    name = f"torch {torch.version}"
    if not torch.cuda:
        kind = f"a ROCm build ({torch.hip})" if torch.hip else "a CPU-only build"
        yield _item(
            Kind.TORCH,
            name,
            missing=f"{kind}; DeepGEMM needs one with CUDA (pytorch.org/get-started)",
        )
        return
    git = f", git {torch.git[:7]}" if torch.git else ""
    detail = f"CUDA {torch.cuda}{git}, C++11 ABI {'on' if torch.cxx11_abi else 'off'}"
    yield Item(
        kind=Kind.TORCH,
        name=name,
        status=Status.FOUND,
        detail=f"{detail}, for {toolchain.host.path}",
    )


def _toolkit(toolchain: Toolchain) -> Iterator[Item]:
    search, torch = toolchain.search, toolchain.torch
    toolkit = search.toolkit
    wanted = torch.cuda if torch else ""
    if toolkit is None:
        tried = "; ".join(
            f"{each.home} ({each.origin}): {each.refused}" for each in search.considered
        )
        what = packages.toolkit(toolchain.distribution, cuda=wanted or "13.0")
        yield _item(
            Kind.TOOLKIT,
            "CUDA toolkit",
            missing=f"no headers; looked at {tried}{f'; {what.note}' if what.note else ''}",
            package=what.package,
            pip=what.pip,
        )
        return
    name = f"CUDA {toolkit.version}"
    if not flags.fits(toolchain) and toolkit.origin == cuda.NAMED:
        yield _note(
            Kind.TOOLKIT,
            name,
            f"{toolkit.home}: torch was built with CUDA {wanted}, so what is compiled is not kept",
        )
        return
    if wanted and not flags.fits(toolchain):
        yield _item(
            Kind.TOOLKIT,
            name,
            missing=f"{toolkit.home} ({toolkit.origin}) is not the major version of torch, which "
            f"was built with CUDA {wanted}",
            package=packages.toolkit(toolchain.distribution, cuda=wanted).package,
        )
        return
    yield Item(
        kind=Kind.TOOLKIT,
        name=name,
        status=Status.FOUND,
        detail=f"{toolkit.home}, from {toolkit.origin}",
    )
    yield from _toolkit_notes(toolchain, wanted)


def _toolkit_notes(toolchain: Toolchain, wanted: str) -> Iterator[Item]:
    search = toolchain.search
    toolkit, guess = search.toolkit, search.torch_guess
    if toolkit is None:
        return
    if wanted and toolkit.version != wanted:
        yield _note(Kind.TOOLKIT, "CUDA versions", f"toolkit {toolkit.version}, torch {wanted}")
    if guess is not None and os.path.realpath(guess) != os.path.realpath(toolkit.home):
        yield _note(
            Kind.TOOLKIT, "torch's own guess", f"{guess}; dgpin sets CUDA_HOME to {toolkit.home}"
        )
    for each in search.considered:
        if each.refused and each.origin in {"CUDA_HOME", "CUDA_PATH"} and each.home != toolkit.home:
            yield _note(Kind.TOOLKIT, each.origin, f"{each.home} was not taken: {each.refused}")


def _compiler(recipe: Recipe, toolchain: Toolchain) -> Iterator[Item]:
    compiler = toolchain.compiler
    if compiler is None:
        named = toolchain.env.get("CXX")
        what = packages.compiler(toolchain.distribution)
        yield _item(
            Kind.COMPILER,
            "C++ compiler",
            missing=f"CXX={named} cannot be started" if named else "no g++, c++ or clang++ on PATH",
            package=what.package,
        )
        return
    std = flags.standard(recipe, toolchain.torch)
    probe = compilers.probe(compiler, "int main() { return 0; }\n", std=std, env=toolchain.env)
    if not probe.compiles:
        yield _item(
            Kind.COMPILER,
            compiler.label,
            missing=f"cannot compile C++{std}: {probe.output.splitlines()[0]}",
            package=packages.compiler(toolchain.distribution, newest="format").package,
        )
        return
    yield Item(
        kind=Kind.COMPILER,
        name=compiler.label,
        status=Status.FOUND,
        detail=f"{' '.join(compiler.command)}, C++{std}",
    )
    if not compilers.has_shared_library(compiler, toolchain.env):
        yield _item(
            Kind.COMPILER,
            "shared libstdc++",
            missing=f"{compiler.label} links a libstdc++ of its own, so `_C` would import and then "
            "crash beside torch's; name another compiler with CXX",
            package=packages.compiler(toolchain.distribution).package,
        )


_FORMAT = '#include <format>\nint main() { return (int)std::format("{}", 1).size() - 1; }\n'


def _headers(recipe: Recipe, source: Path, toolchain: Toolchain) -> Iterator[Item]:
    sources = [source / path for path in recipe.sources]
    compiler = toolchain.compiler
    words = flags.compile_flags(recipe, source, toolchain, python_include=toolchain.host.include)
    if compiler is None:
        found = scan.closure(source, sources, words)
    else:
        torch = toolchain.torch.root / "include" if toolchain.torch else None
        found = headers.closure(
            compiler, sources, flags=words, env=toolchain.env, torch_include=torch
        )
    if found.error:
        yield _item(Kind.HEADER, "the source's includes", missing=found.error)
    for name in found.missing:
        yield _missing_header(name, source, found.files, toolchain)
    if not found.missing and not found.error:
        yield Item(
            kind=Kind.HEADER,
            name="headers",
            status=Status.FOUND,
            detail=f"all {len(found.files)} that are included",
        )
    if compiler and any(Path(file).name == "format" for file in found.files):
        std = flags.standard(recipe, toolchain.torch)
        probe = compilers.probe(compiler, _FORMAT, std=std, env=toolchain.env)
        if not probe.compiles:
            yield _standard_header("format", compiler.label, (), toolchain)


def _missing_header(name: str, source: Path, files: Sequence[str], toolchain: Toolchain) -> Item:
    own = [file for file in files if file.startswith(f"{source}/")]
    others = [file for file in files if "/torch/include/" in file and "/ATen/ops/" not in file]
    places = tuple(
        Place(os.path.relpath(place.path, source) if place.path in own else place.path, place.line)
        for place in headers.includers(name, (*own, *others))
    )
    if headers.is_standard(name) and toolchain.compiler is not None:
        return _standard_header(name, toolchain.compiler.label, places, toolchain)
    what = packages.header(name, toolchain.distribution, cuda=_cuda_version(toolchain))
    if known.owner(name) is known.Owner.TORCH and toolchain.torch is None:
        return _item(Kind.HEADER, name, missing="torch's", pip="torch", needed_by=places)
    return _item(
        Kind.HEADER,
        name,
        missing=what.note or "in none of the directories that the compiler searches",
        package=what.package,
        pip=what.pip,
        needed_by=places,
    )


def _standard_header(
    name: str, compiler: str, places: tuple[Place, ...], toolchain: Toolchain
) -> Item:
    floor = known.GCC_FLOORS.get(name, "")
    what = packages.compiler(toolchain.distribution, newest=name)
    since = f", it came with GCC {floor}" if floor else ""
    note = f"; {what.note}" if what.note else ""
    return _item(
        Kind.COMPILER,
        f"<{name}>",
        missing=f"the standard library of {compiler} has no usable <{name}>{since}{note}",
        package=what.package,
        needed_by=places,
    )


def _cuda_version(toolchain: Toolchain) -> str:
    if toolchain.toolkit and toolchain.toolkit.version:
        return toolchain.toolkit.version
    return (toolchain.torch.cuda if toolchain.torch else "") or "13.0"


def _libraries(found: Sequence[Library], toolchain: Toolchain) -> Iterator[Item]:
    for library in found:
        name = f"lib{library.name}"
        if library.path is not None:
            if not library.has_link_name:
                yield _note(Kind.LIBRARY, name, f"no link name; {library.path} is linked")
            elif library.path.parent.name == "stubs":
                yield _note(Kind.LIBRARY, name, f"the stub {library.path} is linked")
            continue
        if library.name.startswith(("torch", "c10")) and (
            toolchain.torch is None or not toolchain.torch.cuda
        ):
            continue  # torch's own row says it
        what = packages.library(library.name, toolchain.distribution, cuda=_cuda_version(toolchain))
        looked = ", ".join(str(path) for path in library.looked[:6])
        more = len(library.looked) - 6
        yield _item(
            Kind.LIBRARY,
            name,
            missing=f"looked in {looked}{f' and {more} more' if more > 0 else ''}",
            package=what.package,
            pip=what.pip,
        )
    if found and all(library.path for library in found):
        yield Item(
            kind=Kind.LIBRARY,
            name="libraries",
            status=Status.FOUND,
            detail=f"all {len(found)} that are linked",
        )


def _tools(recipe: Recipe, toolchain: Toolchain) -> Iterator[Item]:
    if recipe.binding is Binding.TORCH_LIBRARY:
        absent = [name for name in recipe.modules if name not in toolchain.host.modules]
        for name in absent:
            if name != "torch":
                yield _item(
                    Kind.TOOL,
                    f"Python module {name}",
                    missing=f"setup.py imports it, and {toolchain.host.path} has it not",
                    pip=name,
                    needed_by=(Place("setup.py"),),
                )
        detail = toolchain.ninja or "none; setuptools compiles one file after the other"
        yield Item(
            kind=Kind.TOOL,
            name="ninja",
            status=Status.FOUND if toolchain.ninja else Status.NOTE,
            detail=detail,
        )
    if toolchain.ccache:
        yield Item(kind=Kind.TOOL, name="ccache", status=Status.FOUND, detail=toolchain.ccache)
    if toolchain.sccache:
        yield _note(Kind.TOOL, "sccache", f"{toolchain.sccache}; used when CXX names it")


def _disk(room: Callable[[Path], int]) -> Iterator[Item]:
    place = cache.root()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        free = room(place)
    except OSError as error:
        yield _item(Kind.DISK, str(place), missing=str(error))
        return
    text = f"{free / 1e6:,.0f} MB free for the build cache at {cache.root()}"
    if free < DISK_NEEDED:
        yield _item(Kind.DISK, "disk", missing=f"{text}, {DISK_NEEDED / 1e6:,.0f} MB are needed")
    else:
        yield Item(kind=Kind.DISK, name="disk", status=Status.FOUND, detail=text)


def _item(
    kind: Kind,
    name: str,
    *,
    missing: str,
    package: str = "",
    pip: str = "",
    needed_by: tuple[Place, ...] = (),
) -> Item:
    return Item(
        kind=kind,
        name=name,
        status=Status.MISSING,
        detail=missing,
        package=package,
        pip=pip,
        needed_by=needed_by,
    )


def _note(kind: Kind, name: str, text: str) -> Item:
    return Item(kind=kind, name=name, status=Status.NOTE, detail=text)
