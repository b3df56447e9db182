"""The command lines of a compile: one function for the preflight and for the build itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin.build import compiler as compilers
from dgpin.build import cuda
from dgpin.build.compiler import Compiler
from dgpin.build.cuda import Library, Toolkit
from dgpin.build.recipe import Recipe
from dgpin.build.toolchain import Toolchain
from dgpin.build.torch_files import Torch

# What torch's own CUDAExtension links, in its order; `torch_python` uses more than the limited API.
TORCH_LIBRARIES = ("c10", "torch", "torch_cpu", "torch_python", "cudart", "c10_cuda", "torch_cuda")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A toolchain from which nothing is missing."""

    torch: Torch
    toolkit: Toolkit
    compiler: Compiler


def standard(recipe: Recipe, torch: Torch | None) -> int:
    """Return the C++ standard to compile with: the source's, or torch's where it is newer."""
    return max(recipe.cxx_std, torch.cxx_std if torch else 0)


def compile_flags(
    recipe: Recipe, source: Path, toolchain: Toolchain, *, python_include: Path
) -> tuple[str, ...]:
    """Return the flags of one translation unit; what is missing is left out.

    The user's CPPFLAGS and CXXFLAGS come last, so they win.
    """
    torch, toolkit = toolchain.torch, toolchain.toolkit
    own = [flag for flag in recipe.flags if not flag.startswith("-std=")]
    includes = [
        *(source / path for path in recipe.includes),
        *(toolkit.includes if toolkit else ()),
        *(torch.includes if torch else ()),
    ]
    module = recipe.name.rpartition(".")[2] or "_C"
    return (
        *own,
        f"-std=c++{standard(recipe, torch)}",
        *(["-fPIC"] if "-fPIC" not in own else []),
        "-DTORCH_API_INCLUDE_EXTENSION_H",
        f"-DTORCH_EXTENSION_NAME={module}",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.cxx11_abi if torch else True)}",
        *(f"-I{path}" for path in dict.fromkeys(includes)),
        f"-I{python_include}",
        *after(toolchain),
        *(toolchain.compiler.flags if toolchain.compiler else ()),
    )


def after(toolchain: Toolchain) -> tuple[str, ...]:
    """Return the flags that let pip's nvidia packages give what the toolkit lacks, and no more."""
    paths = cuda.nvidia_includes(toolchain.torch) if fits(toolchain) else ()
    cccl = [path / "cccl" for path in paths if (path / "cccl").is_dir()]
    return tuple(word for path in (*paths, *cccl) for word in ("-idirafter", str(path)))


def fits(toolchain: Toolchain) -> bool:
    """Whether the toolkit is of the major version of CUDA that torch was built with."""
    torch, toolkit = toolchain.torch, toolchain.toolkit
    return not torch or not toolkit or torch.cuda.partition(".")[0] == toolkit.major


def libraries(recipe: Recipe, toolchain: Toolchain) -> tuple[Library, ...]:
    """Return every library that the link names, with the file that it means.

    torch's directory comes first, pip's nvidia packages after the toolkit, the compiler's last.
    """
    torch, toolkit, compiler = toolchain.torch, toolchain.toolkit, toolchain.compiler
    directories = (
        *([torch.root / "lib"] if torch else []),
        *(toolkit.libraries if toolkit else ()),
        *(cuda.nvidia_libraries(torch) if fits(toolchain) else ()),
        *(compilers.library_directories(compiler, toolchain.env) if compiler else ()),
    )
    names = dict.fromkeys((*recipe.libraries, *TORCH_LIBRARIES))
    unique = tuple(dict.fromkeys(directories))
    found = tuple(cuda.resolve(name, unique) for name in names)
    if compiler is None or all(library.path for library in found):
        return found
    more = compilers.more_library_directories(compiler, toolchain.env)
    unique = tuple(dict.fromkeys((*unique, *more)))
    return tuple(
        library if library.path else cuda.resolve(library.name, unique) for library in found
    )


def link_flags(found: Sequence[Library]) -> tuple[str, ...]:
    """Return the words that link exactly the files that were found.

    `-l:FILE` also takes a library that has no link name, such as pip's `libnvrtc.so.13`.
    """
    words: list[str] = []
    for library in found:
        if library.path is not None:
            words += [f"-L{library.path.parent}", f"-l:{library.path.name}"]
    return tuple(dict.fromkeys(words))
