"""`dgpin build` of the small DeepGEMM beside g++ called for one Python after the other."""

import os
import shlex
import shutil
import sys
from functools import cached_property
from pathlib import Path

from dgpin import process
from dgpin.build import compiling, job, source
from tests.bench import pythons
from tests.bench.measure import ROUNDS, Row, absolute, compared, run
from tests.build.world import write
from tests.example.deepgemm import sources
from tests.real import inputs

# All of torch's headers take forty seconds to compile: here those of its tensors, and of pybind11's
# way with them, have to do. Both sides compile the same.
_LIGHTER = {
    "#include <torch/python.h>": "#include <torch/csrc/utils/pybind.h>\n"
    "namespace torch { using at::Tensor; }"
}
_USUAL = 7  # rounds; a usual run builds once, which takes two minutes of its ten
_DGPIN = Path(sys.executable).with_name("dgpin")


class World:
    """The source, the Pythons and the cache of one run."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.cache = scratch / "build-cache"
        # Both sides compile the same; without the optimiser the row takes half the time.
        os.environ["CXXFLAGS"] = "-O0"

    @cached_property
    def source(self) -> Path:
        """The small DeepGEMM."""
        for path, text in sources()["old"].items():
            for found, lighter in _LIGHTER.items():
                text = text.replace(found, lighter)  # noqa: PLW2901 - one after the other
            write(self.scratch / "deepgemm" / path, text)
        return self.scratch / "deepgemm"

    @cached_property
    def pythons(self) -> list[str]:
        """The Python that has torch, and the other versions of this machine."""
        others = [p for version, (p, *_) in pythons.with_headers().items() if version != (3, 11)]
        return [str(inputs.torch_python()), *others]

    @cached_property
    def script(self) -> Path:
        """The very commands that dgpin runs, one after the other."""
        recipe = job.read_recipe(self.source)
        tree = source.read(self.source, recipe, label="small")
        prepared = job.prepare(tree, recipe, self.pythons)
        work = self.scratch / "in-turn"
        work.mkdir()
        targets = compiling.plan(recipe, self.source, job.check(prepared), work, jobs=1)
        lines = [f"{shlex.join(step)}\n" for target in targets for step in target.steps]
        return write(self.scratch / "one-after-the-other.sh", "".join(lines))

    def build(self, *, forget: bool = False) -> None:
        """Build for every Python."""
        if forget:
            shutil.rmtree(self.cache, ignore_errors=True)
        self._dgpin(*(word for python in self.pythons for word in ("--python", python)))

    def preflight(self, *, forget: bool = False) -> None:
        """Look what is there."""
        if forget:
            shutil.rmtree(self.cache, ignore_errors=True)
        self._dgpin("--python", self.pythons[0], "--preflight")

    def in_turn(self) -> None:
        """Compile for one Python after the other, as vLLM's build does."""
        process.run(["sh", "-e", self.script]).check()

    def _dgpin(self, *words: str) -> None:
        run(_DGPIN, "build", self.source, *words, env={"DGPIN_CACHE_DIR": str(self.cache)})


def four(world: World, rounds: int) -> Row:
    """Nothing kept, for every Python."""
    process.run(["test", "-f", world.script]).check()  # written before the clock runs
    return compared(
        f"`dgpin build` for {len(world.pythons)} Pythons, nothing kept, against g++ in turn",
        lambda: world.build(forget=True),
        world.in_turn,
        rounds=1 if rounds == _USUAL else min(rounds, ROUNDS),
        at_least=1.5,
        warm=False,
    )


def kept(world: World, rounds: int) -> Row:
    """The same again."""
    return absolute(
        f"`dgpin build` for {len(world.pythons)} Pythons, again",
        world.build,
        rounds=min(rounds, ROUNDS),
        seconds=0.5,
    )


def preflight(world: World, rounds: int) -> Row:
    """Nothing changed since."""
    return absolute(
        "`dgpin build --preflight`, nothing changed since",
        world.preflight,
        rounds=min(rounds, ROUNDS),
        seconds=1,
    )


def cold(world: World, rounds: int) -> Row:
    """Nothing kept."""
    return absolute(
        "`dgpin build --preflight`, nothing kept",
        lambda: world.preflight(forget=True),
        rounds=min(rounds, ROUNDS),
        seconds=3,
    )


ROWS = {
    "build": four,
    "build-again": kept,
    "preflight": preflight,
    "preflight-cold": cold,
}
