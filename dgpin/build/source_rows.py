"""What a source asks for: the closure of its headers, and the libraries that are linked."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from dgpin.build import compiler as compilers
from dgpin.build import flags, headers, packages, scan
from dgpin.build.cuda import Library
from dgpin.build.recipe import Recipe
from dgpin.build.table import Item, Kind, found, missing, note
from dgpin.build.toolchain import Toolchain
from dgpin.pin import headers as known
from dgpin.verdict import Place

_FORMAT = '#include <format>\nint main() { return (int)std::format("{}", 1).size() - 1; }\n'


def of_headers(recipe: Recipe, source: Path, toolchain: Toolchain) -> Iterator[Item]:
    """Yield the rows of the headers that the source and torch include, as the compiler finds them.

    Raises:
        HangingCompilerError: it does not come to an end.
    """
    sources = [source / path for path in recipe.sources]
    compiler = toolchain.compiler
    words = flags.compile_flags(recipe, source, toolchain, python_include=toolchain.host.include)
    if compiler is None:
        closed = scan.closure(source, sources, words)
    else:
        torch = toolchain.torch.root / "include" if toolchain.torch else None
        closed = headers.closure(
            compiler, sources, flags=words, env=toolchain.env, torch_include=torch
        )
    if closed.error:
        yield missing(Kind.HEADER, "the source's includes", closed.error)
    for name in closed.missing:
        yield _missing_header(name, source, closed.files, toolchain)
    if not closed.missing and not closed.error:
        yield found(Kind.HEADER, "headers", f"all {len(closed.files)} that are included")
    if compiler and any(Path(file).name == "format" for file in closed.files):
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
    if known.owner(name) is known.Owner.CUDA and toolchain.search.is_misnamed:
        return missing(Kind.HEADER, name, "the toolkit's", needed_by=places)
    if known.owner(name) is known.Owner.TORCH and toolchain.torch is None:
        return missing(Kind.HEADER, name, "torch's", pip="torch", needed_by=places)
    return missing(
        Kind.HEADER,
        name,
        what.note or "in none of the directories that the compiler searches",
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
    return missing(
        Kind.COMPILER,
        f"<{name}>",
        f"the standard library of {compiler} has no usable <{name}>{since}{note}",
        package=what.package,
        needed_by=places,
    )


def _cuda_version(toolchain: Toolchain) -> str:
    if toolchain.toolkit and toolchain.toolkit.version:
        return toolchain.toolkit.version
    return (toolchain.torch.cuda if toolchain.torch else "") or "13.0"


def of_libraries(libraries: Sequence[Library], toolchain: Toolchain) -> Iterator[Item]:
    """Yield the rows of what is linked."""
    for library in libraries:
        name = f"lib{library.name}"
        if library.path is not None:
            if not library.has_link_name:
                yield note(Kind.LIBRARY, name, f"no link name; {library.path} is linked")
            elif library.path.parent.name == "stubs":
                yield note(Kind.LIBRARY, name, f"the stub {library.path} is linked")
            continue
        if library.name.startswith(("torch", "c10")) and (
            toolchain.torch is None or not toolchain.torch.cuda
        ):
            continue  # torch's own row says it
        what = packages.library(library.name, toolchain.distribution, cuda=_cuda_version(toolchain))
        if toolchain.search.is_misnamed:
            what = packages.Source()
        looked = ", ".join(str(path) for path in library.looked[:6])
        more = len(library.looked) - 6
        yield missing(
            Kind.LIBRARY,
            name,
            f"looked in {looked}{f' and {more} more' if more > 0 else ''}",
            package=what.package,
            pip=what.pip,
        )
    if libraries and all(library.path for library in libraries):
        yield found(Kind.LIBRARY, "libraries", f"all {len(libraries)} that are linked")
