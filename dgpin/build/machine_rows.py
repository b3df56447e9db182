"""What the machine gives to a build: interpreters, torch, toolkit, compiler, tools, room."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from dgpin import cache
from dgpin.build import compiler as compilers
from dgpin.build import cuda, flags, packages
from dgpin.build.interpreter import Interpreter
from dgpin.build.recipe import Binding, Recipe
from dgpin.build.table import Item, Kind, found, missing, note
from dgpin.build.toolchain import Toolchain
from dgpin.verdict import Place

# A package of DeepGEMM with CUTLASS's headers is 30 MB; a compile of it needs 200 MB of
# temporary files.
DISK_NEEDED = 500_000_000  # bytes
# Modules that no package of their name brings.
_BROUGHT_BY = {"distutils": "setuptools", "pkg_resources": "setuptools"}


def of_interpreters(toolchain: Toolchain) -> Iterator[Item]:
    """Yield a row for each Python that gets an extension: its headers."""
    for each in toolchain.interpreters:
        name = f"Python {each.version}"
        if (each.include / "Python.h").is_file():
            yield found(Kind.INTERPRETER, name, str(each.path))
            continue
        what = packages.python_headers(toolchain.distribution, each.short)
        yield missing(
            Kind.INTERPRETER,
            name,
            f"{each.path} has no Python.h in {each.include}",
            package=what.package if _is_the_systems(each) else "",
        )


def _is_the_systems(each: Interpreter) -> bool:
    return str(each.include).startswith("/usr/include/")


def of_torch(toolchain: Toolchain) -> Iterator[Item]:
    """Yield the row of the torch that is compiled against."""
    torch = toolchain.torch
    if torch is None:
        looked = ", ".join(str(each.path) for each in toolchain.interpreters)
        left = {each.left_out("torch", toolchain.env) for each in toolchain.interpreters} - {""}
        detail = "; ".join([f"not installed for {looked}", *sorted(left)])
        yield missing(Kind.TORCH, "torch", detail, pip="torch")
        return
    name = f"torch {torch.version}"
    if not torch.cuda:
        kind = f"a ROCm build ({torch.hip})" if torch.hip else "a CPU-only build"
        yield missing(
            Kind.TORCH,
            name,
            f"{kind}; DeepGEMM needs one with CUDA (pytorch.org/get-started)",
        )
        return
    if not torch.cxx_std:
        yield missing(
            Kind.TORCH,
            name,
            f"{torch.root} has no headers; an image for running only may leave them out",
            pip=f"torch=={torch.version.partition('+')[0]}",
        )
        return
    git = f", git {torch.git[:7]}" if torch.git else ""
    detail = f"CUDA {torch.cuda}{git}, C++11 ABI {'on' if torch.cxx11_abi else 'off'}"
    yield found(Kind.TORCH, name, f"{detail}, for {toolchain.host.path}")
    for each, other in toolchain.others:
        yield note(
            Kind.TORCH,
            f"torch {other.version}",
            f"{each.path} has this one; what is compiled is for torch {torch.version}",
        )


def of_toolkit(toolchain: Toolchain) -> Iterator[Item]:
    """Yield the row of the CUDA toolkit, and what is odd about the choice."""
    search, torch = toolchain.search, toolchain.torch
    toolkit = search.toolkit
    wanted = torch.cuda if torch else ""
    if toolkit is None:
        tried = "; ".join(
            f"{each.home} ({each.origin}): {each.refused}" for each in search.considered
        )
        what = packages.toolkit(toolchain.distribution, cuda=wanted or "13.0")
        if search.is_misnamed:
            what = packages.Source(note="name another one, or leave the option out")
        yield missing(
            Kind.TOOLKIT,
            "CUDA toolkit",
            f"no headers; looked at {tried}{f'; {what.note}' if what.note else ''}",
            package=what.package,
            pip=what.pip,
        )
        return
    name = f"CUDA {toolkit.version}"
    if wanted and not flags.fits(toolchain) and toolkit.origin == cuda.NAMED:
        yield note(
            Kind.TOOLKIT,
            name,
            f"{toolkit.home}: torch was built with CUDA {wanted}, so what is compiled is not kept",
        )
        return
    if wanted and not flags.fits(toolchain):
        yield missing(
            Kind.TOOLKIT,
            name,
            f"{toolkit.home} ({toolkit.origin}) is not the major version of torch, which "
            f"was built with CUDA {wanted}",
            package=packages.toolkit(toolchain.distribution, cuda=wanted).package,
        )
        return
    yield found(Kind.TOOLKIT, name, f"{toolkit.home}, from {toolkit.origin}")
    yield from _toolkit_notes(toolchain, wanted)


def _toolkit_notes(toolchain: Toolchain, wanted: str) -> Iterator[Item]:
    search = toolchain.search
    toolkit, guess = search.toolkit, search.torch_guess
    if toolkit is None:
        return
    if wanted and toolkit.version != wanted:
        yield note(Kind.TOOLKIT, "CUDA versions", f"toolkit {toolkit.version}, torch {wanted}")
    if guess is not None and os.path.realpath(guess) != os.path.realpath(toolkit.home):
        yield note(
            Kind.TOOLKIT, "torch's own guess", f"{guess}; dgpin sets CUDA_HOME to {toolkit.home}"
        )
    for each in search.considered:
        if each.refused and each.origin in {"CUDA_HOME", "CUDA_PATH"} and each.home != toolkit.home:
            yield note(Kind.TOOLKIT, each.origin, f"{each.home} was not taken: {each.refused}")


def of_compiler(recipe: Recipe, toolchain: Toolchain) -> Iterator[Item]:
    """Yield the rows of the C++ compiler, which is tried with a program of one line.

    Raises:
        HangingCompilerError: it does not come to an end.
    """
    compiler = toolchain.compiler
    if compiler is None:
        named = toolchain.env.get("CXX", "").strip()
        what = packages.compiler(toolchain.distribution)
        yield missing(
            Kind.COMPILER,
            "C++ compiler",
            f"CXX={named} is none that answers; name another one, or unset CXX"
            if named
            else "no g++, c++ or clang++ on PATH that answers",
            package="" if named else what.package,
        )
        return
    std = flags.standard(recipe, toolchain.torch)
    probe = compilers.probe(compiler, "int main() { return 0; }\n", std=std, env=toolchain.env)
    if not probe.compiles:
        yield missing(
            Kind.COMPILER,
            compiler.label,
            f"cannot compile C++{std}: {_first_line(probe.output)}",
            package=packages.compiler(toolchain.distribution, newest="format").package,
        )
        return
    yield found(Kind.COMPILER, compiler.label, f"{' '.join(compiler.command)}, C++{std}")
    if not compilers.has_shared_library(compiler, toolchain.env):
        yield missing(
            Kind.COMPILER,
            "shared libstdc++",
            f"{compiler.label} links a libstdc++ of its own, so `_C` would import and then "
            "crash beside torch's; name another compiler with CXX",
            package=packages.compiler(toolchain.distribution).package,
        )


def _first_line(said: str) -> str:
    # A compiler that is killed, or a wrapper that fails, may say nothing.
    return next(iter(said.splitlines()), "it fails and says nothing")


def of_tools(recipe: Recipe, toolchain: Toolchain) -> Iterator[Item]:
    """Yield the rows of what builds faster, and of what a setup.py imports."""
    if recipe.binding is Binding.TORCH_LIBRARY:
        absent = [name for name in recipe.modules if name not in toolchain.host.modules]
        for name in absent:
            if name != "torch":
                yield missing(
                    Kind.TOOL,
                    f"Python module {name}",
                    f"setup.py imports it, and {toolchain.host.path} has it not",
                    pip=_BROUGHT_BY.get(name, name),
                    needed_by=(Place("setup.py"),),
                )
        detail = toolchain.ninja or "none; setuptools compiles one file after the other"
        yield (found if toolchain.ninja else note)(Kind.TOOL, "ninja", detail)
    if toolchain.ccache:
        yield found(Kind.TOOL, "ccache", toolchain.ccache)
    if toolchain.sccache:
        yield note(Kind.TOOL, "sccache", f"{toolchain.sccache}; used when CXX names it")


def of_disk(room: Callable[[Path], int]) -> Iterator[Item]:
    """Yield the row of the room for what is built."""
    place = cache.root()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        free = room(place)
    except OSError as error:
        yield missing(Kind.DISK, str(place), str(error))
        return
    if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        told = f"{cache.root()} cannot be written; name another place in DGPIN_CACHE_DIR"
        yield missing(Kind.DISK, "build cache", told)
        return
    text = f"{free / 1e6:,.0f} MB free for the build cache at {cache.root()}"
    if free < DISK_NEEDED:
        yield missing(Kind.DISK, "disk", f"{text}, {DISK_NEEDED / 1e6:,.0f} MB are needed")
    else:
        yield found(Kind.DISK, "disk", text)
