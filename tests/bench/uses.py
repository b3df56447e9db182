"""The scan of a whole vLLM tree beside `git grep -l deep_gemm`, mypy and pyright."""

import os
import shutil
import subprocess
import sys
from functools import cached_property
from pathlib import Path

from dgpin import process
from tests.bench.measure import ROUNDS, Row, absolute, compared, run
from tests.bench.peers.environments import environment
from tests.real import inputs

MOST_MEMORY = 500  # MB
_SCAN = """
import gc, resource, sys
from pathlib import Path
gc.disable()  # as every command of dgpin begins and ends
from dgpin.api.host.scan import scan
assert scan(Path(sys.argv[1])).uses
gc.freeze()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


class World:
    """The host in git, and the cache of one run."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.cache = scratch / "uses-cache"

    @cached_property
    def host(self) -> Path:
        """A copy of vLLM 0.30.0 in git."""
        host = self.scratch / "vllm"
        shutil.copytree(inputs.host("0.30.0"), host)
        for words in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", "-C", host, *words], check=True)
        return host

    @cached_property
    def mentioned(self) -> list[str]:
        """The Python files of the host that mention the API."""
        argv = ["git", "-C", str(self.host), "grep", "-l", "deep_gemm", "--", "vllm/*.py"]
        return process.run(argv).check().text.split()

    def scan(self, *, forget: bool = False) -> int:
        """Scan the host, and return the peak of its memory in KiB."""
        if forget:
            shutil.rmtree(self.cache, ignore_errors=True)
        argv = [sys.executable, "-c", _SCAN, str(self.host)]
        env = {"DGPIN_CACHE_DIR": str(self.cache)}
        return int(process.run(argv, env={**os.environ, **env}).check().text)

    def grep(self) -> None:
        """Ask git which files mention the API."""
        run("git", "-C", self.host, "grep", "-l", "deep_gemm")


def cold(world: World, rounds: int) -> Row:
    """Nothing kept, against git grep."""
    return compared(
        "uses of vLLM 0.30.0 (4678 files), nothing kept, against `git grep -l deep_gemm`",
        lambda: world.scan(forget=True),
        world.grep,
        rounds=min(rounds, ROUNDS),
        at_most=3,
        slack=2,
    )


def again(world: World, rounds: int) -> Row:
    """Kept by content."""
    return absolute(
        "uses of vLLM 0.30.0, again", world.scan, rounds=min(rounds, ROUNDS), seconds=0.5
    )


def memory(world: World, rounds: int) -> Row:
    """The peak, nothing kept."""
    del rounds
    peak = world.scan(forget=True) / 1024
    return Row(
        title="uses of vLLM 0.30.0, peak of memory",
        ours=f"{peak:.0f} MB",
        limit=f"{MOST_MEMORY} MB at most",
        holds=peak <= MOST_MEMORY,
    )


def mypy(world: World, rounds: int) -> Row:
    """The whole tree, against mypy on those files alone that mention the API."""
    argv = ["--follow-imports=skip", "--ignore-missing-imports", "--cache-dir=/dev/null"]
    names = world.mentioned
    return compared(
        f"uses of vLLM 0.30.0, nothing kept, against mypy on the {len(names)} files in question",
        lambda: world.scan(forget=True),
        lambda: run(sys.executable, "-m", "mypy", *argv, *names, cwd=world.host, fine=(0, 1)),
        rounds=min(rounds, 1),
    )


def pyright(world: World, rounds: int) -> Row:
    """The whole tree, against pyright on those files alone that mention the API."""
    program = environment("pyright==1.1.414", python=(3, 11)) / "pyright"
    names = world.mentioned
    return compared(
        f"uses of vLLM 0.30.0, nothing kept, against pyright on the {len(names)} files in question",
        lambda: world.scan(forget=True),
        lambda: run(program, *names, cwd=world.host, fine=(0, 1)),
        rounds=min(rounds, 1),
        warm=False,  # it takes half a minute
    )


ROWS = {
    "uses": cold,
    "uses-again": again,
    "uses-memory": memory,
    "uses-mypy": mypy,
    "uses-pyright": pyright,
}
