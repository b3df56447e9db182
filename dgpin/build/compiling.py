"""The compile itself: what to run, how many at a time, and what the compiler said."""

import contextlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpin import process
from dgpin.build import flags
from dgpin.build.log import Digest, digest
from dgpin.build.recipe import Binding, Recipe
from dgpin.build.table import Preflight
from dgpin.errors import UnavailableError

_DRIVER = Path(__file__).with_name("driver.py")
# cc1plus takes 2.2 GB for DeepGEMM 2.8.2 with torch 2.14.1 (g++ 12.2, -O3).
MEMORY_PER_COMPILE = 2_500_000_000
# A compile takes a minute, four on a busy machine; after an hour it hangs.
LIMIT = 3600.0


class HangingBuildError(UnavailableError):
    """A compile that does not come to an end."""

    hint = "The log named above ends where the compiler stopped."

    def __init__(self, limit: float, log: Path) -> None:
        super().__init__(f"the compile did not end within {limit / 60:.0f} min, see {log}")


class DriverError(UnavailableError):
    """What runs the compilers ended before they did."""

    hint = "Was it killed, for want of memory perhaps? --jobs 1 compiles one after the other."

    def __init__(self, said: Sequence[str]) -> None:
        super().__init__(f"the compile was ended from outside: {said[-1] if said else 'killed'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One extension to make: its file name and the commands, in turn, that make it."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    product: Path
    cwd: Path
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A target starts, or ends with a code after so many seconds."""

    target: str
    ended: bool
    code: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a target; `digest` is the compiler's first error where it failed."""

    target: Target
    code: int
    seconds: float
    digest: Digest | None


def plan(
    recipe: Recipe, source: Path, checked: Preflight, work: Path, *, jobs: int
) -> tuple[Target, ...]:
    """Return the targets of a source: one for each Python, or one for all with the limited API.

    `source` is a tree that may be written; everything else is made in `work`. `jobs` is for a
    target that compiles several files itself.
    """
    if recipe.binding is Binding.TORCH_LIBRARY:
        return (_library(recipe, source, checked, work, jobs),)
    return tuple(
        _extension(recipe, source, checked, work, number)
        for number in range(len(checked.toolchain.interpreters))
    )


def _extension(recipe: Recipe, source: Path, checked: Preflight, work: Path, number: int) -> Target:
    toolchain = checked.toolchain
    each, compiler = toolchain.interpreters[number], toolchain.compiler
    command = compiler.command if compiler else ()
    words = flags.compile_flags(recipe, source, toolchain, python_include=each.include)
    stem = recipe.name.rpartition(".")[2]
    product = work / f"{stem}{each.ext_suffix}"
    cached = (toolchain.ccache,) if toolchain.ccache and "ccache" not in command[0] else ()
    objects = [work / f"{number}-{index}.o" for index in range(len(recipe.sources))]
    compiling = tuple(
        (*cached, *command, *words, "-c", str(source / path), "-o", str(out))
        for path, out in zip(recipe.sources, objects, strict=True)
    )
    linking = (
        *command,
        "-shared",
        *map(str, objects),
        *flags.link_flags(checked.libraries),
        *(compiler.link_flags if compiler else ()),
        "-o",
        str(product),
    )
    return Target(
        name=product.name,
        steps=(*compiling, linking),
        product=product,
        cwd=work,
        env=toolchain.env,
    )


def _library(recipe: Recipe, source: Path, checked: Preflight, work: Path, jobs: int) -> Target:
    stem = recipe.name.rpartition(".")[2]
    python = str(checked.toolchain.host.path)
    build = ["build_ext", "--build-lib", str(work / "lib"), "--build-temp", str(work / "temp")]
    # ninja compiles in another directory, where setup.py's relative include directories lead
    # nowhere; torch makes them absolute only under an older setuptools.
    build += ["--include-dirs", ":".join(str(source / path) for path in recipe.includes)]
    return Target(
        name=f"{stem}.abi3.so",
        steps=((python, "setup.py", *build),),
        product=work / "lib" / Path(*recipe.name.split(".")).with_name(f"{stem}.abi3.so"),
        cwd=source,
        env={**environment(checked, work), "MAX_JOBS": str(jobs)},
    )


def environment(checked: Preflight, work: Path) -> dict[str, str]:
    """Return the variables under which a source's own setup.py compiles with this toolchain.

    It must compile, not download a release, whatever its defaults are; and find what pip's
    nvidia packages give, through the variables that GCC and clang read.
    """
    toolchain = checked.toolchain
    toolkit, compiler = toolchain.toolkit, toolchain.compiler
    env = dict(toolchain.env)
    # Switches of the source's own, off as in the recipe; the fingerprint knows none of them.
    for name in [name for name in env if name.startswith("DG_")]:
        del env[name]
    env |= {"DG_FORCE_BUILD": "1", "DG_USE_LOCAL_VERSION": "0"}
    if toolkit is not None:
        env["CUDA_HOME"] = str(toolkit.home)
    if compiler is not None:
        env["CXX"] = shlex.join(compiler.command)
        env.setdefault("CC", env["CXX"])
        # distutils compiles with CFLAGS, and only late versions of it look at CXXFLAGS.
        env["CFLAGS"] = f"{env.get('CFLAGS', '')} {shlex.join(compiler.flags)}".strip()
    links = work / "links"
    links.mkdir()
    for library in checked.libraries:
        if library.path is not None and not library.has_link_name:
            (links / f"lib{library.name}.so").symlink_to(library.path)
    directories = dict.fromkeys(str(each.path.parent) for each in checked.libraries if each.path)
    env["LIBRARY_PATH"] = ":".join(
        [str(links), *directories, *filter(None, [env.get("LIBRARY_PATH")])]
    )
    includes = flags.after(toolchain)[1::2]
    env["CPLUS_INCLUDE_PATH"] = ":".join(
        [*filter(None, [env.get("CPLUS_INCLUDE_PATH")]), *includes]
    )
    return env


def run(
    targets: Sequence[Target],
    *,
    jobs: int,
    work: Path,
    log: Path,
    emit: Callable[[Event], None],
    limit: float = LIMIT,
) -> tuple[Outcome, ...]:
    """Compile the targets side by side, at most `jobs` at a time, and return what became of each.

    Every compiler is in one session, which ends with dgpin. What they say is kept in `log`.

    Raises:
        HangingBuildError: they do not come to an end; they are killed.
    """
    logs = {target.name: work / f"{target.name}.log" for target in targets}
    described = [
        {
            "name": each.name,
            "log": str(logs[each.name]),
            "cwd": str(each.cwd),
            "env": dict(each.env),
            "steps": each.steps,
        }
        for each in targets
    ]
    todo = work / "plan.json"
    todo.write_text(json.dumps({"jobs": jobs, "targets": described}), encoding="utf-8")
    ended: dict[str, Event] = {}
    stray: list[str] = []  # what the driver says besides: why it could not go on

    def hear(line: bytes) -> None:
        try:
            event = _event(json.loads(line))
        except (ValueError, KeyError, TypeError):
            stray.append(line.decode(errors="replace").rstrip())
            return
        if event.ended:
            ended[event.target] = event
        emit(event)

    argv: list[str | Path] = [sys.executable, "-I", _DRIVER, todo, str(os.getpid())]
    done = process.run(argv, emit=hear, timeout=limit)
    said = {name: _text(path) if path.exists() else "" for name, path in logs.items()}
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    log.write_text("\n".join(said.values()), encoding="utf-8")
    if done.returncode is None:
        raise HangingBuildError(limit, log)
    if len(ended) < len(targets):
        raise DriverError(stray)
    return tuple(_outcome(each, ended[each.name], said[each.name]) for each in targets)


def _event(value: Any) -> Event:  # noqa: ANN401 - parsed JSON
    return Event(
        target=str(value["target"]),
        ended=value["event"] == "end",
        code=int(value.get("code", 0)),
        seconds=float(value.get("seconds", 0.0)),
    )


def _outcome(target: Target, ended: Event, text: str) -> Outcome:
    code = ended.code
    if code == 0 and not target.product.is_file():
        code, text = 1, f"{text}\nthe build left no {target.name}\n"
    return Outcome(
        target=target,
        code=code,
        seconds=ended.seconds,
        digest=digest(text) if code else None,
    )


def jobs_for(targets: int, *, asked: int | None, memory: int, cpus: int) -> int:
    """Return how many compiles run at a time: as asked, else what CPUs and memory (bytes) bear."""
    if asked is not None:
        return asked
    return max(1, min(targets, cpus, memory // MEMORY_PER_COMPILE))


def memory_available(root: Path = Path("/")) -> int:
    """Return the bytes that a compile may take: the system's, or its control group's if less."""
    free: list[int] = []
    with contextlib.suppress(OSError):
        told = re.search(r"^MemAvailable:\s*(\d+) kB", _text(root / "proc/meminfo"), re.MULTILINE)
        free += [int(told[1]) * 1024] if told else []
    with contextlib.suppress(OSError, ValueError):  # cgroup v2; "max" where there is no limit
        limit, used = (_text(root / f"sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
        free.append(int(limit) - int(used))
    return min(free, default=MEMORY_PER_COMPILE)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip()


def cpus() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def copy_source(source: Path, paths: Sequence[str], target: Path) -> Path:
    """Copy a source's files, so that its setup.py cannot write into the original."""
    for path in paths:
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, place)
    return target
