"""What makes loading a build lie, crash or hang, each with a small build made for it."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dgpin.api import builds, diff, load
from dgpin.api.builds import Build
from dgpin.api.diff import Question
from dgpin.api.failures import Cause, LoadError
from dgpin.api.load import Side
from dgpin.api.report import Report
from dgpin.api.surface import Kind, Surface
from dgpin.build.interpreter import Interpreter
from dgpin.errors import DgpinError
from dgpin.verdict import Verdict
from tests.api.builds import python, write
from tests.example.tree import DictTree

Made = Callable[..., Build]


@pytest.fixture(scope="module", name="interpreter")
def _interpreter(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    return python(tmp_path_factory.mktemp("python"))


@pytest.fixture(name="make")
def _make(tmp_path: Path) -> Made:
    def make(init: str, *, name: str = "build", **files: str) -> Build:
        texts = {f"deep_gemm/{key.replace('__', '/', 1)}.py": text for key, text in files.items()}
        root = write(tmp_path / name, {"deep_gemm/__init__.py": init, **texts})
        return builds.at(root, label=name)

    return make


def read(build: Build, interpreter: Interpreter, *, timeout: float = 60) -> Surface:
    """Return the surface of a build."""
    return load.surface(Side(build=build, python=interpreter), timeout=timeout)


def compare(a: Build, b: Build, interpreter: Interpreter) -> Report:
    """Return the whole answer for two builds."""
    questions = [Question(named=build, python=interpreter) for build in (a, b)]
    return diff.report(*questions, accepted=(), today=date(2026, 1, 1))


def failed(build: Build, interpreter: Interpreter, *, timeout: float = 60) -> LoadError:
    """Return why a build does not load."""
    with pytest.raises(LoadError) as caught:
        read(build, interpreter, timeout=timeout)
    return caught.value


GUARDED = """
from . import _C
try:
    from ._C import one, two, three
except ImportError:
    pass
"""


def test_guarded_import(make: Made, interpreter: Interpreter) -> None:
    """A symbol that is missing breaks a guarded import off: what follows is seen to go with it."""
    functions = "def one(): ...\ndef three(): ...\n"
    a = make(GUARDED, name="a", _C=functions + "def two(): ...\n")
    b = make(GUARDED, name="b", _C=functions)
    report = compare(a, b, interpreter)

    assert {
        ("symbol-removed", "deep_gemm.two"),
        ("symbol-moved", "deep_gemm.three"),
    } == {(c.rule, c.path) for c in report.comparison.breaking}
    assert (
        "deep_gemm: the guarded import at line 4 breaks off, because _C has no two: "
        "without two, three"
    ) in report.comparison.b.notes


def test_unimported_submodule(make: Made, interpreter: Interpreter) -> None:
    """A submodule that the package does not import is read all the same."""
    surface = read(make("", utils____init__="", utils__deep="def f(a): ..."), interpreter)

    assert Kind.FUNCTION is surface.by_path["deep_gemm.utils.deep.f"].kind
    assert surface.find("utils.deep.f") is surface.by_path["deep_gemm.utils.deep.f"]


def test_leaked_names(make: Made, interpreter: Interpreter) -> None:
    """What a module imports for itself is not the build's."""
    init = "import os, torch\nfrom pathlib import Path\nfrom typing import Optional\nX = 1"
    surface = read(make(init), interpreter)

    assert ["deep_gemm.X", "deep_gemm._C"] == [s.path for s in surface.symbols]


def test_one_version(make: Made, interpreter: Interpreter) -> None:
    """Two builds of one version are told apart, and neither answers for the other."""
    a = make("__version__ = '2.6.1'\ndef f(a, b=1): ...", name="a")
    b = make("__version__ = '2.6.1'\ndef f(a): ...", name="b")

    assert ["parameter-removed"] == [c.rule for c in compare(a, b, interpreter).comparison.breaking]
    assert a.digest() != b.digest()


def test_same_content(make: Made, interpreter: Interpreter) -> None:
    """A second build of the same content is not loaded again, and keeps its own label."""
    first = make("def f(): ...", name="a")
    second = make("def f(): ...", name="b")
    read(first, interpreter)
    without = replace(interpreter, path=Path("/nonexistent"))

    assert "b" == read(second, interpreter).build.label
    with pytest.raises(DgpinError):
        read(second, without)


def test_printing(make: Made, interpreter: Interpreter) -> None:
    """What an import prints is reported, and is not mistaken for the answer."""
    surface = read(make("print('Failed to load legacy kernels')\ndef f(): ..."), interpreter)

    assert ("it printed at import: Failed to load legacy kernels",) == surface.notes
    assert "deep_gemm.f" in surface.by_path


