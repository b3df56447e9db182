"""A source's text tells what its build would."""

import pytest

from dgpin.api import compare
from dgpin.api.locate import Source
from dgpin.api.static import of_source
from dgpin.api.surface import Kind, Surface
from tests.api.corpus import pybind_kinds, python_kinds, torch_kinds, wrapper_kinds
from tests.api.corpus.case import Found, expected, found, joined
from tests.example.tree import DictTree


def read(**files: str) -> Surface:
    """Return the surface of a source; `__` in a name is a `/`, and `cpp` is the binding."""
    paths = {
        "csrc/python_api.cpp"
        if name == "cpp"
        else f"deep_gemm/{name.replace('__', '/', 1)}.py": text
        for name, text in files.items()
    }
    init = {"deep_gemm/__init__.py": paths.pop("deep_gemm/init.py", "")}
    return of_source(Source(label="text", tree=DictTree({**paths, **init})))


def test_python_kinds() -> None:
    """Every kind of change in Python that shows in the text is found in it, and no other."""
    a, b = (
        read(init=python_kinds.HEAD + joined(python_kinds.CASES, side))
        for side in ("before", "after")
    )
    seen = found(compare.compare(a, b))

    # Reached only by running the module.
    assert expected(python_kinds.CASES) - {("constant-removed", "lazy_two", "")} == seen


def native(side: str) -> Surface:
    """Return the surface of one side of the compiled kinds."""
    body = joined(pybind_kinds.CASES, side) + wrapper_kinds.NATIVE[side]
    return read(
        cpp=pybind_kinds.HEAD + body + pybind_kinds.TAIL,
        init="from . import _C\n" + joined(wrapper_kinds.CASES, side),
    )


def test_native_kinds() -> None:
    """So is every kind of change in pybind11 and around it."""
    seen = found(compare.compare(native("before"), native("after")))
    cases = (*pybind_kinds.CASES, *wrapper_kinds.CASES)

    assert _anywhere(expected(cases)) == _anywhere(seen)


def _anywhere(rows: frozenset[Found]) -> set[Found]:
    """Return findings without `_C`: the text is not re-exported by `globals().update`."""
    return {(rule, name.removeprefix("_C."), parameter) for rule, name, parameter in rows}


def test_schemas() -> None:
    """So is every kind of change of a schema, and wrappers made from an op's name follow it."""
    sides = []
    for side in ("before", "after"):
        schemas = [line for line in joined(torch_kinds.CASES, side).splitlines() if line]
        names = sorted({s.partition("(")[0].partition(".")[0] for s in schemas})
        lines = "\n".join(f'm.def(R"({schema})");' for schema in schemas)
        wrappers = "\n".join(f"{name} = _wrap_op('{name}')" for name in names)
        cpp = f"TORCH_LIBRARY(deep_gemm, m) {{\n{lines}\n}}"
        sides.append(read(cpp=cpp, init=f"def _wrap_op(name): ...\n{wrappers}\n"))

    assert expected(torch_kinds.CASES) == found(compare.compare(*sides))


GUARDED = (
    "try:\n    from ._C import one, two, three\n    after = 1\nexcept ImportError:\n    pass\n"
)


@pytest.mark.parametrize(
    ("has", "names"),
    [
        ("one two three", {"one", "two", "three", "after"}),
        ("one three", {"one"}),
        ("two three", set()),
    ],
)
def test_guarded(has: str, names: set[str]) -> None:
    """A guarded import breaks off where it would: at the first name that is not there."""
    defs = "".join(f'm.def("{name}", [](int a) {{}});' for name in has.split())
    surface = read(cpp=f"PYBIND11_MODULE(_C, m) {{ {defs} }}", init=GUARDED)

    public = {s.path for s in surface.symbols if s.path.count(".") == 1} - {"deep_gemm._C"}
    assert {f"deep_gemm.{name}" for name in names} == public


def test_semicolon_in_documentation() -> None:
    """Text in a docstring is not code."""
    cpp = (
        'PYBIND11_MODULE(_C, m) { m.def("f", [](int a) {}, py::arg("a"), "Adds; m.def(\\"g\\")"); }'
    )
    surface = read(cpp=cpp)

    assert ["deep_gemm._C", "deep_gemm._C.f"] == [s.path for s in surface.symbols]


