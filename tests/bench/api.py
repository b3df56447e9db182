"""`dgpin diff-api` beside one `import torch`, again, and on text beside griffe."""

import os
import shutil
import subprocess
import sys
from functools import cached_property
from pathlib import Path

from dgpin import process
from tests.bench.measure import ROUNDS, Row, absolute, compared, run
from tests.real import inputs

_DGPIN = Path(sys.executable).with_name("dgpin")
_LOADS = """
import sys
from pathlib import Path
from dgpin.api import builds, load
from dgpin.build import interpreter
python = interpreter.read(sys.argv[1], modules=("torch",))
load.both(*(load.Side(build=builds.at(Path(p), label=p), python=python) for p in sys.argv[2:]))
"""
_GRIFFE = """
import sys, griffe
old, new = (
    griffe.load("deep_gemm", search_paths=[path], allow_inspection=False) for path in sys.argv[1:]
)
list(griffe.find_breaking_changes(old, new))
"""


class World:
    """Two real builds, two commits of one source, and the cache of one run."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.cache = scratch / "api-cache"
        self.repo = scratch / "api-source"

    @cached_property
    def python(self) -> str:
        """The interpreter that has torch."""
        return str(inputs.torch_python())

    @cached_property
    def pair(self) -> tuple[str, str]:
        """Two builds."""
        return str(inputs.build("2.8.0")), str(inputs.build("2.8.2"))

    @cached_property
    def commits(self) -> tuple[str, str]:
        """Two commits of the real source: the second has one function more."""
        shutil.copytree(inputs.source("2.8.2"), self.repo, symlinks=True)
        subprocess.run(["git", "init", "-q", "-b", "main", self.repo], check=True)
        first = self._commit("one")
        path = self.repo / "deep_gemm/utils/math.py"
        path.write_text(path.read_text() + "\n\ndef added():\n    pass\n")
        return first, self._commit("two")

    @cached_property
    def trees(self) -> tuple[str, str]:
        """The same two sources, as directories."""
        found = []
        for commit in self.commits:
            target = self.scratch / f"tree-{commit}"
            add = [
                "git",
                "-C",
                str(self.repo),
                "worktree",
                "add",
                "-q",
                "--detach",
                str(target),
                commit,
            ]
            subprocess.run(add, check=True)
            found.append(str(target))
        return found[0], found[1]

    def _commit(self, subject: str) -> str:
        git = ["git", "-C", str(self.repo), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", subject], check=True)
        return process.run([*git, "rev-parse", "HEAD"]).check().text.strip()

    def diff(self, *words: str, forget: bool = False) -> None:
        """Compare the two builds, or what is named."""
        named = words or self.pair
        argv = (str(_DGPIN), "diff-api", *named, "--python", self.python)
        self.run(*argv, forget=forget)

    def import_torch(self) -> None:
        """Import torch in the interpreter under test."""
        run(self.python, "-c", "import torch")

    def run(self, *argv: str, forget: bool = False) -> None:
        """Run a program with the cache of this run, emptied on request."""
        if forget:
            shutil.rmtree(self.cache, ignore_errors=True)
        run(*argv, env={**os.environ, "DGPIN_CACHE_DIR": str(self.cache)}, fine=(0, 1))


def loads(world: World, rounds: int) -> Row:
    """Two loads at once."""
    argv = (sys.executable, "-c", _LOADS, world.python, *world.pair)
    return compared(
        "two builds loaded at once, against one `import torch`",
        lambda: world.run(*argv, forget=True),
        world.import_torch,
        rounds=min(rounds, ROUNDS),
        at_most=1.3,
        best=True,
    )


def first(world: World, rounds: int) -> Row:
    """The whole command, nothing kept: loads, witnesses, capabilities."""
    return compared(
        "`dgpin diff-api` of two builds, nothing kept, against one `import torch`",
        lambda: world.diff(forget=True),
        world.import_torch,
        rounds=min(rounds, 2),
        warm=False,
    )


def again(world: World, rounds: int) -> Row:
    """The same comparison again, against the first."""
    other = World(world.scratch / "first")
    return absolute(
        "`dgpin diff-api` of the same builds again, against the first time",
        world.diff,
        rounds=min(rounds, ROUNDS),
        seconds=0.5,
        best=True,
        first=lambda: other.diff(forget=True),
        at_most=0.25,
    )


def text(world: World, rounds: int) -> Row:
    """Two commits read as text, whose mirror is there and whose surfaces are not."""
    commits = world.commits

    def read() -> None:
        for entry in (world.cache / "api").glob("text-*"):
            entry.unlink()
        world.diff(*commits, "--static", "--repo", str(world.repo))

    return absolute(
        "`dgpin diff-api --static` of two commits, mirror at hand",
        read,
        rounds=min(rounds, ROUNDS),
        seconds=1,
        best=True,
    )


def griffe(world: World, rounds: int) -> Row:
    """The same two commits, beside griffe, which reads the Python half alone."""
    commits, trees = world.commits, world.trees
    return compared(
        "`dgpin diff-api --static` again, against griffe on the Python half alone",
        lambda: world.diff(*commits, "--static", "--repo", str(world.repo)),
        lambda: run(sys.executable, "-c", _GRIFFE, *trees),
        rounds=min(rounds, ROUNDS),
    )


ROWS = {
    "api-loads": loads,
    "api-first": first,
    "api-again": again,
    "api-static": text,
    "api-griffe": griffe,
}