def test_flood(make: Made, interpreter: Interpreter) -> None:
    """A megabyte on stderr neither blocks the load nor fills the answer."""
    noisy = make("import sys\nsys.stderr.write('x' * (1 << 20))\ndef f(): ...")
    surface = read(noisy, interpreter)

    assert "deep_gemm.f" in surface.by_path
    assert len(surface.notes[0]) < 400


LEGACY = "try:\n    from . import legacy\nexcept Exception as e:\n    print('no legacy', e)\n"


def test_unreadable_module(make: Made, interpreter: Interpreter) -> None:
    """Names of a module that could not be imported are unknown: never called removed."""
    a = make(LEGACY, name="a", legacy="def old(): ...")
    b = make(LEGACY, name="b", legacy="import triton_that_is_not_here\ndef old(): ...")
    report = compare(a, b, interpreter)

    assert () == report.comparison.changes
    assert Verdict.UNKNOWN is report.verdict
    assert [("B", "deep_gemm.legacy")] == [(s, u.path) for s, u in report.comparison.unreadable]


def test_break_beats_unknown(make: Made, interpreter: Interpreter) -> None:
    """A break that was seen decides, whatever could not be read."""
    a = make(LEGACY + "def f(): ...", name="a", legacy="")
    b = make(LEGACY, name="b", legacy="import triton_that_is_not_here")

    assert Verdict.FAIL is compare(a, b, interpreter).verdict


CUDA_HOME = """
import os, shutil
def _find_cuda_home():
    cuda_home = os.environ.get("CUDA_HOME") or shutil.which("nvcc")
    assert cuda_home is not None
    return cuda_home
_find_cuda_home()
def f(): ...
"""


