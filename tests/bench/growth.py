"""Processor seconds as the work grows: sites, host files, symbols, commits."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from dgpin import process
from tests.bench.measure import Row, Spread, run
from tests.bench.start import World as Start
from tests.build.world import write

FLAT = 1.5  # times the median of all sizes that a unit may cost at the largest one
_ROUNDS = 2  # processor time, the shorter one: noise only adds
# Prints the processor time of the work and of the programs that it starts, without the imports.
_MEASURE = """
import contextlib, io, os, sys
from pathlib import Path
{imports}
before = os.times()
with contextlib.redirect_stdout(io.StringIO()):
    {work}
print(sum(os.times()[:4]) - sum(before[:4]))
"""
_BUMP = (
    "from dgpin.cli.app import main\nimport dgpin.cli.bump",
    "assert main(['bump', *sys.argv[1:], '--dry-run', '--offline']) == 0",
)
_SCAN = (
    "from dgpin.api.host.scan import scan",
    "assert scan(Path(sys.argv[1])).uses",
)
_COMPARE = (
    (
        "from dgpin.api import compare\nfrom dgpin.api.locate import Source\n"
        "from dgpin.api.static import of_source\nfrom dgpin.source.directory import DirTree"
    ),
    (
        "assert compare.compare(*(of_source(Source(label=p, tree=DirTree(Path(p)))) "
        "for p in sys.argv[1:])).changes"
    ),
)
_CARRY = (
    "from dgpin.cli.app import main\nimport dgpin.cli.carry",
    "assert main(['carry', *sys.argv[1:]]) == 1",
)
_USES = """\
import deep_gemm

def call(a, b, d):
    if hasattr(deep_gemm, "fp8_gemm_nt"):
        deep_gemm.fp8_gemm_nt(a, b, d, c=None)
"""
_PLAIN = "def step(a, b):\n    return [a + i * b for i in range(10)]\n\n\n" * 20


class World:
    """Where the work lies."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch / "growth"
        self.scratch.mkdir()

    @cached_property
    def start(self) -> Start:
        """The mirror that a bump needs."""
        return Start(self.scratch)

    def cost(self, code: tuple[str, str], *words: str | Path, cache: str) -> float:
        """Return the processor seconds of the work, nothing kept unless `cache` holds it."""
        imports, work = code
        argv = [sys.executable, "-c", _MEASURE.format(imports=imports, work=work), *words]
        env = {**os.environ, "DGPIN_CACHE_DIR": cache}
        return float(process.run(argv, env=env).check().text)


def sites(world: World, rounds: int) -> Row:
    """A bump of N files with one site each."""
    host, (old, new) = world.start.small

    def cost(size: int) -> float:
        place = world.scratch / f"sites-{size}"
        named = "".join(f'"pin{i}.sh" = \'REF="<commit>"\'\n' for i in range(size))
        repo = '"pin.cmake" = [\'set(REPO "<repo>.git")\', \'set(TAG "<commit>")\']\n'
        write(place / "dgpin.toml", f"[pin]\n[sites]\n{repo}{named}")
        write(place / "pin.cmake", (host / "pin.cmake").read_text())
        for i in range(size):
            write(place / f"pin{i}.sh", f'REF="{old}"\n')
        lost = "deep_gemm.fp8_m_grouped_gemm_nt_masked"
        words = (new, "--host", place, "--accept-loss", lost)
        return world.cost(_BUMP, *words, cache=world.start.env["DGPIN_CACHE_DIR"])

    return _grown("`dgpin bump --dry-run`, by site", cost, (10, 200, 500, 1000), rounds)


def files(world: World, rounds: int) -> Row:
    """A scan of N files, of which one in eighty uses the API, as in vLLM."""

    def cost(size: int) -> float:
        place = world.scratch / f"files-{size}"
        if not place.exists():
            for i in range(size):
                text = _USES if i % 80 == 0 else _PLAIN
                write(place / f"package{i // 100}" / f"module{i}.py", text)
        cache = world.scratch / f"uses-{size}-{len(list(world.scratch.glob('uses-*')))}"
        return world.cost(_SCAN, place, cache=str(cache))

    return _grown("uses of a host, by file", cost, (1000, 5000, 20_000, 50_000), rounds)


