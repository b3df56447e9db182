"""`dgpin diff-api` beside one `import torch`, cached, and on text."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from dgpin import process
from tests.bench.build import Row
from tests.real import inputs

ROUNDS = 5
_DGPIN = Path(sys.executable).with_name("dgpin")


def rows(scratch: Path) -> Iterator[Row]:
    """Measure, best of five each."""
    bench = _Bench(scratch)
    yield bench.loads()
    yield bench.cached()
    yield bench.text()


class _Bench:
    """Two real builds, two commits of one source, and the cache of one run."""

    def __init__(self, scratch: Path) -> None:
        self.cache = scratch / "api-cache"
        self.python = str(inputs.torch_python())
        self.pair = [str(inputs.build(version)) for version in ("2.8.0", "2.8.2")]
        self.repo = scratch / "api-source"
        self.commits = [self._commit(i) for i in range(2)]

    def _commit(self, index: int) -> str:
        """Commit the real source, the second time with one parameter less."""
        git = ["git", "-C", str(self.repo), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        if index == 0:
            shutil.copytree(inputs.source("2.8.2"), self.repo, symlinks=True)
            subprocess.run(["git", "init", "-q", "-b", "main", self.repo], check=True)
        else:
            path = self.repo / "deep_gemm/utils/math.py"
            path.write_text(path.read_text() + "\n\ndef added():\n    pass\n")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", str(index)], check=True)
        done = process.run([*git, "rev-parse", "HEAD"]).check()
        return done.text.strip()

    def loads(self) -> Row:
        """Compare two loads at once with one import of torch."""

        def both() -> None:
            code = _LOADS.format(a=self.pair[0], b=self.pair[1], python=self.python)
            self._run(sys.executable, "-c", code, fresh=True)

        ours = _best(both)
        theirs = _best(lambda: self._run(self.python, "-c", "import torch"))
        return Row(
            title="two builds loaded at once, against one import of torch",
            ours=f"{ours:.2f} s",
            theirs=f"{theirs:.2f} s",
            found=f"{ours / theirs:.2f} times",
            limit="1.3 at most",
            holds=ours / theirs <= 1.3,
        )

    def cached(self) -> Row:
        """Compare a repeated comparison with the first."""
        first = _best(lambda: self._diff(*self.pair, fresh=True), rounds=2)
        again = _best(lambda: self._diff(*self.pair))
        return Row(
            title="a comparison again, against the first",
            ours=f"{again:.2f} s",
            theirs=f"{first:.2f} s",
            found=f"{again / first:.2f}",
            limit="0.5 s, 0.25 at most",
            holds=again <= 0.5 and again / first <= 0.25,
        )

    def text(self) -> Row:
        """Measure two commits read as text, whose mirror is there and whose surfaces are not."""
        self._diff(*self.commits, "--static", "--repo", str(self.repo))

        def read() -> None:
            for entry in (self.cache / "api").glob("text-*"):
                entry.unlink()
            self._diff(*self.commits, "--static", "--repo", str(self.repo))

        best = _best(read)
        return Row(
            title="two commits compared as text",
            ours=f"{best:.2f} s",
            theirs="",
            found=f"{best:.2f} s",
            limit="1 s",
            holds=best <= 1,
        )

    def _diff(self, *words: str, fresh: bool = False) -> None:
        self._run(str(_DGPIN), "diff-api", *words, "--python", self.python, fresh=fresh)

    def _run(self, *argv: str, fresh: bool = False) -> None:
        if fresh:
            shutil.rmtree(self.cache, ignore_errors=True)
        env = {**os.environ, "DGPIN_CACHE_DIR": str(self.cache)}
        done = process.run(list(argv), env=env)
        assert done.returncode in {0, 1}, done.tail


_LOADS = """
from pathlib import Path
from dgpin.api import builds, load
from dgpin.build import interpreter
python = interpreter.read({python!r}, modules=("torch",))
load.both(*(load.Side(build=builds.at(Path(p), label=p), python=python) for p in ({a!r}, {b!r})))
"""


def _best(run: Callable[[], None], *, rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)
