"""The scan of a whole vLLM tree beside one `git grep -l deep_gemm` of it."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.build import Row
from tests.real import inputs

ROUNDS = 5
MOST_MEMORY = 500  # MB
_SCAN = "import sys; from pathlib import Path; from dgpin.api.host.scan import scan; "
_SCAN += "assert scan(Path(sys.argv[1])).uses"


def rows(scratch: Path) -> Iterator[Row]:
    """Measure, five rounds each."""
    host = scratch / "vllm"
    shutil.copytree(inputs.host("0.30.0"), host)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", host, *words], check=True)
    grep = _median(lambda: _run("git", "-C", str(host), "grep", "-l", "deep_gemm"))
    cold = _median(lambda: _scan(host, scratch / "cache", fresh=True))
    again = _median(lambda: _scan(host, scratch / "cache", fresh=False))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    limit = 3 * grep + 2
    yield Row(
        title="uses of vLLM 0.30.0, cold",
        ours=f"{cold:.2f} s",
        theirs=f"git grep {grep:.2f} s",
        found=f"{cold:.2f} s",
        limit=f"3 x + 2 s = {limit:.2f} s",
        holds=cold <= limit,
    )
    yield Row(
        title="uses of vLLM 0.30.0, again",
        ours=f"{again:.2f} s",
        theirs="",
        found=f"{again:.2f} s",
        limit="0.5 s",
        holds=again <= 0.5,
    )
    yield Row(
        title="uses of vLLM 0.30.0, memory",
        ours=f"{memory:.0f} MB",
        theirs="",
        found=f"{memory:.0f} MB",
        limit=f"{MOST_MEMORY} MB",
        holds=memory <= MOST_MEMORY,
    )


def _scan(host: Path, cache: Path, *, fresh: bool) -> float:
    if fresh:
        shutil.rmtree(cache, ignore_errors=True)
    return _run(sys.executable, "-c", _SCAN, str(host), cache=cache)


def _run(*argv: str, cache: Path | None = None) -> float:
    env = {**os.environ, **({"DGPIN_CACHE_DIR": str(cache)} if cache is not None else {})}
    start = time.perf_counter()
    subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _median(measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(ROUNDS))
