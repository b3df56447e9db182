"""Every kind of change in pybind11 and TORCH_LIBRARY, compiled, loaded and read as text."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dgpin.api import builds, diff, load, spelling
from dgpin.api.diff import Question
from dgpin.api.load import Side
from dgpin.api.locate import Source
from dgpin.api.report import Report
from dgpin.api.signature import Parameter, Signature
from dgpin.api.static import agreement, of_build, of_source
from dgpin.api.surface import Binding, Kind, Origin, Surface, Symbol
from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter
from tests.api.builds import write
from tests.api.corpus import compiled, pybind_kinds, torch_kinds, wrapper_kinds
from tests.api.corpus.case import Case, expected, found, joined
from tests.api.corpus.compiled import compile_, native, native_build, schemas, torch_build
from tests.example.tree import DictTree
from tests.real import inputs


@pytest.fixture(scope="module", name="python")
def _python() -> Interpreter:
    return interpreter.read(str(inputs.torch_python()), modules=load.MODULES)


@pytest.fixture(scope="module", name="includes")
def _includes(python: Interpreter) -> tuple[str, ...]:
    return compiled.includes(python.path)


@pytest.fixture(scope="module", name="pybind")
def _pybind(
    tmp_path_factory: pytest.TempPathFactory, python: Interpreter, includes: tuple[str, ...]
) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("pybind")
    a, b = (
        native_build(root / side, side, includes, suffix=python.ext_suffix)
        for side in ("before", "after")
    )
    return a, b


@pytest.fixture(scope="module", name="extension")
def _extension(tmp_path_factory: pytest.TempPathFactory, includes: tuple[str, ...]) -> bytes:
    return compiled.extension(tmp_path_factory.mktemp("extension"), includes)


@pytest.fixture(scope="module", name="torch")
def _torch(tmp_path_factory: pytest.TempPathFactory, extension: bytes) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("torch")
    sides = ("before", "after")
    a, b = (torch_build(root / side, extension, schemas(side)) for side in sides)
    return a, b


@pytest.fixture(scope="module", name="cache")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def compared(pair: tuple[Path, Path], python: Interpreter, cache: Path) -> Report:
    """Return the answer for a pair that is loaded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(cache))
        questions = [
            Question(named=builds.at(root, label=root.name), python=python) for root in pair
        ]
        return diff.report(*questions, accepted=(), today=date(2026, 1, 1))


@pytest.fixture(scope="module", name="pybind_report")
def _pybind_report(pybind: tuple[Path, Path], python: Interpreter, cache: Path) -> Report:
    return compared(pybind, python, cache)


@pytest.fixture(scope="module", name="torch_report")
def _torch_report(torch: tuple[Path, Path], python: Interpreter, cache: Path) -> Report:
    return compared(torch, python, cache)


NATIVE_CASES = (*pybind_kinds.CASES, *wrapper_kinds.CASES)


@pytest.mark.parametrize("case", NATIVE_CASES, ids=lambda case: case.kind)
def test_pybind(case: Case, pybind_report: Report) -> None:
    """Each kind of change around pybind11 gives its own findings."""
    names = {name for _, name, _ in case.finds}

    assert set(case.finds) == {f for f in found(pybind_report.comparison) if f[1] in names}


def test_pybind_nothing_else(pybind_report: Report) -> None:
    """All of them together give no other finding."""
    assert expected(NATIVE_CASES) == found(pybind_report.comparison)


@pytest.mark.parametrize("case", torch_kinds.CASES, ids=lambda case: case.kind)
def test_torch(case: Case, torch_report: Report) -> None:
    """Each kind of change of a schema gives its own findings."""
    names = {name for _, name, _ in case.finds}

    assert set(case.finds) == {f for f in found(torch_report.comparison) if f[1] in names}


def test_torch_nothing_else(torch_report: Report) -> None:
    """All of them together give no other finding."""
    assert expected(torch_kinds.CASES) == found(torch_report.comparison)


