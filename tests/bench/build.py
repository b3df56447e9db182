"""`dgpin build` of the small DeepGEMM beside g++ called for one Python after the other."""

import json
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.build import compiling, job, source
from tests.build.world import write
from tests.example.deepgemm import sources
from tests.real import inputs

ROUNDS = 5
_DGPIN = Path(sys.executable).with_name("dgpin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement: what was found, what it may be, and whether it is."""

    title: str
    ours: str
    theirs: str
    found: str
    limit: str
    holds: bool


def rows(scratch: Path) -> Iterator[Row]:
    """Measure, five rounds each, by turns where two are compared."""
    bench = _Bench(scratch)
    yield bench.four_pythons()
    yield bench.absolute("cached build of four Pythons", bench.build, limit=0.5)
    yield bench.absolute("preflight, nothing changed since", bench.preflight, limit=1.0)
    yield bench.absolute("preflight, cold", bench.cold_preflight, limit=3.0)


class _Bench:
    """The source, the Pythons and the cache of one run."""

    def __init__(self, scratch: Path) -> None:
        self.source = scratch / "deepgemm"
        for path, text in sources()["old"].items():
            write(self.source / path, text)
        self.cache = scratch / "build-cache"
        self.torch = str(inputs.torch_python())
        self.pythons = [self.torch, *_others()]
        self.script = write(scratch / "one-after-the-other.sh", self._commands(scratch))

    def four_pythons(self) -> Row:
        """Compare a build that is not cached with the compiler's calls in turn."""
        pairs = []
        for _ in range(ROUNDS):
            shutil.rmtree(self.cache, ignore_errors=True)
            pairs.append((_timed(self.build), _timed(self.in_turn)))
        ratio = statistics.median(theirs / ours for ours, theirs in pairs)
        ours, theirs = (statistics.median(each) for each in zip(*pairs, strict=True))
        return Row(
            title=f"small DeepGEMM for {len(self.pythons)} Pythons, against g++ in turn",
            ours=f"{ours:.1f} s",
            theirs=f"{theirs:.1f} s",
            found=f"{ratio:.2f} times as fast",
            limit="1.5 at least",
            holds=ratio >= 1.5,
        )

    def absolute(self, title: str, run: Callable[[], None], *, limit: float) -> Row:
        """Measure something that has a limit in seconds."""
        run()
        median = statistics.median(_timed(run) for _ in range(ROUNDS))
        return Row(
            title=title,
            ours=f"{median * 1000:.0f} ms",
            theirs="",
            found="",
            limit=f"{limit} s",
            holds=median <= limit,
        )

    def build(self) -> None:
        """Build for every Python."""
        self._dgpin(*(word for python in self.pythons for word in ("--python", python)))

    def preflight(self) -> None:
        """Look what is there."""
        self._dgpin("--python", self.torch, "--preflight")

    def cold_preflight(self) -> None:
        """Look what is there, with nothing remembered."""
        shutil.rmtree(self.cache, ignore_errors=True)
        self.preflight()

    def in_turn(self) -> None:
        """Compile for one Python after the other, as vLLM's build does."""
        process.run(["sh", "-e", self.script]).check()

    def _dgpin(self, *words: str) -> None:
        import os

        env = {**os.environ, "DGPIN_CACHE_DIR": str(self.cache)}
        subprocess.run(
            [_DGPIN, "build", self.source, *words], env=env, check=True, capture_output=True
        )

    def _commands(self, scratch: Path) -> str:
        """Return the very commands that dgpin runs, one after the other."""
        recipe = job.read_recipe(self.source)
        tree = source.read(self.source, recipe, label="small")
        prepared = job.prepare(tree, recipe, self.pythons)
        work = scratch / "in-turn"
        work.mkdir()
        targets = compiling.plan(recipe, self.source, job.check(prepared), work, jobs=1)
        return "".join(f"{shlex.join(step)}\n" for target in targets for step in target.steps)


def _others() -> list[str]:
    """Return up to three Pythons of other versions that have headers."""
    ask = (
        "import json, sys, sysconfig; "
        "print(json.dumps([sys.version_info[:2], sysconfig.get_path('include')]))"
    )
    found: dict[tuple[int, ...], str] = {}
    named = [shutil.which(f"python3.{minor}") for minor in (10, 12, 13)]
    beside = sorted((Path.home() / ".pyenv/versions").glob("3.1[023].*/bin/python3"))
    for python in (*filter(None, named), *map(str, beside)):
        done = process.run([python, "-c", ask])
        if done.returncode == 0:
            version, include = json.loads(done.text)
            if Path(include, "Python.h").is_file():
                found.setdefault(tuple(version), python)
    return list(found.values())[:3]


def _timed(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
