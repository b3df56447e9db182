"""How a build ends that does not go well: interrupted, killed, raced, without room."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dgpin.build import compiling, store
from dgpin.build.compiling import HangingBuildError
from dgpin.build.job import MachineError
from dgpin.build.store import StoreError
from dgpin.verdict import Verdict
from tests.build.jobs import build, compiler
from tests.build.small import Small
from tests.build.world import write


def test_full_disk_is_told_as_that(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that cannot write its temporary files fails because of the disk."""
    said = "fatal error: error writing to /tmp/x.s: No space left on device"
    compiler(small, monkeypatch, compiling=f'echo "cc1plus: {said}" >&2; exit 1')

    with pytest.raises(MachineError, match="the disk is full"):
        build(small)

    assert () == store.entries()


def test_ccache_that_fails_is_told_as_that(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody named ccache, so its failure is none of the source's, and has a cure of its own."""
    said = "ccache: error: Failed to create directory /root/.ccache: Read-only file system"
    program = write(small.root / "bin/ccache", f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    with pytest.raises(MachineError, match="ccache does not work") as caught:
        build(small)

    assert "CCACHE_DISABLE" in caught.value.hint


def test_cache_that_cannot_be_written(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache below a file is told before the compile, and is a clear error without that."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(write(tmp_path / "file") / "cache"))

    found = build(small)

    assert (Verdict.UNKNOWN, "1 thing missing") == (found.verdict, found.message)
    with (
        pytest.raises(StoreError, match="cannot be written: Not a directory"),
        store.locked("0" * 24, waiting=lambda: None),
    ):
        pass


def test_hanging_compile_is_ended(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that does not come to an end is killed, and the log named."""
    compiler(small, monkeypatch, compiling=f'echo $$ > "{small.root}/pid"; sleep 600')
    limited = compiling.run
    monkeypatch.setattr(
        compiling, "run", lambda targets, **rest: limited(targets, **rest, limit=1.0)
    )

    with pytest.raises(HangingBuildError) as caught:
        build(small)

    log = Path(caught.value.message.rpartition("see ")[2])
    assert "-c" in log.read_text()

    assert_gone(small.root / "pid")


def dgpin(small: Small) -> list[str]:
    """Return the command that builds the small source."""
    where = str(small.source)
    return [sys.executable, "-m", "dgpin", "build", where, "--python", small.python]


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def assert_gone(pids: Path, *, within: float = 10.0) -> None:
    """Wait until every process that wrote its number is gone."""
    numbers = [int(line) for line in pids.read_text().split()]
    assert numbers
    end = time.monotonic() + within
    while any(alive(pid) for pid in numbers):
        assert time.monotonic() < end, "a compiler outlived dgpin"
        time.sleep(0.02)


@pytest.fixture
def started(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a build whose compiler has a child and sleeps; give it and the file of its numbers."""
    pids = small.root / "pids"
    line = f'echo $$ >> "{pids}"; sleep 600 & echo $! >> "{pids}"; wait'
    compiler(small, monkeypatch, compiling=line)
    command = dgpin(small)
    child = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while not (pids.exists() and len(pids.read_text().split()) == 2):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < end, "the compile did not start"
        time.sleep(0.02)
    try:
        yield child, pids
    finally:
        child.kill()
        child.communicate()


def test_interrupt_leaves_nothing(started: tuple[subprocess.Popen[str], Path]) -> None:
    """^C ends the compiler and its children, leaves no half product, and is told by 130."""
    child, pids = started

    child.send_signal(signal.SIGINT)
    child.wait(timeout=30)

    assert 130 == child.returncode
    assert_gone(pids)
    assert [] == [path for path in store.directory().iterdir() if path.is_dir()]


def test_sigkill_leaves_no_orphan(
    started: tuple[subprocess.Popen[str], Path], small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL of dgpin ends the compiler; what it leaves is no entry, and soon cleared."""
    child, pids = started

    child.kill()
    child.wait(timeout=30)

    assert_gone(pids)
    assert () == store.entries()
    monkeypatch.delenv("CXX")
    assert Verdict.PASS == build(small).verdict
    assert 1 == len([path for path in store.directory().iterdir() if path.is_dir()])


def test_two_builds_at_once_compile_once(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two builds of one fingerprint one compiles, the other waits and uses it."""
    count = small.root / "count"
    compiler(small, monkeypatch, compiling=f'echo x >> "{count}"; sleep 1')
    command = dgpin(small)

    pair = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [child.communicate(timeout=60) for child in pair]

    assert [0, 0] == [child.returncode for child in pair], said
    assert 1 == count.read_text().count("x")
    assert 1 == sum("waiting for it" in err for _, err in said)
    assert 1 == sum("nothing was compiled" in out for out, _ in said)