def test_both_branches() -> None:
    """Both branches of an #if are seen; the same name in both is one function."""
    cpp = (
        'PYBIND11_MODULE(_C, m) {\n#if X\nm.def("f", [](int a) {}, py::arg("a"));\n#else\n'
        'm.def("f", [](int b) {}, py::arg("b"));\nm.def("g", [](int b) {});\n#endif\n}'
    )
    surface = read(cpp=cpp)

    assert "(a: int) -> None" == str(surface.by_path["deep_gemm._C.f"].signatures[0])
    assert "deep_gemm._C.g" in surface.by_path


def test_names_made_at_run_time() -> None:
    """A module that fills its namespace when it runs is unreadable, not empty."""
    surface = read(init="from . import lazy", lazy="globals().update({'f': 1})")

    assert "line 1 puts names there when it runs" == surface.is_unreadable("deep_gemm.lazy.f")


@pytest.mark.parametrize(
    "text",
    ["x = " + "-" * 100_000 + "1", "x = " + "(" * 5_000, "\0"],
    ids=["operators", "brackets", "NUL"],
)
def test_text_that_no_parser_takes(text: str) -> None:
    """A file that is nested too deeply, or is no text, is unreadable, and the rest is read."""
    surface = read(init="def f(): ...", broken=text)

    assert "deep_gemm.f" in surface.by_path
    assert surface.is_unreadable("deep_gemm.broken")


@pytest.mark.parametrize("names", ["{[]: 1}", "[*more]", "{**{}}", "1"])
def test_list_of_names_that_is_none(names: str) -> None:
    """What `__all__` is set to may be anything."""
    surface = read(init="from .part import *", part=f"__all__ = {names}\ndef f(): ...")

    assert "deep_gemm.f" in surface.by_path


@pytest.mark.parametrize(
    "number",
    ["0x" + "f" * 9_000, "9" * 9_000, "1.5", "0x", "'a'"],
    ids=["hexadecimal", "decimal", "fraction", "prefix", "letter"],
)
def test_number_that_no_enum_has(number: str) -> None:
    """A member whose number no integer can hold has none that could be compared."""
    cpp = (
        f"enum class E {{ A = {number} }};\n"
        'PYBIND11_MODULE(_C, m) { py::enum_<E>(m, "E").value("A", E::A); }'
    )

    surface = read(cpp=cpp)

    assert "" == surface.by_path["deep_gemm._C.E.A"].value


def test_syntax_error() -> None:
    """A file that does not parse is unreadable, and the rest is read."""
    surface = read(init="def f(): ...", broken="def (")

    assert "deep_gemm.f" in surface.by_path
    assert surface.is_unreadable("deep_gemm.broken").startswith("SyntaxError")


def test_circle() -> None:
    """Modules that re-export each other come to an end."""
    surface = read(
        init="from .a import *", a="from .b import *\nx = 1", b="from .a import *\ny = 1"
    )

    assert {"deep_gemm.x", "deep_gemm.y"} <= surface.by_path.keys()


def test_target_is_evidence() -> None:
    """A function registered under a new name is renamed when the C++ function is the same."""
    both = "void gemm(int a, int b) {}\n"
    old = both + 'PYBIND11_MODULE(_C, m) { m.def("fp8_gemm", &gemm, py::arg("a"), py::arg("b")); }'
    new = both + 'PYBIND11_MODULE(_C, m) { m.def("nt_kernel", &gemm, py::arg("a"), py::arg("b")); }'
    (change,) = compare.compare(read(cpp=old), read(cpp=new)).changes

    assert "symbol-renamed" == change.rule
    assert change.successor is not None
    assert ("deep_gemm._C.nt_kernel", 1.0) == (change.successor.name, change.successor.confidence)


@pytest.mark.parametrize(
    ("options", "bases", "why"),
    [
        ("T, B", {"base:deep_gemm._C.B"}, ""),
        ("T, n::B, std::shared_ptr<T>", {"base:deep_gemm._C.B"}, ""),
        ("T, std::unique_ptr<T, py::nodelete>", set(), ""),
        ("T, PyT, py::smart_holder", set(), ""),
        ("T, Elsewhere", set(), "the registration of one of its bases was not found"),
    ],
)
def test_bases(options: str, bases: set[str], why: str) -> None:
    """A base is one that is registered: holders and trampolines are none, the rest is unknown."""
    cpp = (
        "struct B {}; struct T : B {}; struct PyT : public T {};\n"
        'PYBIND11_MODULE(_C, m) { py::class_<B>(m, "B");\n'
        f'py::class_<{options}>(m, "C").def("f", [](T&, int a) {{}}); }}'
    )
    surface = read(cpp=cpp)

    assert bases == set(surface.by_path["deep_gemm._C.C"].traits)
    assert why == surface.is_unreadable("deep_gemm._C.C")