def test_witnesses(pybind_report: Report, torch_report: Report) -> None:
    """What has no witness says why: it could only be seen by running the function."""
    silent = {
        c.path: c.unwitnessed
        for report in (pybind_report, torch_report)
        for c in report.comparison.breaking
        if c.witness is None
    }

    runs = "no argument of it can be refused safely: a call that matches would run"
    assert {"deep_gemm.n_ov": runs, "deep_gemm.n_oc": runs} == silent


def text_of(side: str) -> Surface:
    """Return what the text of one side tells."""
    init = "from . import _C\n" + joined(wrapper_kinds.CASES, side)
    files = {"csrc/python_api.cpp": native(side), "deep_gemm/__init__.py": init}
    return of_source(Source(label=side, tree=DictTree(files)))


SIDES = pytest.mark.parametrize("side", ["before", "after"])


@SIDES
def test_text_agrees(side: str, pybind_report: Report) -> None:
    """The C++ text tells of every function what the loaded extension tells."""
    loaded = getattr(pybind_report.comparison, "ab"[side == "after"])
    # What `globals().update` re-exports is not in the text.
    only = [s for s in loaded.symbols if ".n_" not in s.path or "._C." in s.path]
    held = agreement.hold(type(loaded)(build=loaded.build, symbols=tuple(only)), text_of(side))

    assert () == held.disagreements


@SIDES
def test_text_tells_more(side: str, pybind_report: Report) -> None:
    """So it does of bases, of the numbers of enums, and of the results that it shows."""
    loaded = getattr(pybind_report.comparison, "ab"[side == "after"])
    text = text_of(side)
    native = [s for s in text.symbols if s.path.startswith("deep_gemm._C.")]

    assert {s.path for s in native} == {
        s.path for s in loaded.symbols if s.path.startswith("deep_gemm._C.")
    }
    for symbol in native:
        other = loaded.by_path[symbol.path]
        assert bases(other) == bases(symbol)
        if symbol.kind is Kind.MEMBER:
            assert other.value == symbol.value
        for told, own in zip(symbol.signatures, other.signatures, strict=False):
            assert told.returns in {"", spelling.type_of(own.returns)}, symbol.path
    unknown = {s.name for s in native if s.kind is Kind.FUNCTION and not s.signatures[0].returns}
    assert {"before": {"n_q1", "n_q6"}, "after": {"n_q1"}}[side] == unknown


def bases(symbol: Symbol) -> set[str]:
    """Return the classes that one derives from."""
    return {trait for trait in symbol.traits if trait.startswith("base:")}


@SIDES
def test_binary_agrees(
    side: str, torch: tuple[Path, Path], python: Interpreter, cache: Path
) -> None:
    """Schemas read out of the shared object are those of the loaded ops."""
    root = torch[side == "after"]
    build = builds.at(root, label=side)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(cache))
        loaded = load.surface(Side(build=build, python=python))
    ops = {s.path: s.signatures for s in loaded.symbols if s.path.startswith("torch.ops.")}
    read = {s.path: s.signatures for s in of_build(build).symbols if s.origin is Origin.BINARY}

    assert ops.keys() == {path for path in read if path.startswith("torch.ops.")}
    for path, signatures in ops.items():
        assert list(map(plain, signatures)) == list(map(plain, read[path]))


def plain(signature: Signature) -> list[Parameter]:
    """Return the parameters with their defaults in the one spelling: texts may be quoted twice."""
    return [
        replace(p, default=None if p.default is None else spelling.default_of(p.default))
        for p in signature.parameters
    ]


