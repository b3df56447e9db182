"""How many compiles run at a time, and under which variables a source compiles itself."""

from pathlib import Path

import pytest

from dgpin.build import compiling, distro
from dgpin.build.compiler import Compiler
from dgpin.build.cuda import Search
from dgpin.build.table import Preflight
from dgpin.build.toolchain import Toolchain
from tests.build.world import interpreter, write

GB = 1_000_000_000


@pytest.mark.parametrize(
    ("targets", "asked", "memory", "cpus", "expected"),
    [
        (4, None, 64 * GB, 16, 4),  # no more than there is to do
        (4, None, 64 * GB, 2, 2),  # no more than there are CPUs
        (4, None, 6 * GB, 16, 2),  # no more than memory bears
        (4, None, 1 * GB, 16, 1),  # but one at least
        (4, 3, 1 * GB, 1, 3),  # as asked
    ],
)
def test_jobs_by_cpus_and_memory(
    targets: int, asked: int | None, memory: int, cpus: int, expected: int
) -> None:
    """CPUs, memory and what there is to do bound the number; --jobs decides."""
    assert expected == compiling.jobs_for(targets, asked=asked, memory=memory, cpus=cpus)


@pytest.mark.parametrize(
    ("limit", "expected"), [("max", 8 * GB), (str(5 * GB), 2 * GB), (str(64 * GB), 8 * GB)]
)
def test_memory_of_the_control_group_counts(tmp_path: Path, limit: str, expected: int) -> None:
    """A container's limit, less what it uses, counts where it is below the machine's memory."""
    write(tmp_path / "proc/meminfo", f"MemTotal: 1 kB\nMemAvailable: {8 * GB // 1024} kB\n")
    write(tmp_path / "sys/fs/cgroup/memory.max", f"{limit}\n")
    write(tmp_path / "sys/fs/cgroup/memory.current", f"{3 * GB}\n")

    assert expected == compiling.memory_available(tmp_path)


def checked(compiler: Compiler, **env: str) -> Preflight:
    """Return what a preflight found: a compiler, and nothing else."""
    python = interpreter()
    toolchain = Toolchain(
        interpreters=(python,),
        torch=None,
        host=python,
        search=Search(toolkit=None, considered=(), torch_guess=None),
        compiler=compiler,
        ninja="",
        ccache="",
        sccache="",
        distribution=distro.parse(""),
        env=env,
    )
    return Preflight(toolchain=toolchain, items=(), libraries=())


def test_source_compiles_itself_with_the_same_words(tmp_path: Path) -> None:
    """A compiler and flags with spaces stay what they are, and the source's switches are off."""
    command, flags = ("/opt/a b/g++", "-m64"), ("-isystem", "/c d")
    gxx = Compiler(command=command, kind="gcc", version="13.2.0", flags=flags)

    env = compiling.environment(
        checked(gxx, CFLAGS="-O1", DG_JIT_USE_RUNTIME_API="1", DG_SKIP_CUDA_BUILD="1"), tmp_path
    )

    assert ("'/opt/a b/g++' -m64", "-O1 -isystem '/c d'") == (env["CXX"], env["CFLAGS"])
    assert {"DG_FORCE_BUILD", "DG_USE_LOCAL_VERSION"} == {n for n in env if n.startswith("DG_")}