@pytest.mark.parametrize(
    ("enum", "value"),
    [
        ("enum E { a, X = 3 };", "3"),
        ("enum class E : std::uint8_t { a = 0x10, b, X };", "18"),
        ("enum E { a = 1 << 2, b = 2, X = a | b };", "6"),
        ("enum E { a = -2, /* next */ X };", "-1"),
        ("enum E { a = elsewhere(), X };", ""),
        ("enum E {\n#if Q\na,\n#endif\nX };", ""),
        ("namespace n { enum E { X }; } enum E { a, X };", ""),
        ("namespace n { enum E { X }; } enum E { X, a };", "0"),
        ("using E = Other;", ""),
    ],
)
def test_enum(enum: str, value: str) -> None:
    """A member has the number that the enum's text gives it; one that it does not tell is none."""
    cpp = f'{enum}\nPYBIND11_MODULE(_C, m) {{ py::enum_<E>(m, "E").value("X", E::X); }}'

    assert value == read(cpp=cpp).by_path["deep_gemm._C.E.X"].value


@pytest.mark.parametrize(
    ("bound", "returns"),
    [
        ("[](int a) { return a; }", "int"),
        ("[](int a) -> float { return a; }", "float"),
        ("[](int a) -> auto { return a > 1 && a < 3; }", "bool"),
        ("[]() -> Elsewhere { return 1; }", ""),
        ("[](int a) { return a ? a : 0.5; }", "float"),
        ("[](int a) { return a / 2.0f + 1; }", "float"),
        ("[](Tensor a) { return a + 1; }", ""),
        ("[](std::vector<int> a) { return a; }", "list[int]"),
        ("[](const char* a) { return a; }", "str"),
        ("[](char a) { return -a; }", ""),
        ("[](py::args a) { return a; }", ""),
        ("[](int a) { auto [b, c] = pair(a); return b; }", ""),
        ("[](int a) { auto b = a; auto c = b * 2; return c; }", "int"),
        ("[](int a) { auto b = b; return b; }", ""),
        ("[](int a) { for (float a : list()) { return a; } return 1.f; }", "float"),
        ("[](float a) { if (a) { int a = 1; use(a); } return a; }", ""),
        ("[](int a) { run([] { return 1.5; }); }", "None"),
        ("[](int a) { SWITCH(a, [&] { return 1.5; }); }", ""),
        ("[](int a) { MY_ASSERT(a > 1); }", "None"),
        ("[](int a) { return made(a); }", "str"),
        ("[](int a) { return torch::made(a); }", ""),
        ("[](int a) { return both(a); }", ""),
        ("[](int a) { return n::both(a); }", "int"),
        ("[](int a) { return method(a); }", ""),
        ("[&] { return count; }", "int"),
        ("[&] { return hidden; }", ""),
        ("[&] { return held->method(1); }", "bool"),
        ("[&] { return held.method(1); }", ""),
        ("[&] { return direct.method(1); }", "bool"),
        ("[&] { return other->method(1); }", ""),
        ("[](int a) { return std::make_tuple(a, made(a), true); }", "tuple[int, str, bool]"),
        ("[](int a) { return {a, a}; }", ""),
        ("&made", "str"),
        ("py::overload_cast<float>(&cast)", "float"),
        ("static_cast<int (*)(int)>(&cast)", "int"),
    ],
)
def test_result(bound: str, returns: str) -> None:
    """A result is the one that C++ would find, where that is plain; else it is unknown."""
    cpp = (
        "static std::string made(int a) { return {}; }\n"
        "namespace n { int both(int a) { return a; } } float both(int a) { return a; }\n"
        "int cast(int a) { return a; } float cast(float a) { return a; }\n"
        "class Owner { bool method(int a) { return true; } };\n"
        "static int count = 0; static int hidden = 0;\n"
        "static auto held = Lazy<Owner>([]() { return 1; }); static Owner direct; Other other;\n"
        f'PYBIND11_MODULE(_C, m) {{ float hidden = 1; m.def("f", {bound}); }}'
    )

    assert [returns] == [s.returns for s in read(cpp=cpp).by_path["deep_gemm._C.f"].signatures]