def test_cuda_home(make: Made, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that only wants a toolkit's path is read with an empty one, and that is said."""
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CUDA_HOME", raising=False)
    surface = read(make(CUDA_HOME), interpreter)

    assert "deep_gemm.f" in surface.by_path
    assert (
        "read with an empty directory as CUDA_HOME: it wants a toolkit at import",
    ) == surface.notes


def test_stub_is_not_believed(make: Made, interpreter: Interpreter) -> None:
    """A `.pyi` beside the extension is generated, and wrong in places: it is not read."""
    build = make("from ._C import f", _C="def f(real): ...")
    (build.package / "_C.pyi").write_text("def f(made_up, names) -> None: ...")

    assert "(real)" == str(read(build, interpreter).by_path["deep_gemm.f"].signatures[0])


def test_neighbours(make: Made, interpreter: Interpreter) -> None:
    """What lies beside the package is not imported in the place of a library."""
    build = make("import json\njson.dumps({})\ndef f(): ...")
    write(build.root, {"json.py": "raise RuntimeError('shadowed')", "torch.py": "boom"})

    assert "deep_gemm.f" in read(build, interpreter).by_path


def test_tree_is_left_alone(make: Made, interpreter: Interpreter) -> None:
    """Reading a build writes nothing into it."""
    build = make("from . import a", a="def f(): ...")
    before = sorted(build.root.rglob("*"))
    read(build, interpreter)

    assert before == sorted(build.root.rglob("*"))


@pytest.mark.parametrize(
    ("init", "cause", "says"),
    [
        ("import os\nos._exit(0)", Cause.EXIT, "ended with 0 during `import deep_gemm`"),
        ("import os\nos._exit(7)", Cause.EXIT, "ended with 7 during `import deep_gemm`"),
        ("import os\nos.abort()", Cause.CRASH, "died of signal 6 during `import deep_gemm`"),
        ("import sys\nsys.exit(3)", Cause.IMPORT, "raises SystemExit: 3"),
        ("1 / 0", Cause.IMPORT, "raises ZeroDivisionError: division by zero"),
        ("import nowhere", Cause.ABSENT, "imports `nowhere`, which the interpreter does not have"),
        ("def (", Cause.IMPORT, "raises SyntaxError"),
        (
            "raise ImportError('libcudart.so.12: cannot open shared object file')",
            Cause.CUDA_LIBRARY,
            "it needs libcudart.so.12",
        ),
        (
            "raise FileNotFoundError('/opt/x/include/cutlass/gemm.h')",
            Cause.HEADER,
            "misses the header /opt/x/include/cutlass/gemm.h",
        ),
    ],
)
def test_failures(make: Made, interpreter: Interpreter, init: str, cause: Cause, says: str) -> None:
    """Whatever an import does, the answer is a cause and a remedy."""
    error = failed(make(init), interpreter)

    assert cause is error.failure.cause
    assert says in error.message
    assert error.hint


def test_hang(make: Made, interpreter: Interpreter) -> None:
    """An import that does not end is ended."""
    error = failed(make("import time\ntime.sleep(60)"), interpreter, timeout=1)

    assert Cause.HANG is error.failure.cause
    assert "no answer within 1 s, during `import deep_gemm`" in error.message


def test_crash_of_a_submodule(make: Made, interpreter: Interpreter) -> None:
    """A submodule that kills the process is named."""
    error = failed(make("", deadly="import os\nos.abort()"), interpreter)

    assert "during `import deep_gemm.deadly`" in error.message


def test_both_fail(make: Made, interpreter: Interpreter) -> None:
    """When neither loads, both reasons are told."""
    with pytest.raises(DgpinError) as caught:
        compare(make("1 / 0", name="a"), make("import nowhere", name="b"), interpreter)

    assert "a does not load (import)" in caught.value.message
    assert "b does not load (absent)" in caught.value.message


def test_no_torch(make: Made, tmp_path: Path) -> None:
    """An interpreter without torch is refused before anything is loaded."""
    bare = python(tmp_path / "bare", torch=None)
    error = failed(make("def f(): ..."), bare)

    assert Cause.ABSENT is error.failure.cause
    assert f"{bare.path} has no torch" in error.message


def test_broken_torch(make: Made, tmp_path: Path) -> None:
    """A torch that does not import is torch's failure, not the build's."""
    broken = python(tmp_path / "broken", torch="raise OSError('libnccl.so.2: no such file')")
    error = failed(make("def f(): ..."), broken)

    assert "the interpreter has no usable torch" in error.message


def test_other_python(make: Made, interpreter: Interpreter) -> None:
    """A build for another Python says which it is for, and what this one looks for."""
    build = make("from . import _C")
    (build.package / "_C.py").unlink()
    (build.package / "_C.cpython-39-x86_64-linux-gnu.so").write_bytes(b"")
    error = failed(build, interpreter)

    assert Cause.PYTHON_ABI is error.failure.cause
    assert "_C.cpython-39-x86_64-linux-gnu.so" in error.message
    assert interpreter.ext_suffix in error.message


def test_damaged(make: Made, interpreter: Interpreter) -> None:
    """An extension that was cut short is called damaged."""
    build = make("from . import _C")
    (build.package / "_C.py").unlink()
    (build.package / f"_C{interpreter.ext_suffix}").write_bytes(b"\x7fELF")
    error = failed(build, interpreter)

    assert Cause.DAMAGED is error.failure.cause


def test_two_halves(make: Made, interpreter: Interpreter) -> None:
    """Two compiled halves in one package are refused: which one wins is chance."""
    build = make("from . import _C")
    (build.package / f"_C{interpreter.ext_suffix}").write_bytes(b"\x7fELF")
    with pytest.raises(builds.TwoBuildsError) as caught:
        read(build, interpreter)

    assert f"more than one build: _C{interpreter.ext_suffix}, _C.py" in caught.value.message


def test_no_half(make: Made, interpreter: Interpreter) -> None:
    """A package without a compiled half is no build."""
    build = make("def f(): ...")
    (build.package / "_C.py").unlink()
    with pytest.raises(builds.NoExtensionError):
        read(build, interpreter)


def test_other_interpreter(make: Made, tmp_path: Path, interpreter: Interpreter) -> None:
    """Each side can have its own interpreter."""
    other = python(tmp_path / "other")
    a, b = make("def f(a): ...", name="a"), make("def f(a, b): ...", name="b")
    report = diff.report(
        Question(named=a, python=interpreter),
        Question(named=b, python=other),
        accepted=(),
        today=date(2026, 1, 1),
    )

    assert ["parameter-added-required"] == [c.rule for c in report.comparison.breaking]
    shutil.rmtree(other.path.parent.parent)
    assert os.path.lexists(interpreter.path)


def test_build_is_not_its_source(make: Made, interpreter: Interpreter) -> None:
    """A build that its own source does not explain is a finding: it was made from another."""
    build = make("def f(a, b=1): ...", name="a")
    right = DictTree({"deep_gemm/__init__.py": "def f(a, b=1): ..."})
    wrong = DictTree({"deep_gemm/__init__.py": "def f(a): ..."})
    agrees = compare(replace(build, source=right), build, interpreter)
    differs = compare(replace(build, source=wrong), build, interpreter)

    assert Verdict.PASS is agrees.verdict
    assert Verdict.FAIL is differs.verdict
    assert ["a: deep_gemm.f: the build has (a, b=1), the source (a)"] == [
        row.message for row in differs.disagreements
    ]
