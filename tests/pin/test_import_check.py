"""What importing deep_gemm would raise, found without importing it."""

import builtins
import textwrap

import pytest

from dgpin.pin.import_check import ImportFault, Trip, import_faults
from dgpin.verdict import Place
from tests.example.tree import DictTree, example_tree

INIT = "deep_gemm/__init__.py"


def faults(text: str, **others: str) -> list[tuple[Trip, str, int]]:
    files = {INIT: textwrap.dedent(text)}
    files |= {f"deep_gemm/{name}.py": source for name, source in others.items()}
    return [(fault.trip, fault.name, fault.place.line) for fault in import_faults(DictTree(files))]


def test_annotation_of_a_name_that_is_not_imported() -> None:
    """The missing typing import is named with its file and line."""
    tree = example_tree(
        "old",
        changed={
            "deep_gemm/utils/layout.py": "def align(x: int, to: Optional[int] = None) -> int: ...\n"
        },
    )

    [fault] = import_faults(tree)

    assert (
        ImportFault(trip=Trip.NAME, name="Optional", place=Place("deep_gemm/utils/layout.py", 1))
        == fault
    )
    assert "deep_gemm/utils/layout.py:1: the name `Optional` is used and bound nowhere" == str(
        fault
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x = nowhere\n", "nowhere"),
        ("def f(a=nowhere): ...\n", "nowhere"),
        ("def f() -> nowhere: ...\n", "nowhere"),
        ("def f(*args: nowhere): ...\n", "nowhere"),
        ("@nowhere\ndef f(): ...\n", "nowhere"),
        ("class C(nowhere): ...\n", "nowhere"),
        ("class C:\n    x: nowhere\n", "nowhere"),
        ("class C:\n    def f(self, x: nowhere): ...\n", "nowhere"),
        ("x: nowhere = 1\n", "nowhere"),
        ("if nowhere:\n    pass\n", "nowhere"),
        ("try:\n    pass\nexcept nowhere:\n    pass\n", "nowhere"),
        ("x = [y for y in nowhere]\n", "nowhere"),
        ("x = lambda a=nowhere: a\n", "nowhere"),
        ("from .m import *\nx = _hidden\n", "_hidden"),
        ("class C:\n    a = 1\nx = a\n", "a"),
    ],
)
def test_names(text: str, name: str) -> None:
    """A name that the import looks up and that nothing binds is found."""
    assert [(Trip.NAME, name)] == [each[:2] for each in faults(text, m="_hidden = f = 1\n")]


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return nowhere\n",
        "x = lambda: nowhere\n",
        "from __future__ import annotations\ndef f(a: nowhere) -> nowhere: ...\nx: nowhere\n",
        "def f(a: 'nowhere'): ...\n",
        "from torch import *\nx = nowhere\n",
        "x = [y for y in (1, 2) if y]\nz = {k: v for k, v in {}.items()}\n",
        "class C:\n    a = 1\n    b = a\n    def f(self, x=a): ...\n",
        "import os.path\nx = os.path\n",
        "try:\n    pass\nexcept Exception as error:\n    x = error\n",
        "with open(__file__) as file:\n    x = file\n",
        "for i in range(3):\n    x = i\n",
        "if (n := 3):\n    x = n\n",
        "match 1:\n    case n if n > 0:\n        x = 1\n",
        "from .m import *\nx = f\n",
        "from . import m\nx = m\n",
        "from . import _C\nx = _C\n",
    ],
)
def test_no_false_alarm(text: str) -> None:
    """What is bound, runs later, or cannot be told is no fault."""
    assert [] == faults(text, m="f = 1\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from . import locality_domain\n", (Trip.ATTRIBUTE, "deep_gemm.locality_domain", 1)),
        ("from .locality_domain import x\n", (Trip.MODULE, "deep_gemm.locality_domain", 1)),
        ("\nfrom .m import (\n    f,\n    g,\n)\n", (Trip.ATTRIBUTE, "deep_gemm.m.g", 4)),
        ("def f(:\n", (Trip.SYNTAX, "invalid syntax", 1)),
    ],
)
def test_imports(text: str, expected: tuple[Trip, str, int]) -> None:
    """A module or a name that the package does not have is found, and a file that is no Python."""
    assert [expected] == faults(text, m="f = 1\n")


@pytest.mark.parametrize(
    "text",
    [
        "from ._C import anything\nfrom ._C.epilogue import anything\nfrom .envs import x\n",
        "try:\n    from .gone import x\nexcept ImportError:\n    x = None\n",
        "try:\n    from . import gone\nexcept Exception as error:\n    print(error)\n",
        "from .m import f\nfrom deep_gemm.m import f as g\n",
    ],
)
def test_imports_that_may_fail(text: str) -> None:
    """What the build makes is there later, and an import in a try is meant to fail."""
    assert [] == faults(text, m="f = 1\n")


@pytest.mark.parametrize("name", ["first", "old", "sm120", "new", "port"])
def test_example(name: str) -> None:
    """The small DeepGEMM can be imported."""
    assert () == import_faults(example_tree(name))


def test_nothing_runs() -> None:
    """A source that does something when it is imported does not do it here."""
    assert [] == faults("import builtins\nbuiltins.ran_by_dgpin = True\n")
    assert not hasattr(builtins, "ran_by_dgpin")
