"""Kinds of change in pybind11: statements of a module's body."""

from tests.api.corpus.case import case

HEAD = """
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace py = pybind11;
using namespace pybind11::literals;

struct Opaque { int x = 0; };
struct Other { int x = 0; };
struct Sub : Opaque {};
struct Beside { int x = 0; };
struct Parent { int own(int a) { return a; } };
struct Child : Parent {};
enum class Mode { one, two };

struct Runtime {
    int sms() const { return 1; }
    std::string told() const { return "x"; }
};
static auto runtime = std::make_shared<Runtime>();
static std::shared_ptr<Runtime> other_runtime;
static std::string label = "x";
static long limit = 3, *unused = nullptr;

static long counted(int a) { return a; }
static std::string spelled(int a) { return std::to_string(a); }
static int twice(int a) { return 2 * a; }
static std::string twice(std::string text) { return text + text; }
static int of_beside(Beside& self, int a) { return self.x + a; }

PYBIND11_MODULE(_C, m) {
    py::class_<Opaque>(m, "Opaque").def(py::init<>());
"""
TAIL = "}\n"

# The smallest body that takes these arguments.
_AB = "[](int a, int b) { return a + b; }"
_A = "[](int a) { return a; }"
_ABC = "[](int a, int b, int c) { return a + b + c; }"

