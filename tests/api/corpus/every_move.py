"""The two builds that `every_use` moves between, as packages to be built for each binding."""

from tests.api.surfaces import parameter

# name: (parameters in A, parameters in B); None where it is not there.
FUNCTIONS: dict[str, tuple[str | None, str | None]] = {
    "kept": ("a, b, c=None", "a, b, c=None"),
    "unfitting": ("a, b", "a, b"),
    "gone": ("a", None),
    "new_name": ("a", "a"),
    "lost_keyword": ("a, fast: bool=False", "a"),
    "needs_more": ("a, b=None", "a, b"),
    "renamed_keyword": ("a, m_indices", "a, grouped_layout"),
    "inserted": ("a, flag: bool=False", "a, count: int=0, flag: bool=False"),
    "other_default": ("a, mode: str='a'", "a, mode: str='b'"),
    "appended": ("a", "a, extra=None"),
}
_CPP = {"": "py::object", "bool": "bool", "int": "int", "str": "std::string"}
_DEFAULTS = {"None": "py::none()", "False": "false", "'a'": '"a"', "'b'": '"b"', "0": "0"}
_HEAD = """
#include <pybind11/pybind11.h>
#include <string>

namespace py = pybind11;

PYBIND11_MODULE(_C, m) {
"""
_INIT = """
import torch
from . import _C, utils
from .utils import math

globals().update({n: v for n, v in vars(_C).items() if n in NAMES})

if not hasattr(torch.ops.deep_gemm, "raw"):
    torch.library.define("deep_gemm::raw", "(Any a) -> ()")

__version__ = "2.8.0"
LIMIT = 1


class SymmBuffer:
    x = 0

    def __init__(self, group):
        pass
"""
_ONLY_A = """
    def destroy(self):
        pass


from .utils import extra


def by_python(a, fast=False):
    pass
"""
_ONLY_B = """

def by_python(a):
    pass
"""


def names(side: int) -> list[str]:
    """Return the names that `_C` has: those of the functions, and the alias in A."""
    return [name for name, texts in FUNCTIONS.items() if texts[side] is not None] + (
        ["old_name"] if side == 0 else []
    )


def package(side: int) -> dict[str, str]:
    """Return the Python half, without `_C`."""
    init = f"NAMES = {names(side)}\n{_INIT}{(_ONLY_A, _ONLY_B)[side]}"
    found = {
        "deep_gemm/__init__.py": init,
        "deep_gemm/utils/__init__.py": "",
        "deep_gemm/utils/math.py": "def cast(x):\n    pass\n",
    }
    if side == 0:
        found["deep_gemm/utils/extra.py"] = "def thing():\n    pass\n"
    return found


def python(side: int) -> str:
    """Return `_C` in Python."""
    defined = [f"def {name}({texts[side]}): pass" for name, texts in _there(side)]
    return "\n".join([*defined, *(["old_name = new_name"] if side == 0 else [])]) + "\n"


def pybind(side: int) -> str:
    """Return `_C` in pybind11."""
    lines = []
    for name, texts in _there(side):
        given = [parameter(text) for text in str(texts[side]).split(", ")]
        types = ", ".join(_CPP[p.type] for p in given)
        args = "".join(
            f', py::arg("{p.name}")' + (f" = {_DEFAULTS[p.default]}" if p.default else "")
            for p in given
        )
        lines.append(f'm.def("{name}", []({types}) {{}}{args});')
    if side == 0:
        lines.append('m.attr("old_name") = m.attr("new_name");')
    return "\n".join([_HEAD, *lines, "}", ""])


_SCHEMA = {"": "Any", "bool": "bool", "int": "int", "str": "str"}


def schemas(side: int) -> list[str]:
    """Return the schemas of the operators of one side; `raw` is one of them."""
    found = ["raw(Any a) -> ()"]
    for name, texts in _there(side):
        pieces = []
        for given in (parameter(text) for text in str(texts[side]).split(", ")):
            kind = "Scalar?" if given.default == "None" else _SCHEMA[given.type]
            default = f"={given.default}" if given.default is not None else ""
            pieces.append(f"{kind} {given.name}{default}")
        found.append(f"{name}({', '.join(pieces)}) -> ()")
    return found


def facade(side: int) -> str:
    """Return the Python half of `_C` around the operators."""
    operators = [name for name in names(side) if name != "old_name"]
    alias = "old_name = new_name\n" if side == 0 else ""
    return (
        "import torch\nfrom . import _C_extension\n"
        + "".join(f"{name} = torch.ops.deep_gemm.{name}\n" for name in operators)
        + alias
    )


def _there(side: int) -> list[tuple[str, tuple[str | None, str | None]]]:
    return [(name, texts) for name, texts in FUNCTIONS.items() if texts[side] is not None]
