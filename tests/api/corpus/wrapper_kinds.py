"""Kinds of change in Python around a compiled half: wrappers, guards and re-exports.

`before` and `after` are statements of `deep_gemm/__init__.py`; the compiled half differs between
the sides as NATIVE says.
"""

from tests.api.corpus.case import case

_AB = '[](int a, int b) { return a + b; }, py::arg("a"), py::arg("b") = 1'
_A = '[](int a) { return a; }, py::arg("a")'
_TABLES = {
    "before": (
        f'm.def("w_keep", {_AB});',
        f'm.def("w_loses", {_AB});',
        f'm.def("w_leaves", {_A});',
        f'm.def("w_swap", {_A});',
        f'm.def("w_back", {_A});',
        f'm.def("g_first", {_A});',
        f'm.def("g_missing", {_A});',
        f'm.def("g_after", {_A});',
        f'm.def("g_asked", {_A});',
        f'm.def("g_none", {_A});',
        f'm.def("w_export", {_A});',
        f'm.def("w_private", {_A});',
    ),
    "after": (
        f'm.def("w_keep", {_AB});',
        f'm.def("w_loses", {_A});',
        f'm.def("w_swap", {_A});',
        f'm.def("w_back", {_A});',
        f'm.def("g_first", {_A});',
        f'm.def("g_after", {_A});',
        f'm.def("w_export", {_A});',
    ),
}
NATIVE = {side: "\n".join(lines) for side, lines in _TABLES.items()}

CASES = (
    case(
        "the keyword goes from the wrapper and stays in the compiled half",
        "def w_keep(a, b=1): return _C.w_keep(a, b)",
        "def w_keep(a): return _C.w_keep(a)",
        "parameter-removed w_keep b",
    ),
    case(
        "the keyword goes from the compiled half and stays in the wrapper",
        "def w_loses(a, b=1): return _C.w_loses(a, b)",
        "def w_loses(a, b=1): return _C.w_loses(a)",
        "parameter-removed _C.w_loses b",
    ),
    case(
        "the compiled half is gone and the wrapper stays",
        "def w_leaves(a): return _C.w_leaves(a)",
        "def w_leaves(a): return a",
        "symbol-removed _C.w_leaves",
    ),
    case(
        "a re-export becomes a wrapper",
        "from ._C import w_swap",
        "def w_swap(a): return _C.w_swap(a)",
        "binding-changed w_swap",
    ),
    case(
        "a wrapper becomes a re-export",
        "def w_back(a): return _C.w_back(a)",
        "from ._C import w_back",
        "binding-changed w_back",
    ),
    case(
        "one name of a guarded import is missing",
        "try:\n    from ._C import g_first, g_missing, g_after\nexcept ImportError:\n    pass",
        "try:\n    from ._C import g_first, g_missing, g_after\nexcept ImportError:\n    pass",
        "symbol-removed g_missing",
        "symbol-moved g_after",
    ),
    case(
        "a name that is asked for is missing",
        "if hasattr(_C, 'g_asked'):\n    g_asked = _C.g_asked",
        "if hasattr(_C, 'g_asked'):\n    g_asked = _C.g_asked",
        "symbol-removed g_asked",
    ),
    case(
        "a guarded import falls back to None",
        "try:\n    from ._C import g_none\nexcept ImportError:\n    g_none = None",
        "try:\n    from ._C import g_none\nexcept ImportError:\n    g_none = None",
        "kind-changed g_none",
        "symbol-removed _C.g_none",
    ),
    case(
        "a re-export is gone and the compiled half has it",
        "from ._C import w_export",
        "",
        "symbol-moved w_export",
    ),
    case(
        "an alias in Python is gone",
        "from ._C import w_keep as w_other_name",
        "",
        "alias-removed w_other_name",
    ),
    case("a private function is gone", "", "", "symbol-removed _C.w_private"),
)