def test_pybind_to_torch(
    tmp_path: Path,
    python: Interpreter,
    includes: tuple[str, ...],
    extension: bytes,
    cache: Path,
) -> None:
    """A new binding is one finding: it changes the exception, and types are not held against."""
    old = '#include <pybind11/pybind11.h>\nPYBIND11_MODULE(_C, m) { m.def("f", [](int a, bool b) '
    old += '{ return a; }, pybind11::arg("a"), pybind11::arg("b") = false); }'
    write(tmp_path / "a", {"deep_gemm/__init__.py": "from ._C import f"})
    (tmp_path / "a/deep_gemm/_C.py").unlink()
    compile_(old, tmp_path / "a/deep_gemm" / f"_C{python.ext_suffix}", includes)
    torch_build(tmp_path / "b", extension, ["f(int a, bool b=False) -> int"])
    report = compared((tmp_path / "a", tmp_path / "b"), python, cache)

    assert {("binding-changed", "f", "")} == found(report.comparison)
    assert Binding.TORCH is report.comparison.b.by_path["deep_gemm.f"].binding
    assert "a bad call raises RuntimeError, it was TypeError" in report.comparison.changes[0].detail
    assert ["types and kinds across pybind11 and torch"] == [
        item.reason for item in report.comparison.incomparable
    ]


def test_two_builds_of_one_name(pybind_report: Report) -> None:
    """Each build answers for itself: pybind11 would give the first one's extension to both."""
    a, b = (
        s.by_path["deep_gemm.n_dc"]
        for s in (pybind_report.comparison.a, pybind_report.comparison.b)
    )

    assert ("1", "2") == tuple(s.signatures[0].parameters[1].default for s in (a, b))


def test_alias(pybind_report: Report) -> None:
    """An alias is found by its object: its docstring shows the canonical name."""
    surface = pybind_report.comparison.a
    alias = surface.by_path["deep_gemm.n_alias"]

    assert "n_kept" == alias.canonical
    assert {"n_alias", "n_kept"} == {s.name for s in surface.names(alias)}


def test_printed_defaults(pybind_report: Report) -> None:
    """A default has no address, and None is a default."""
    surface = pybind_report.comparison.a
    opaque = surface.by_path["deep_gemm.n_q1"].signatures[0].parameters[0]
    defaults = [p.default for p in surface.by_path["deep_gemm.n_q4"].signatures[0].parameters]

    assert "<deep_gemm._C.Opaque object>" == opaque.default
    assert ["'nk, (x) = y'", "(1, 128)", "[]", "1.5", "None"] == defaults


def test_unnamed_parameters(pybind_report: Report) -> None:
    """Without py::arg a parameter has a place and no name."""
    (signature,) = pybind_report.comparison.a.by_path["deep_gemm.n_ng"].signatures

    assert "(arg0: int, arg1: int, /)" == str(spelled(signature))


def spelled(signature: Signature) -> Signature:
    """Return a signature with its types in the one spelling, and no result."""
    return Signature(
        parameters=tuple(replace(p, type=spelling.type_of(p.type)) for p in signature.parameters)
    )


SGLANG = """
import torch
from . import _C_extension
def _wrap_op(name):
    op = getattr(torch.ops.deep_gemm, name)
    def forward(*args, **kwargs):
        return op(*args, **kwargs)
    return forward
f = _wrap_op("f")
"""


def test_untouched_and_forwarded(
    tmp_path: Path, extension: bytes, python: Interpreter, cache: Path
) -> None:
    """An op that nobody has touched is listed; a wrapper that takes anything is seen through."""
    registered = ["f(Tensor a, int b=1) -> ()", "untouched(Tensor a) -> ()"]
    root = torch_build(tmp_path / "build", extension, registered)
    write(root, {"deep_gemm/__init__.py": SGLANG, "deep_gemm/_C.py": ""})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(cache))
        surface = load.surface(Side(build=builds.at(root, label="build"), python=python))

    assert "torch.ops.deep_gemm.untouched" in surface.by_path
    wrapper = surface.by_path["deep_gemm.f"]
    assert (Binding.TORCH, Origin.SCHEMA) == (wrapper.binding, wrapper.origin)
    assert "(a: Tensor, b: int = 1) -> ()" == str(wrapper.signatures[0])
