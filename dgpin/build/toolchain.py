"""What a build is made with, as far as it is there; nothing is imported or compiled for it."""

import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dgpin.build import compiler as compilers
from dgpin.build import cuda, distro, interpreter, torch_files
from dgpin.build.compiler import Compiler
from dgpin.build.cuda import Search, Toolkit
from dgpin.build.distro import Distribution
from dgpin.build.interpreter import Interpreter
from dgpin.build.torch_files import Torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """Interpreters, torch, toolkit and compiler; None stands for what is not there.

    `torch` belongs to `host`, the first interpreter that has one: the others only give their
    headers.
    """

    interpreters: tuple[Interpreter, ...]
    torch: Torch | None
    host: Interpreter
    others: tuple[tuple[Interpreter, Torch], ...] = ()  # those with another torch
    search: Search
    compiler: Compiler | None
    ninja: str
    ccache: str
    sccache: str
    distribution: Distribution
    env: Mapping[str, str]

    @property
    def toolkit(self) -> Toolkit | None:
        """The CUDA toolkit that was chosen."""
        return self.search.toolkit


def collect(
    pythons: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    modules: Sequence[str] = (),
    cuda_home: Path | None = None,
    root: Path = Path("/"),
) -> Toolchain:
    """Ask everything at once. `modules` are those whose presence the interpreters tell.

    Raises:
        UsageError: an interpreter that is not there.
        UnavailableError: an interpreter, a torch or a compiler that does not answer.
    """
    env = _plain(os.environ if env is None else env)
    wanted = tuple(dict.fromkeys(pythons)) or (interpreter.default(env),)
    with ThreadPoolExecutor() as pool:
        compiling = pool.submit(compilers.find, env)
        asked = pool.map(lambda python: interpreter.read(python, modules=modules), wanted)
        pairs = [(each, torch_files.find(each.search)) for each in asked]
        found = compiling.result()
    # Of two Pythons of one version, such as a system's and that of a virtual environment, one
    # extension serves both.
    chosen: dict[str, tuple[Interpreter, Torch | None]] = {}
    for each, its in pairs:
        if each.ext_suffix not in chosen or (its and not chosen[each.ext_suffix][1]):
            chosen[each.ext_suffix] = (each, its)
    host, torch = next((pair for pair in chosen.values() if pair[1]), pairs[0])
    interpreters = tuple(each for each, _ in chosen.values())
    others = tuple((each, its) for each, its in chosen.values() if its and not _same(its, torch))
    path = env.get("PATH")
    return Toolchain(
        interpreters=interpreters,
        torch=torch,
        host=host,
        others=others,
        search=cuda.find(env, torch, explicit=cuda_home, root=root),
        compiler=found,
        ninja=shutil.which("ninja", path=path) or "",
        ccache=shutil.which("ccache", path=path) or "",
        sccache=shutil.which("sccache", path=path) or "",
        distribution=distro.read(root),
        env=env,
    )


def _same(one: Torch, other: Torch | None) -> bool:
    return other is not None and (one.version, one.git) == (other.version, other.git)


def _plain(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a compiler that speaks English, whatever directory it runs in."""
    told = {**env, "LC_ALL": "C"}
    told.pop("LANGUAGE", None)
    for name in compilers.SEARCHED:
        if words := [word for word in told.get(name, "").split(":") if word]:
            # An empty word stands for the directory that the compiler runs in, which is dgpin's.
            told[name] = ":".join(map(os.path.abspath, words))
        else:
            told.pop(name, None)
    return told