def test_unknown_is_no_change() -> None:
    """A result, a number and a base that only one side's text tells are not compared."""
    known = 'enum E { X }; PYBIND11_MODULE(_C, m) { py::enum_<E>(m, "E").value("X", E::X); '
    a = read(cpp=known + 'm.def("f", [](int a) { return a; }); }')
    unknown = known.replace("{ X }", "{ X = other() }")
    b = read(cpp=unknown + 'm.def("f", [](int a) { return other.method(a); }); }')

    assert () == compare.compare(a, b).changes == compare.compare(b, a).changes


def test_names_stand_for_values() -> None:
    """A default or a constant that a text only names may have any value, so it is no change."""
    a = read(init="def f(a=128): ...\nLIMIT = 128", cpp=BOUND.format("128"), k="BASE = 128")
    b = read(
        init="from .k import BASE\ndef f(a=BASE): ...\nLIMIT = BASE",
        cpp=BOUND.format("kDefault"),
        k="BASE = 128",
    )

    assert ["deep_gemm.BASE"] == [c.path for c in compare.compare(a, b).changes]


BOUND = 'PYBIND11_MODULE(_C, m) {{ m.def("f", [](int a) {{}}, py::arg("a") = {}); }}'


def test_enum_by_its_base() -> None:
    """A class below an enum is one, and what it assigns are its members."""
    surface = read(init="import enum\nclass B(enum.IntEnum): ...\nclass E(B):\n    X = 1")

    assert (Kind.ENUM, Kind.MEMBER) == tuple(
        surface.by_path[f"deep_gemm.{name}"].kind for name in ("E", "E.X")
    )


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        # A class method and a static one are called alike; an instance's method is not.
        ("@classmethod\n    def m(cls, a): ...", "@staticmethod\n    def m(a): ...", []),
        ("def m(self, a): ...", "@staticmethod\n    def m(a): ...", []),
        ("@classmethod\n    def m(cls, a): ...", "def m(self, a): ...", ["calling-changed"]),
    ],
)
def test_methods(before: str, after: str, rules: list[str]) -> None:
    """A method breaks its callers where the class itself no longer has it."""
    a, b = (read(init=f"class C:\n    {each}") for each in (before, after))

    assert rules == [c.rule for c in compare.compare(a, b).changes]


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("f = made(1)", "the text does not tell what it is bound to when it runs"),
        (
            "def f(*args, **kwargs): ...",
            "it hands on whatever it gets, so its signature tells nothing",
        ),
    ],
)
def test_not_told(after: str, why: str) -> None:
    """What may still be the same function is no change, and no all-clear either."""
    found = compare.compare(read(init="def f(a, b=1): ..."), read(init=after))

    assert () == found.changes
    assert [("B", "deep_gemm.f", why)] == [(s, u.path, u.reason) for s, u in found.unreadable]


def test_one_heir_for_two() -> None:
    """Two names that look like a third were not both renamed to it; a moved class is found."""
    bind = 'm.def("{}", [](int a, int b) {{}}, py::arg("a"), py::arg("b"));'
    a = read(cpp=MODULE.format(bind.format("fp8_gemm_nt") + bind.format("fp4_gemm_nt") + CLASS))
    moved = 'auto s = m.def_submodule("s");' + CLASS.replace("(m,", "(s,")
    b = read(cpp=MODULE.format(bind.format("gemm_nt") + moved))

    assert {("symbol-removed", "fp4_gemm_nt"), ("symbol-removed", "fp8_gemm_nt")} | {
        ("symbol-moved", "C")
    } == {(rule, name.removeprefix("_C.")) for rule, name, _ in found(compare.compare(a, b))}


MODULE = "PYBIND11_MODULE(_C, m) {{ {} }}"
CLASS = 'py::class_<T>(m, "C").def(py::init<int, int>());'


def test_fields_of_a_base() -> None:
    """A dataclass takes the fields of its base first."""
    made = "from dataclasses import dataclass\n@dataclass\nclass B:\n    a: int\n    b: int\n"
    surface = read(init=made + "@dataclass\nclass C(B):\n    c: int\n    a: int = 1\n")

    assert "(a: int = 1, b: int, c: int)" == str(surface.by_path["deep_gemm.C"].signatures[0])
