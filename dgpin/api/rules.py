"""The rules, one a row: what counts as a change, how bad it is, why, and what to do."""

from dataclasses import dataclass

from dgpin.api.change import Effect, Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of change. `before` and `after` are the smallest modules that show it."""

    id: str
    level: Level
    effect: Effect
    summary: str
    why: str
    cure: str
    before: str
    after: str


def _rule(
    name: str, level: Level, effect: Effect, summary: str, *, why: str, cure: str, pair: str
) -> Rule:
    before, _, after = pair.partition("\n=>\n")
    return Rule(
        id=name,
        level=level,
        effect=effect,
        summary=summary,
        why=why,
        cure=cure,
        before=before,
        after=after,
    )


_B, _R, _C, _A = Level.BREAKING, Level.RISKY, Level.COMPATIBLE, Level.ADDED
_GONE, _REFUSED, _SILENT = Effect.GONE, Effect.REFUSED, Effect.SILENT
_OTHERWISE, _NONE = Effect.OTHERWISE, Effect.NONE

_NAMES = (
    _rule(
        "symbol-removed",
        _B,
        _GONE,
        "A name is gone and nothing takes its place.",
        why="An import of it fails; getattr with a default silently gives the default.",
        cure="Drop the use, or stay on the build that has it.",
        pair="def f(a): ...\ndef g(): ...\n=>\ndef g(): ...",
    ),
    _rule(
        "symbol-renamed",
        _B,
        _GONE,
        "A name is gone and its object lives on under another.",
        why="An import of the old name fails; getattr with a default silently gives the default.",
        cure="Use the new name; try the new one first and the old one after it to fit both builds.",
        pair="def old_gemm(a, b, d): ...\ngemm_old = old_gemm\n=>\ndef gemm_old(a, b, d): ...",
    ),
    _rule(
        "alias-removed",
        _B,
        _GONE,
        "A second name of an object is gone; the object is not.",
        why="The object's error messages never showed this name, so nobody was told it was one.",
        cure="Use the name that is left.",
        pair="def f(a): ...\nalias = f\n=>\ndef f(a): ...",
    ),
    _rule(
        "symbol-moved",
        _B,
        _GONE,
        "A name is gone here and is there elsewhere in the package.",
        why="An import from the old place fails.",
        cure="Import it from where it is now.",
        pair="# deep_gemm/utils.py\ndef f(a): ...\n=>\n# deep_gemm/layout.py\ndef f(a): ...",
    ),
    _rule(
        "module-removed",
        _B,
        _GONE,
        "A submodule is gone with all that was in it.",
        why="Importing it fails.",
        cure="Find its names elsewhere, or drop the use.",
        pair="# deep_gemm/extra.py\ndef f(): ...\n=>\n# no such file",
    ),
    _rule(
        "class-member-removed",
        _B,
        _GONE,
        "A method, property or attribute of a class is gone.",
        why="Reaching it raises AttributeError.",
        cure="Drop the use, or find what replaced it.",
        pair="class C:\n    def m(self): ...\n    n = 1\n=>\nclass C:\n    n = 1",
    ),
    _rule(
        "enum-member-removed",
        _B,
        _GONE,
        "A member of an enum is gone.",
        why="Naming it raises AttributeError.",
        cure="Use another member.",
        pair="class E(Enum):\n    X = 1\n    Y = 2\n=>\nclass E(Enum):\n    X = 1",
    ),
    _rule(
        "constant-removed",
        _B,
        _GONE,
        "A constant is gone.",
        why="Importing it fails.",
        cure="Write its value, or drop the use.",
        pair="LIMIT = 128\n=>\n",
    ),
    _rule(
        "base-removed",
        _B,
        _REFUSED,
        "A class no longer derives from another.",
        why="isinstance and except no longer match, and what takes the base refuses it.",
        cure="Test for the class itself.",
        pair="class A: ...\nclass C(A): ...\n=>\nclass A: ...\nclass C: ...",
    ),
    _rule(
        "kind-changed",
        _B,
        _REFUSED,
        "A name stands for another kind of thing.",
        why="What was called is now read, or the other way round.",
        cure="Use it as what it is now.",
        pair="def f(): ...\n=>\nf = 3",
    ),
    _rule(
        "callable-kind-changed",
        _R,
        _OTHERWISE,
        "A function became a class, or a class one.",
        why="Calls look the same; isinstance, subclassing, except and pickling do not.",
        cure="Look at every use that is not a call.",
        pair="def F(a): ...\n=>\nclass F:\n    def __init__(self, a): ...",
    ),
)

_PARAMETERS = (
    _rule(
        "parameter-removed",
        _B,
        _REFUSED,
        "A parameter is gone.",
        why="A call that names it raises; a call by position passes one argument too many, or "
        "shifts the later ones.",
        cure="Drop the argument.",
        pair="def f(a, fast=False): ...\n=>\ndef f(a): ...",
    ),
    _rule(
        "parameter-renamed",
        _B,
        _REFUSED,
        "A parameter has another name at the same place.",
        why="A call that names it raises.",
        cure="Use the new name, or pass it by position.",
        pair="def f(a, m_indices): ...\n=>\ndef f(a, grouped_layout): ...",
    ),
    _rule(
        "parameter-inserted",
        _B,
        _SILENT,
        "A parameter stands before others that were there.",
        why="Calls by position bind the later arguments to the wrong parameters, without an error "
        "where the types allow it.",
        cure="Pass the arguments after it by name.",
        pair="def f(a, fast=False): ...\n=>\ndef f(a, count=0, fast=False): ...",
    ),
    _rule(
        "parameter-reordered",
        _B,
        _SILENT,
        "Parameters changed their order.",
        why="Calls by position bind to the wrong parameters, without an error where the types "
        "allow it.",
        cure="Pass the arguments by name.",
        pair="def f(a, b=1, c=2): ...\n=>\ndef f(a, c=2, b=1): ...",
    ),
    _rule(
        "parameter-added-required",
        _B,
        _REFUSED,
        "A new parameter must be given.",
        why="Every call that is written today raises.",
        cure="Pass it.",
        pair="def f(a): ...\n=>\ndef f(a, b): ...",
    ),
    _rule(
        "parameter-required",
        _B,
        _REFUSED,
        "A parameter lost its default.",
        why="A call that leaves it out raises.",
        cure="Pass it.",
        pair="def f(a, b=1): ...\n=>\ndef f(a, b): ...",
    ),
    _rule(
        "parameter-keyword-only",
        _B,
        _REFUSED,
        "A parameter no longer takes a place.",
        why="A call that passes it by position raises.",
        cure="Pass it by name.",
        pair="def f(a, b=1): ...\n=>\ndef f(a, *, b=1): ...",
    ),
    _rule(
        "parameter-positional-only",
        _B,
        _REFUSED,
        "A parameter no longer takes a name.",
        why="A call that names it raises.",
        cure="Pass it by position.",
        pair="def f(a, b=1): ...\n=>\ndef f(a, b=1, /): ...",
    ),
    _rule(
        "names-lost",
        _B,
        _REFUSED,
        "The binding no longer names its parameters.",
        why="Calls that name an argument raise; calls by position are as before.",
        cure="Pass the arguments by position.",
        pair='m.def("f", &f, py::arg("a"));\n=>\nm.def("f", &f);',
    ),
    _rule(
        "arity-changed",
        _B,
        _REFUSED,
        "A function without parameter names takes another number.",
        why="Every call has too many or too few arguments.",
        cure="Read the new source: the places have no names to go by.",
        pair='m.def("init", [](str root, str cuda) {});\n=>\nm.def("init", [](str root) {});',
    ),
    _rule(
        "parameter-swallowed",
        _B,
        _SILENT,
        "A parameter is gone and **kwargs takes its name.",
        why="A call that names it goes through, and the value may be ignored.",
        cure="Read what the function does with its keywords.",
        pair="def f(a, fast=False, **kw): ...\n=>\ndef f(a, **kw): ...",
    ),
    _rule(
        "variadic-positional-removed",
        _B,
        _REFUSED,
        "`*args` is gone.",
        why="Calls with more arguments than there are parameters raise.",
        cure="Drop the arguments, or name them.",
        pair="def f(a, *args): ...\n=>\ndef f(a): ...",
    ),
    _rule(
        "variadic-keyword-removed",
        _B,
        _REFUSED,
        "`**kwargs` is gone.",
        why="Calls with keywords beyond the named parameters raise.",
        cure="Drop the keywords that are not named.",
        pair="def f(a, **kw): ...\n=>\ndef f(a): ...",
    ),
    _rule(
        "overload-removed",
        _B,
        _REFUSED,
        "One of several signatures is gone.",
        why="Calls that only it took raise.",
        cure="Rewrite those calls for a signature that is left.",
        pair='m.def("f", [](int) {}, py::arg("a"));\nm.def("f", [](str) {}, py::arg("b"));\n'
        '=>\nm.def("f", [](int) {}, py::arg("a"));',
    ),
    _rule(
        "type-narrowed",
        _B,
        _REFUSED,
        "A compiled parameter accepts fewer types.",
        why="The binding refuses what it took before.",
        cure="Pass what is still accepted.",
        pair='m.def("f", [](std::optional<int>, int) {}, py::arg("a"), py::arg("b"));\n'
        '=>\nm.def("f", [](int, int) {}, py::arg("a"), py::arg("b"));',
    ),
    _rule(
        "calling-changed",
        _B,
        _REFUSED,
        "A call is used differently.",
        why="What must be awaited, iterated, launched with a grid or bound is not what it was.",
        cure="Call it the way its new kind wants.",
        pair="async def f(): ...\n=>\ndef f(): ...",
    ),
    _rule(
        "property-read-only",
        _B,
        _REFUSED,
        "A property can no longer be set.",
        why="Assigning to it raises AttributeError.",
        cure="Set it where it is made.",
        pair="class C:\n    p = property(get, set)\n=>\nclass C:\n    p = property(get)",
    ),
)

_QUIET = (
    _rule(
        "default-changed",
        _R,
        _OTHERWISE,
        "A default has another value.",
        why="Calls that leave it out behave differently, without an error.",
        cure="Pass the old value where it matters.",
        pair="def f(a, b='identity'): ...\n=>\ndef f(a, b='softplus'): ...",
    ),
    _rule(
        "annotation-changed",
        _R,
        _OTHERWISE,
        "A parameter is annotated with another type.",
        why="Python does not enforce it; the body may expect it.",
        cure="Read what the function does with the argument.",
        pair="def f(a: int): ...\n=>\ndef f(a: str): ...",
    ),
    _rule(
        "return-changed",
        _R,
        _OTHERWISE,
        "The result has another type.",
        why="What is done with the result may fail later.",
        cure="Look at what is done with the result.",
        pair="def f() -> int: ...\n=>\ndef f() -> tuple: ...",
    ),
    _rule(
        "constant-changed",
        _R,
        _OTHERWISE,
        "A constant or class attribute has another value.",
        why="What is computed from it changes, without an error.",
        cure="Look at what depends on it.",
        pair="LIMIT = 128\n=>\nLIMIT = 256",
    ),
    _rule(
        "enum-value-changed",
        _R,
        _OTHERWISE,
        "A member of an enum has another value.",
        why="Stored or compared numbers mean something else.",
        cure="Compare members, not their numbers.",
        pair="class E(Enum):\n    X = 1\n=>\nclass E(Enum):\n    X = 2",
    ),
    _rule(
        "binding-changed",
        _R,
        _OTHERWISE,
        "Something else matches the arguments of a call.",
        why="A bad call of a torch op raises RuntimeError where Python and pybind11 raise "
        "TypeError: handlers for one do not catch the other.",
        cure="Catch both.",
        pair='m.def("f", &f, py::arg("a"));\n=>\n'
        'TORCH_LIBRARY(ns, m) { m.def("f(Tensor a) -> ()"); }',
    ),
    _rule(
        "parameter-added",
        _C,
        _NONE,
        "An optional parameter was added behind the others.",
        why="Every call that is written today means what it meant.",
        cure="Nothing to do.",
        pair="def f(a): ...\n=>\ndef f(a, b=None): ...",
    ),
    _rule(
        "parameter-optional",
        _C,
        _NONE,
        "A parameter got a default.",
        why="Calls that pass it mean what they meant.",
        cure="Nothing to do.",
        pair="def f(a, b): ...\n=>\ndef f(a, b=1): ...",
    ),
    _rule(
        "names-gained",
        _C,
        _NONE,
        "Parameters can be named that could not be.",
        why="Calls by position mean what they meant.",
        cure="Nothing to do.",
        pair='m.def("f", &f);\n=>\nm.def("f", &f, py::arg("a"));',
    ),
    _rule(
        "parameter-kind-widened",
        _C,
        _NONE,
        "A parameter takes a place or a name besides.",
        why="Calls that are written today mean what they meant.",
        cure="Nothing to do.",
        pair="def f(a, *, b=1): ...\n=>\ndef f(a, b=1): ...",
    ),
    _rule(
        "variadic-added",
        _C,
        _NONE,
        "`*args` or `**kwargs` was added.",
        why="Calls that are written today mean what they meant; a misspelt keyword passes now.",
        cure="Nothing to do.",
        pair="def f(a): ...\n=>\ndef f(a, **kw): ...",
    ),
    _rule(
        "type-widened",
        _C,
        _NONE,
        "A parameter accepts more types.",
        why="What was accepted still is.",
        cure="Nothing to do.",
        pair="def f(a: int): ...\n=>\ndef f(a: int | None): ...",
    ),
    _rule(
        "overload-added",
        _C,
        _NONE,
        "One more signature is accepted.",
        why="What was accepted still is.",
        cure="Nothing to do.",
        pair='m.def("f", [](int) {});\n=>\nm.def("f", [](int) {});\nm.def("f", [](str) {});',
    ),
    _rule(
        "base-added",
        _C,
        _NONE,
        "A class derives from one more.",
        why="isinstance answers yes where it said no.",
        cure="Nothing to do.",
        pair="class A: ...\nclass C: ...\n=>\nclass A: ...\nclass C(A): ...",
    ),
    _rule(
        "property-settable",
        _C,
        _NONE,
        "A property can be set.",
        why="What read it still does.",
        cure="Nothing to do.",
        pair="class C:\n    p = property(get)\n=>\nclass C:\n    p = property(get, set)",
    ),
    _rule(
        "symbol-added",
        _A,
        _NONE,
        "A name is new.",
        why="It can be used once no older build has to be supported.",
        cure="Nothing to do.",
        pair="def f(): ...\n=>\ndef f(): ...\ndef g(): ...",
    ),
)

RULES: tuple[Rule, ...] = (*_NAMES, *_PARAMETERS, *_QUIET)
BY_ID = {rule.id: rule for rule in RULES}