CASES = (
    case("removed", f'm.def("n_gone", {_A}, py::arg("a"));', "", "symbol-removed n_gone"),
    case(
        "renamed, the alias stays",
        f'm.def("n_old", {_AB}, py::arg("a"), py::arg("b")); m.attr("n_new") = m.attr("n_old");',
        f'm.def("n_new", {_AB}, py::arg("a"), py::arg("b"));',
        "symbol-renamed n_old",
    ),
    case(
        "renamed, name and signature say so",
        f'm.def("n_pack_scales", {_AB}, py::arg("rows"), py::arg("packed_format"));',
        f'm.def("n_pack_scale", {_AB}, py::arg("rows"), py::arg("packed_format"));',
        "symbol-renamed n_pack_scales",
    ),
    case(
        "alias removed",
        f'm.def("n_kept", {_A}, py::arg("a")); m.attr("n_alias") = m.attr("n_kept");',
        f'm.def("n_kept", {_A}, py::arg("a"));',
        "alias-removed n_alias",
    ),
    case(
        "parameter removed",
        f'm.def("n_pr", {_AB}, py::arg("a"), py::arg("b") = 1);',
        f'm.def("n_pr", {_A}, py::arg("a"));',
        "parameter-removed n_pr b",
    ),
    case(
        "parameter renamed",
        f'm.def("n_pn", {_AB}, py::arg("a"), py::arg("m_indices"));',
        f'm.def("n_pn", {_AB}, py::arg("a"), py::arg("grouped_layout"));',
        "parameter-renamed n_pn m_indices",
    ),
    case(
        "parameters reordered",
        f'm.def("n_po", {_ABC}, py::arg("a"), py::arg("b"), py::arg("c"));',
        f'm.def("n_po", {_ABC}, py::arg("a"), py::arg("c"), py::arg("b"));',
        "parameter-reordered n_po b, c",
    ),
    case(
        "optional parameter inserted",
        f'm.def("n_pi", {_AB}, py::arg("a"), py::arg("fast") = 0);',
        f'm.def("n_pi", {_ABC}, py::arg("a"), py::arg("count") = 0, py::arg("fast") = 0);',
        "parameter-inserted n_pi count",
    ),
    case(
        "required parameter added",
        f'm.def("n_par", {_A}, py::arg("a"));',
        f'm.def("n_par", {_AB}, py::arg("a"), py::arg("b"));',
        "parameter-added-required n_par b",
    ),
    case(
        "default lost",
        f'm.def("n_pq", {_AB}, py::arg("a"), py::arg("b") = 1);',
        f'm.def("n_pq", {_AB}, py::arg("a"), py::arg("b"));',
        "parameter-required n_pq b",
    ),
    case(
        "default gained",
        f'm.def("n_pg", {_AB}, py::arg("a"), py::arg("gained"));',
        f'm.def("n_pg", {_AB}, py::arg("a"), py::arg("gained") = 1);',
        "parameter-optional n_pg gained",
    ),
    case(
        "default changed",
        f'm.def("n_dc", {_AB}, py::arg("a"), py::arg("b") = 1);',
        f'm.def("n_dc", {_AB}, py::arg("a"), py::arg("b") = 2);',
        "default-changed n_dc b",
    ),
    case(
        "keyword only",
        f'm.def("n_ko", {_AB}, py::arg("a"), py::arg("b") = 1);',
        f'm.def("n_ko", {_AB}, py::arg("a"), py::kw_only(), py::arg("b") = 1);',
        "parameter-keyword-only n_ko b",
    ),
    case(
        "positional only",
        f'm.def("n_pp", {_AB}, py::arg("a"), py::arg("b") = 1);',
        f'm.def("n_pp", {_AB}, py::arg("a"), py::pos_only(), py::arg("b") = 1);',
        "parameter-positional-only n_pp a",
    ),
    case(
        "names lost",
        f'm.def("n_nl", {_AB}, py::arg("a"), py::arg("b"));',
        f'm.def("n_nl", {_AB});',
        "names-lost n_nl",
    ),
    case(
        "names gained",
        f'm.def("n_ng", {_AB});',
        f'm.def("n_ng", {_AB}, py::arg("left"), py::arg("right"));',
        "names-gained n_ng",
    ),
    case(
        "another number of unnamed parameters",
        f'm.def("n_un", {_AB});',
        f'm.def("n_un", {_A});',
        "arity-changed n_un",
    ),
    case(
        "overload removed",
        f'm.def("n_ov", {_A}, py::arg("a"));\n'
        'm.def("n_ov", [](std::string text) { return text; }, py::arg("text"));',
        f'm.def("n_ov", {_A}, py::arg("a"));',
        "overload-removed n_ov (text: str)",
    ),
    case(
        "overload added",
        f'm.def("n_oa", {_A}, py::arg("a"));',
        f'm.def("n_oa", {_A}, py::arg("a"));\n'
        'm.def("n_oa", [](std::string text) { return text; }, py::arg("text"));',
        "overload-added n_oa (text: str)",
    ),
    case(
        "overload removed that a cast chose",
        'm.def("n_oc", py::overload_cast<int>(&twice), py::arg("a"));\n'
        'm.def("n_oc", py::overload_cast<std::string>(&twice), py::arg("text"));',
        'm.def("n_oc", static_cast<int (*)(int)>(&twice), py::arg("a"));',
        "overload-removed n_oc (text: str)",
    ),
    case(
        "type narrowed",
        'm.def("n_tn", [](std::optional<int> a, int b) { return b; }, py::arg("a"), py::arg("b"));',
        'm.def("n_tn", [](int a, int b) { return b; }, py::arg("a"), py::arg("b"));',
        "type-narrowed n_tn a",
    ),
    case(
        "type widened",
        'm.def("n_tw", [](int a, int b) { return b; }, py::arg("a"), py::arg("b"));',
        'm.def("n_tw", [](std::optional<int> a, int b) { return b; },\n'
        'py::arg("a"), py::arg("b"));',
        "type-widened n_tw a",
    ),
    case(
        "return changed",
        f'm.def("n_rt", {_A}, py::arg("a"));',
        'm.def("n_rt", [](int a) { return std::to_string(a); }, py::arg("a"));',
        "return-changed n_rt",
    ),
    case(
        "return changed as it is written out",
        'm.def("n_rw", [](int a) -> long { return a; }, py::arg("a"));',
        'm.def("n_rw", [](int a) -> double { return a; }, py::arg("a"));',
        "return-changed n_rw",
    ),
    case(
        "return changed by the variable that it is",
        'm.def("n_rv", [](int a) { const bool found = a > 1; return found; }, py::arg("a"));',
        'm.def("n_rv", [](int a) { auto found = a * 1.5; return found; }, py::arg("a"));',
        "return-changed n_rv",
    ),
    case(
        "return changed by the function that is called",
        'm.def("n_rf", [](int a) { return counted(a); }, py::arg("a"));',
        'm.def("n_rf", [](int a) { if (a > 1) { return spelled(a); } return spelled(1); },\n'
        '      py::arg("a"));',
        "return-changed n_rf",
    ),
    case(
        "return changed by a variable outside",
        'm.def("n_ro", [] { return limit; });',
        'm.def("n_ro", [&] { return label; });',
        "return-changed n_ro",
    ),
    case(
        "return changed by the method that is called",
        'm.def("n_rm", [&]() { return runtime->sms(); });',
        'm.def("n_rm", [&]() { return other_runtime->told(); });',
        "return-changed n_rm",
    ),
    case(
        "return gone",
        'm.def("n_rg", [](int a) { return std::make_tuple(a, "x"); }, py::arg("a"));',
        'm.def("n_rg", [](int a) { counted(a); }, py::arg("a"));',
        "return-changed n_rg",
    ),
    case(
        "*args gone",
        'm.def("n_va", [](int a, py::args) { return a; }, py::arg("a"));',
        f'm.def("n_va", {_A}, py::arg("a"));',
        "variadic-positional-removed n_va *args",
    ),
    case(
        "**kwargs gone",
        'm.def("n_vk", [](int a, py::kwargs) { return a; }, py::arg("a"));',
        f'm.def("n_vk", {_A}, py::arg("a"));',
        "variadic-keyword-removed n_vk **kwargs",
    ),
    case(
        "class removed",
        'py::class_<Other>(m, "n_Gone").def(py::init<>());',
        "",
        "symbol-removed n_Gone",
    ),
    case(
        "members removed and changed",
        'struct L1 : Opaque {}; py::class_<L1>(m, "n_Cls").def(py::init<>())\n'
        '.def("m1", [](L1&, int a, int b) { return a; }, py::arg("a"), py::arg("b") = 1)\n'
        '.def("m2", [](L1&) { return 1; }).def_readwrite("x", &L1::x)\n'
        '.def_property_readonly("y", [](L1&) { return 1; });',
        'struct L1 : Opaque {}; py::class_<L1>(m, "n_Cls").def(py::init<>())\n'
        '.def("m1", [](L1&, int a) { return a; }, py::arg("a"))\n'
        '.def_property_readonly("x", [](L1& l) { return l.x; });',
        "parameter-removed n_Cls.m1 b",
        "class-member-removed n_Cls.m2",
        "class-member-removed n_Cls.y",
        "property-read-only n_Cls.x",
    ),
    case(
        "parameter of a static method removed",
        'struct L3 {}; py::class_<L3>(m, "n_St")\n'
        '.def_static("s", [](int a, int b) { return a; }, py::arg("a"), py::arg("b") = 1);',
        'struct L3 {}; py::class_<L3>(m, "n_St")\n'
        '.def_static("s", [](int a) { return a; }, py::arg("a"));',
        "parameter-removed n_St.s b",
    ),
    case(
        "constructor's parameter removed",
        'struct L2 { L2(int, int) {} }; py::class_<L2>(m, "n_Init")\n'
        '.def(py::init<int, int>(), py::arg("a"), py::arg("b") = 1);',
        'struct L2 { L2(int) {} }; py::class_<L2>(m, "n_Init")\n'
        '.def(py::init<int>(), py::arg("a"));',
        "parameter-removed n_Init b",
    ),
    case(
        "base removed",
        'py::class_<Sub, Opaque>(m, "n_Sub");',
        'py::class_<Sub>(m, "n_Sub");',
        "base-removed n_Sub deep_gemm._C.Opaque",
    ),
    case(
        "base removed, with what it brought",
        'py::class_<Parent, std::shared_ptr<Parent>>(m, "n_Parent")\n'
        '.def("own", &Parent::own, py::arg("a"));\n'
        'py::class_<Child, Parent, std::shared_ptr<Child>>(m, "n_Child").def(py::init<>());',
        'py::class_<Parent, std::shared_ptr<Parent>>(m, "n_Parent")\n'
        '.def("own", &Parent::own, py::arg("a"));\n'
        'py::class_<Child, std::shared_ptr<Child>>(m, "n_Child").def(py::init<>());',
        "base-removed n_Child deep_gemm._C.n_Parent",
        "class-member-removed n_Child.own",
    ),
    case(
        "enum member removed",
        'enum class E1 { x, y }; py::enum_<E1>(m, "n_E1").value("X", E1::x).value("Y", E1::y);',
        'enum class E1 { x, y }; py::enum_<E1>(m, "n_E1").value("X", E1::x);',
        "enum-member-removed n_E1.Y",
    ),
    case(
        "enum value changed",
        'enum class E2 { x, y }; py::enum_<E2>(m, "n_E2").value("X", E2::x);',
        'enum class E2 { x, y }; py::enum_<E2>(m, "n_E2").value("X", E2::y);',
        "enum-value-changed n_E2.X",
    ),
    case(
        "enum value changed by the enum itself",
        'enum class E3 { x, y = 1 << 3 }; py::enum_<E3>(m, "n_E3").value("X", E3::x);',
        'enum class E3 { w = 4, x, y = 1 << 3 }; py::enum_<E3>(m, "n_E3").value("X", E3::x);',
        "enum-value-changed n_E3.X",
    ),
    case(
        "enum members no longer beside it",
        'enum class E5 { x }; py::enum_<E5>(m, "n_E5").value("n_x", E5::x).export_values();',
        'enum class E5 { x }; py::enum_<E5>(m, "n_E5").value("n_x", E5::x);',
        "constant-removed n_x",
    ),
    case(
        "constant changed",
        'm.attr("n_LIMIT") = 1;',
        'm.attr("n_LIMIT") = 2;',
        "constant-changed n_LIMIT",
    ),
    case("constant removed", 'm.attr("n_CONST") = 1;', "", "constant-removed n_CONST"),
    case(
        "function of a submodule removed",
        f'auto s1 = m.def_submodule("n_sub"); s1.def("f", {_A}, py::arg("a"));\n'
        f's1.def("g", {_A}, py::arg("a"));',
        f'auto s1 = m.def_submodule("n_sub"); s1.def("g", {_A}, py::arg("a"));',
        "symbol-removed n_sub.f",
    ),
    case(
        "parameter appended",
        f'm.def("n_ap", {_A}, py::arg("a"));',
        f'm.def("n_ap", {_AB}, py::arg("a"), py::arg("tail") = 1);',
        "parameter-added n_ap tail",
    ),
    # What must stay quiet.
    case(
        "default is an object, printed with its address",
        'm.def("n_q1", [](Opaque a) { return a.x; }, py::arg("a") = Opaque());',
        'm.def("n_q1", [](Opaque a) { return a.x; }, py::arg("a") = Opaque());',
    ),
    case(
        "C++ name changed, py::arg not",
        'm.def("n_q2", [](int one) { return one; }, py::arg("a"));',
        'm.def("n_q2", [](int other) { return other; }, py::arg("a"));',
    ),
    case(
        "documentation with a semicolon and a list",
        f'm.def("n_q3", {_A}, py::arg("a"), "Adds; f(x) -> y\\n\\n1. n_q3(b: int) -> int");',
        f'm.def("n_q3", {_A}, py::arg("a"), "Another; text (of) -> it");',
    ),
    case(
        "defaults of every kind",
        'm.def("n_q4", [](std::string s, std::tuple<int, int> t, std::vector<int> v, float f,\n'
        "                std::optional<float> o) { return s; },\n"
        '      py::arg("s") = "nk, (x) = y", py::arg("t") = std::make_tuple(1, 128),\n'
        '      py::arg("v") = std::vector<int>(), py::arg("f") = 1.5,\n'
        '      py::arg("o") = std::nullopt);',
        'm.def("n_q4", [](std::string s, std::tuple<int, int> t, std::vector<int> v, float f,\n'
        "                std::optional<float> o) { return s; },\n"
        '      "s"_a = "nk, (x) = y", "t"_a = std::make_tuple(1, 128),\n'
        '      "v"_a = std::vector<int>(), "f"_a = 1.5, "o"_a = std::nullopt);',
    ),
    case(
        "result written otherwise",
        'm.def("n_q5", [](int a) { return a + 1; }, py::arg("a"));',
        'm.def("n_q5", [](int a) -> std::int64_t { return a + 1; }, py::arg("a"));',
    ),
    case(
        "result that the text does not show",
        'm.def("n_q6", [](std::vector<int> v) { return v.front(); }, py::arg("v"));',
        'm.def("n_q6", [](std::vector<int> v) { return int(v.size()); }, py::arg("v"));',
    ),
    case(
        "text taken by pointer and by value",
        'm.def("n_q7", [](const char* text) { return text; }, py::arg("text"));',
        'm.def("n_q7", [](std::string text) { return text; }, py::arg("text"));',
    ),
    case(
        "holder changed, method bound to a function beside the class",
        'py::class_<Beside>(m, "n_Beside").def("f", [](Beside&, int a) { return a; });',
        'py::class_<Beside, std::shared_ptr<Beside>>(m, "n_Beside").def("f", &of_beside);',
    ),
    case(
        "enum written otherwise",
        'enum class E4 { x, y }; py::enum_<E4>(m, "n_E4").value("Y", E4::y);',
        'enum E4 : int { y = 1, x = y - 1 }; py::enum_<E4>(m, "n_E4").value("Y", y);',
    ),
)
