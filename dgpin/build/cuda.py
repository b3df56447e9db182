"""Which CUDA toolkit compiles, and why that one."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin.build.torch_files import Torch

# Where the toolkit's headers may be below its home: NVIDIA's installers link include to the
# second place, conda has only that.
_INCLUDES = ("include", "targets/x86_64-linux/include", "targets/sbsa-linux/include")
_LIBRARIES = (
    "lib64",
    "lib",
    "targets/x86_64-linux/lib",
    "targets/sbsa-linux/lib",
    "lib64/stubs",
    "lib/stubs",
    "targets/x86_64-linux/lib/stubs",
    "targets/sbsa-linux/lib/stubs",
)
_HEADER = "cuda_runtime_api.h"
NAMED = "--cuda-home"  # the origin of a home that the user named
_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_HOPS = 8  # wrapper scripts and links on the way to the real nvcc


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A place that was looked at: who proposed it, and why it was not taken ("" if it was)."""

    home: Path
    origin: str
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """A CUDA home with headers. `version` is that of its headers, such as `13.0`."""

    home: Path
    version: str
    origin: str
    includes: tuple[Path, ...]
    libraries: tuple[Path, ...]

    @property
    def major(self) -> str:
        """The part of the version that library names carry: `13`."""
        return self.version.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What the search for a toolkit found."""

    toolkit: Toolkit | None
    considered: tuple[Candidate, ...]
    torch_guess: Path | None  # what torch's own build helper would take; it does not follow nvcc

    @property
    def is_misnamed(self) -> bool:
        """Whether the user named a home that is none: to install something would not cure that."""
        return self.toolkit is None and any(each.origin == NAMED for each in self.considered)


def find(
    env: Mapping[str, str],
    torch: Torch | None,
    *,
    explicit: Path | None = None,
    root: Path = Path("/"),
) -> Search:
    """Look for the toolkit: what is named explicitly, else by environment, nvcc, custom, pip."""
    considered: list[Candidate] = []
    chosen: Toolkit | None = None
    proposals = [(explicit, NAMED)] if explicit else list(_proposals(env, torch, root))
    found = [(home, origin, read(home, origin)) for home, origin in proposals]
    wanted = torch.cuda if torch else ""
    major = wanted.partition(".")[0]
    there = [toolkit for _, _, toolkit in found if toolkit is not None]
    if there:
        # What the user named is taken as it is; of what merely lies about, what fits torch.
        fitting = [each for each in there if each.major == major]
        named = there[0].origin in {NAMED, *_VARIABLES}
        chosen = there[0] if named or not fitting else fitting[0]
    for home, origin, toolkit in found:
        refused = "" if toolkit is chosen else "another place was taken"
        if toolkit is None:
            refused = f"no {_HEADER} in it"
        elif toolkit is not chosen and major and toolkit.major != major:
            refused = f"it is CUDA {toolkit.version}, and torch was built with {wanted}"
        considered.append(Candidate(home=home, origin=origin, refused=refused))
    return Search(toolkit=chosen, considered=tuple(considered), torch_guess=_torch_guess(env, root))


def read(home: Path, origin: str) -> Toolkit | None:
    """Return the toolkit in a directory, or None when its headers are not there."""
    includes = [home / part for part in _INCLUDES if (home / part / _HEADER).is_file()]
    if not includes:
        return None
    first = includes[0]
    return Toolkit(
        home=home,
        version=_version(first),
        origin=origin,
        includes=tuple(path for path in (first, first / "cccl") if path.is_dir()),
        libraries=tuple(home / part for part in _LIBRARIES if (home / part).is_dir()),
    )


def _proposals(
    env: Mapping[str, str], torch: Torch | None, root: Path
) -> Iterator[tuple[Path, str]]:
    for variable in _VARIABLES:
        if value := env.get(variable):
            yield Path(value).absolute(), variable  # compilers run in directories of their own
    if nvcc := shutil.which("nvcc", path=env.get("PATH", "")):
        way = follow(Path(nvcc).absolute())
        told = " → ".join(str(step) for step in way)
        # Distributions' own toolkits have the program in a corner and the headers in /usr/include.
        for home in dict.fromkeys(step.parent.parent for step in reversed(way)):
            yield home, f"nvcc on PATH: {told}"
    yield root / "usr/local/cuda", "the usual place"
    for tree in torch.nvidia if torch else ():
        if re.fullmatch(r"cu\d+|cuda_runtime", tree.name):
            yield tree, "pip's nvidia packages beside torch"


def follow(nvcc: Path) -> tuple[Path, ...]:
    """Follow nvcc through links and wrapper scripts to the program itself, all steps included."""
    way = [nvcc]
    for _ in range(_HOPS):
        step = _next(way[-1])
        if step is None or step in way:
            break
        way.append(step)
    return tuple(way)


def _next(program: Path) -> Path | None:
    if program.is_symlink():
        return Path(os.path.normpath(program.parent / program.readlink()))
    try:
        with program.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    for word in re.findall(rb"(/[^\s\"';&|$()]*/nvcc)(?=[\s\"';&|)]|$)", head):
        named = Path(os.fsdecode(word))
        if named.is_file() and named != program:
            return named
    return None


def _torch_guess(env: Mapping[str, str], root: Path) -> Path | None:
    # torch.utils.cpp_extension._find_cuda_home: two steps up from the nvcc on PATH, whatever
    # that file is.
    if named := env.get("CUDA_HOME") or env.get("CUDA_PATH"):
        return Path(named)
    if nvcc := shutil.which("nvcc", path=env.get("PATH", "")):
        return Path(nvcc).parent.parent
    usual = root / "usr/local/cuda"
    return usual if usual.exists() else None


def _version(include: Path) -> str:
    # cuda.h: `#define CUDA_VERSION 13000`; cuda_runtime_api.h says the same as CUDART_VERSION.
    for name, macro in (("cuda.h", "CUDA_VERSION"), (_HEADER, "CUDART_VERSION")):
        try:
            text = (include / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if found := re.search(rf"^\s*#\s*define\s+{macro}\s+(\d+)", text, re.MULTILINE):
            number = int(found[1])
            return f"{number // 1000}.{number % 1000 // 10}"
    return ""


def nvidia_includes(torch: Torch | None) -> tuple[Path, ...]:
    """Return the header directories of pip's nvidia packages, for what the toolkit lacks."""
    trees = torch.nvidia if torch else ()
    return tuple(tree / "include" for tree in trees if (tree / "include").is_dir())