def symbols(world: World, rounds: int) -> Row:
    """Two sources of N functions read as text and compared; one in twenty has changed."""

    def cost(size: int) -> float:
        for side in ("a", "b"):
            root = world.scratch / f"symbols-{size}-{side}"
            names = [f"kernel_{i}" for i in range(size)]
            body = "".join(
                f'    m.def("{name}", &{name}, py::arg("a"), '
                f'py::arg("{"rows" if side == "b" and i % 20 == 0 else "b"}") = 1);\n'
                for i, name in enumerate(names)
            )
            defined = "".join(f"int {name}(int a, int b) {{ return a + b; }}\n" for name in names)
            text = f"{defined}PYBIND11_MODULE(_C, m) {{\n{body}}}\n"
            write(root / "csrc/python_api.cpp", text)
            exported = "".join(f"    {name},\n" for name in names)
            write(root / "deep_gemm/__init__.py", f"from ._C import (\n{exported})\n")
        pair = (world.scratch / f"symbols-{size}-{side}" for side in ("a", "b"))
        return world.cost(_COMPARE, *pair, cache=str(world.scratch / "none"))

    sizes = (100, 1000, 3000, 10_000)
    return _grown("two sources compared as text, by symbol", cost, sizes, rounds)


def commits(world: World, rounds: int) -> Row:
    """What a squashed release lost of a fork of N commits."""

    def cost(size: int) -> float:
        place = world.scratch / f"history-{size}"
        if not place.exists():
            run("git", "init", "-q", "--bare", place)
            stream = "".join(_history(size)).encode()
            argv = ["git", "-C", str(place), "fast-import", "--quiet"]
            subprocess.run(argv, input=stream, check=True)
        words = ("fork", "release", "--repo", str(place), "--upstream", "main")
        cache = world.scratch / f"mirror-{size}"
        world.cost(_CARRY, *words, cache=str(cache))  # fetches the mirror
        for kept in (cache / "carry").glob("*"):
            kept.unlink()
        return world.cost(_CARRY, *words, cache=str(cache))

    return _grown("`dgpin carry`, by commit", cost, (100, 1000, 3000, 10_000), rounds)


def _history(size: int) -> Iterator[str]:
    """Yield a stream for git: the last quarter of the commits is the fork's own.

    Each commit writes one line of one of 20 files of 200 lines; the release has one in three of
    the lines that the fork wrote, and the other ones as upstream had them.
    """
    lines = {path: [f"    line_{i}();\n" for i in range(200)] for path in range(20)}
    base = size * 3 // 4
    upstream: dict[int, list[str]] = {}
    for i in range(size):
        branch = "main" if i <= base else "fork"
        lines[i % 20][i // 20 % 200] = f"    step_{i}(min(n, {i}));\n"
        yield f"commit refs/heads/{branch}\nmark :{i + 1}\n{_who(i)}{_data(f'Guard step {i}')}"
        if i == base + 1:
            yield f"from :{base + 1}\n"
        for path in lines if i == 0 else [i % 20]:
            yield f"M 100644 inline part{path}.cuh\n{_data(''.join(lines[path]))}"
        if i == base:
            upstream = {path: list(text) for path, text in lines.items()}
    yield f"commit refs/heads/release\n{_who(size)}{_data('Release')}"
    for path, text in lines.items():
        pairs = zip(upstream[path], text, strict=True)
        kept = [new if n % 3 == 0 else old for n, (old, new) in enumerate(pairs)]
        yield f"M 100644 inline part{path}.cuh\n{_data(''.join(kept))}"


def _who(index: int) -> str:
    return f"committer Someone <someone@example.org> {1_767_225_600 + index * 3600} +0000\n"


def _data(text: str) -> str:
    return f"data {len(text)}\n{text}\n"


def _grown(title: str, cost: Callable[[int], float], sizes: Sequence[int], rounds: int) -> Row:
    """Measure each size; a unit's cost is what it adds to that of the smallest size."""
    costs = {n: min(cost(n) for _ in range(min(rounds, _ROUNDS))) for n in sizes}
    least = sizes[0]
    points = [(n, (costs[n] - costs[least]) / (n - least)) for n in sizes[1:]]
    units = Spread.of([unit for _, unit in points])
    last = points[-1][1]
    return Row(
        title=f"{title}, {least:,} to {sizes[-1]:,}, processor time of one more",
        ours=" · ".join(f"{unit * 1e6:.0f} µs at {n:,}" for n, unit in points),
        ratio=Spread.of([last / units.median]),
        limit=f"flat: the last {FLAT} times the median at most",
        holds=last <= FLAT * units.median,
        points=tuple(points),
    )


ROWS = {
    "growth-sites": sites,
    "growth-files": files,
    "growth-symbols": symbols,
    "growth-history": commits,
}
