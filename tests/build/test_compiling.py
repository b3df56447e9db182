"""How many compiles run at a time, and under which variables a source compiles itself."""

from pathlib import Path

import pytest

from dgpin.build import compiling
from tests.build.world import write

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
