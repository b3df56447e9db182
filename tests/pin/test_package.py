"""What deep_gemm exports, read and never imported."""

import pytest

from dgpin.pin.package import Package
from dgpin.verdict import Place
from tests.example.tree import DictTree


def package(**files: str) -> Package:
    """Return a package out of modules; `__` in a name is a slash."""
    tree = {
        f"deep_gemm/{name.replace('__', '/') if name != 'init' else '__init__'}.py": text
        for name, text in files.items()
    }
    return Package(DictTree(tree))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from ._C import a, b as c\n", ["a", "c"]),
        ("from deep_gemm._C import a\n", ["a"]),
        ("try:\n    from ._C import a\n    b = a\nexcept ImportError: pass\n", ["a", "b"]),
        ("def f(): ...\nclass C: ...\nX: int = 1\n_y = 2\n__version__ = '1'\n", ["C", "X", "f"]),
        ("from . import utils\n", ["utils"]),
        # What __init__ only uses is no export
        ("import os, torch\nfrom typing import List\nfor key in (): pass\n", []),
        ("from .envs import persistent_envs\n", []),
        ("if True:\n    from ._C import a\nelse:\n    from ._C import b\n", ["a", "b"]),
    ],
)  # fmt: skip
def test_exports(text: str, expected: list[str]) -> None:
    """Names of the binding, of the package's modules and its own, aliases included."""
    assert expected == list(package(init=text, utils="").exports())


def test_star() -> None:
    """A star brings what the module makes or takes from the package, not what it imports."""
    found = Package(
        DictTree(
            {
                "deep_gemm/__init__.py": "from .utils import *\n",
                "deep_gemm/utils/__init__.py": "import torch\nfrom . import m\nfrom .m import *\n",
                "deep_gemm/utils/m.py": "import os\nfrom .._C import x\ndef f(): ...\n",
            }
        )
    ).exports()

    assert ["f", "m", "x"] == list(found)
    assert {Place("deep_gemm/__init__.py", 1)} == set(found.values())


def test_all() -> None:
    """`__all__` decides what a star brings."""
    found = package(init="from .m import *\n", m="__all__ = ['f']\ndef f(): ...\ndef g(): ...\n")

    assert ["f"] == list(found.exports())


def test_places() -> None:
    """Each export has the line of its own name, in a list of imports as well."""
    found = package(init="from ._C import (\n    a,\n    b,\n)\n").exports()

    assert {"a": Place("deep_gemm/__init__.py", 2), "b": Place("deep_gemm/__init__.py", 3)} == found


def test_reached() -> None:
    """A module counts as used when anything that is imported imports it, in a function as well."""
    found = package(
        init="from . import a\n",
        a="def f():\n    from .b import x\n",
        b="import deep_gemm.c\n",
        c="",
        d="",
    ).reached()

    assert {"__init__", "a", "b", "c"} == found


def test_no_package() -> None:
    """A tree without the package exports nothing."""
    assert {} == Package(DictTree({})).exports()
