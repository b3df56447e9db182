"""The five kinds of pair, as builds that lie on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin.api import load
from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter
from tests.api import builds
from tests.api.corpus import compiled, pybind_kinds, python_kinds, torch_kinds, wrapper_kinds
from tests.api.corpus.case import Case, joined
from tests.bench import pythons
from tests.real import inputs

SIDES = ("before", "after")
PYTHON = (3, 12)  # aexpy needs it


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two builds, who loads them, and the kinds of change between them, by kind of pair."""

    a: Path
    b: Path
    python: Interpreter
    kinds: dict[str, Sequence[Case]]
    has_torch: bool = False

    @property
    def native(self) -> tuple[Path, Path] | None:
        """The compiled halves, when there are any."""
        found = [sorted((root / "deep_gemm").glob("*.so")) for root in (self.a, self.b)]
        return (found[0][0], found[1][0]) if all(found) else None


def pairs(scratch: Path) -> tuple[Pair, ...]:
    """Compile what has to be compiled, and return the pairs.

    pybind11's extensions and the Python around them share a pair, as in the tests.
    """
    plain = builds.python(scratch / "python", base=pythons.with_headers()[PYTHON][0])
    return _python(scratch / "pure", plain), _native(scratch / "native", plain), _torch(scratch)


def _python(scratch: Path, python: Interpreter) -> Pair:
    text = {side: python_kinds.HEAD + joined(python_kinds.CASES, side) for side in SIDES}
    a, b = (builds.write(scratch / s, {"deep_gemm/__init__.py": text[s]}) for s in SIDES)
    return Pair(a=a, b=b, python=python, kinds={"pure Python": python_kinds.CASES})


def _native(scratch: Path, python: Interpreter) -> Pair:
    _, headers, suffix = pythons.with_headers()[PYTHON]
    # Its own headers first: the other ones are those of the Python that has pybind11.
    include = (headers, *compiled.includes(inputs.torch_python()))
    a, b = (compiled.native_build(scratch / s, s, include, suffix=suffix) for s in SIDES)
    again = [case for case in wrapper_kinds.CASES if "_C import" in case.before + case.after]
    again += [case for case in wrapper_kinds.CASES if "hasattr" in case.before]
    return Pair(
        a=a,
        b=b,
        python=python,
        kinds={
            "pybind11": pybind_kinds.CASES,
            "wrapper over C": [case for case in wrapper_kinds.CASES if case not in again],
            "guarded re-export": again,
        },
    )


def _torch(scratch: Path) -> Pair:
    python = interpreter.read(str(inputs.torch_python()), modules=load.MODULES)
    image = compiled.extension(scratch, compiled.includes(python.path))
    a, b = (
        compiled.torch_build(scratch / "torch" / side, image, compiled.schemas(side))
        for side in SIDES
    )
    return Pair(a=a, b=b, python=python, kinds={"TORCH_LIBRARY": torch_kinds.CASES}, has_torch=True)