def nvidia_libraries(torch: Torch | None) -> tuple[Path, ...]:
    """Return the library directories of pip's nvidia packages."""
    trees = torch.nvidia if torch else ()
    return tuple(tree / "lib" for tree in trees if (tree / "lib").is_dir())


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A `-l` name and the file that it means. `path` is None where none was found."""

    name: str
    path: Path | None
    looked: tuple[Path, ...]

    @property
    def has_link_name(self) -> bool:
        """Whether the linker itself would find the file by `-l`."""
        return self.path is not None and self.path.name == f"lib{self.name}.so"


def resolve(name: str, directories: Sequence[Path]) -> Library:
    """Return the file that a `-l` means: with its link name if there is one, else by version.

    pip's nvidia packages hold `libnvrtc.so.13` and no `libnvrtc.so`. A static library is the
    last choice, as it is the linker's.
    """
    for pattern in (f"lib{name}.so", f"lib{name}.so.*", f"lib{name}.a"):
        for directory in directories:
            found = sorted(
                (
                    path
                    for path in directory.glob(pattern)
                    if ".alt." not in path.name and path.is_file()  # no link that leads nowhere
                ),
                key=lambda path: (len(path.name), path.name),
            )
            if found:
                return Library(name=name, path=found[0], looked=tuple(directories))
    return Library(name=name, path=None, looked=tuple(directories))
