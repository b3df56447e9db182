"""Laws that hold for any two signatures."""

import pytest
from hypothesis import given

from dgpin.api import docstring, parameters
from dgpin.api.change import Level
from dgpin.api.parameters import Comparable
from dgpin.api.rules import BY_ID
from dgpin.api.signature import Parameter, ParameterKind, Signature
from tests.api.test_docstring import signatures


def rules(a: Signature, b: Signature, *, types: bool = True, enforced: bool = False) -> list[str]:
    """Return the rules that a move trips."""
    how = Comparable(types=types, enforced=enforced)
    return [d.rule for d in parameters.compare(a, b, how)]


@given(signatures())
def test_itself(signature: Signature) -> None:
    """A signature does not differ from itself."""
    assert [] == rules(signature, signature)


@given(signatures(), signatures())
def test_all_rules_exist(a: Signature, b: Signature) -> None:
    """Whatever differs has a rule, and what differs in names or order is never silent."""
    tripped = rules(a, b)

    assert set(tripped) <= BY_ID.keys()
    names = [[(p.name, p.kind) for p in s.parameters] for s in (a, b)]
    assert names[0] == names[1] or tripped


@given(signatures(), signatures())
def test_quiet_means_binding(a: Signature, b: Signature) -> None:
    """If nothing breaks, every parameter that A takes by name, B takes by name."""
    levels = {BY_ID[rule].level for rule in rules(a, b)}

    assert Level.BREAKING in levels or set(a.named) <= set(b.named)
    assert Level.BREAKING in levels or len(a.positional) <= len(b.positional)
    assert Level.BREAKING in levels or {p.name for p in b.required} <= {p.name for p in a.required}


def sig(*names: str) -> Signature:
    """Return a signature of names; `x=1` has a default, `x:int` a type."""
    found = []
    for word in names:
        left, _, default = word.partition("=")
        name, _, kind = left.partition(":")
        found.append(Parameter(name=name, default=default or None, type=kind))
    return Signature(parameters=tuple(found))


def test_likeness_is_no_rename() -> None:
    """A parameter is renamed by its place: `situ_beta` is not `activation_beta`."""
    old = sig("a", "situ_beta=None", "situ_linear=None")
    new = sig("a", "activation_alpha=None", "activation_beta=None")
    renamed = {
        d.parameter: d.successor.name
        for d in parameters.compare(old, new, Comparable())
        if d.successor is not None
    }

    assert {"situ_beta": "activation_alpha", "situ_linear": "activation_beta"} == renamed


def test_blocks_of_other_length() -> None:
    """Where blocks have another length, nothing is said to be renamed."""
    assert ["parameter-removed", "parameter-removed", "parameter-added"] == rules(
        sig("a", "x=1", "y=1"), sig("a", "z=1")
    )


def pybind(text: str) -> Signature:
    """Return the signature of a compiled function."""
    return docstring.parse(f"f({text}) -> None")[0]


ENFORCED = Comparable(enforced=True)


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        ("a, f: bool = False", "a, n: int = 0, f: bool = False", True),
        ("a, f: str = 'x'", "a, n: int = 0, f: str = 'x'", False),
        ("a, x: int", "a, n: int = 0, x: int", False),  # then x is missing
        ("a, x: int, y: int", "a, y: int", False),  # then there is one too many
        ("a, x: int = 0, y: int = 0", "a, y: int = 0", True),
        ("a, x: int = 0, *, y: int", "a, y: int = 0", False),  # then y is given twice
        ("a: int, b: int, c: str", "c: str, a: int, b: int", False),  # a is no str
        ("a: int, b: str, c: int", "c: int, b: str, a: int", True),
        ("a: str = '', b: int = 0", "b: int = 0, a: str = ''", False),
    ],
)
def test_silence(before: str, after: str, silent: bool) -> None:
    """A move is silent when a call by position goes through, as a whole, and means another."""
    found = list(parameters.compare(pybind(before), pybind(after), ENFORCED))

    assert silent == any(d.silent for d in found)
    assert {"parameter-inserted", "parameter-removed", "parameter-reordered"} & {
        d.rule for d in found
    }


def test_annotations_refuse_nothing() -> None:
    """Python binds whatever is passed: an annotation does not make a shift loud."""
    (found,) = parameters.compare(
        sig("a", "f:str=''"), sig("a", "n:int=0", "f:str=''"), Comparable()
    )

    assert found.silent


def test_what_variadic_arguments_took() -> None:
    """A parameter in front of `*args` takes what they took; it is not merely appended."""
    rest = Parameter(name="args", kind=ParameterKind.VAR_POSITIONAL)
    old, new = (Signature(parameters=(*s.parameters, rest)) for s in (sig("a"), sig("a", "b=1")))
    (found,) = parameters.compare(old, new, Comparable())

    assert ("parameter-inserted", True) == (found.rule, found.silent)


def test_names_that_are_called_like_places() -> None:
    """Python's own `arg0` has a name; what has none cannot lose it."""
    assert ["parameter-renamed"] == rules(sig("arg0"), sig("x"))
    assert [] == rules(pybind("x: int, /"), pybind("arg0: int"))
    assert ["default-changed"] == rules(pybind("x: int = 1, /"), pybind("y: int = 2, /"))


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("tuple[int, int]", "tuple[float, float]", "type-widened"),
        ("tuple[int, int]", "Sequence[int]", "type-widened"),
        ("tuple[int, int]", "tuple[int, int, int]", "type-narrowed"),
        ("tuple[str, int]", "Sequence[int]", "type-narrowed"),
        ("Sequence[int]", "tuple[int, int]", "type-narrowed"),
        ("Sequence[int]", "tuple[int, ...]", "type-widened"),
        ("Sequence[int]", "Sequence[bool]", "annotation-changed"),
        ("list[int]", "list", "type-widened"),
        ("list", "list[int]", "type-narrowed"),
        ("bool | None", "bool", "annotation-changed"),  # None passes, and means False
        ("float", "bool", "annotation-changed"),
        ("float", "int", "type-narrowed"),
        ("str", "bool", "type-narrowed"),
        ("deep_gemm._C.Sub", "deep_gemm._C.Base", "type-widened"),
        ("deep_gemm._C.Base", "deep_gemm._C.Sub", "type-narrowed"),
    ],
)
def test_types(before: str, after: str, rule: str) -> None:
    """A compiled parameter accepts fewer types only where a value is refused that was taken."""
    bases = {"deep_gemm._C.Sub": frozenset({"deep_gemm._C.Base"})}
    how = Comparable(enforced=True, bases=bases)
    (found,) = parameters.compare(sig(f"a:{before}"), sig(f"a:{after}"), how)

    assert rule == found.rule


def test_types_are_not_compared_across_toolchains() -> None:
    """What two toolchains spell apart is no change."""
    assert [] == rules(sig("a:int"), sig("a:SupportsInt"), types=False)
    assert ["annotation-changed"] == rules(sig("a:int"), sig("a:str"))
    assert ["type-narrowed"] == rules(sig("a:int"), sig("a:str"), enforced=True)


def test_variadic_arguments_take_what_has_no_name() -> None:
    """What was passed by place alone goes through to `*args`."""
    assert ["variadic-added"] == [
        d.rule for d in parameters.compare(pybind("a, b, /"), pybind("a, /, *args"), Comparable())
    ]


def test_what_takes_a_place_may_be_required() -> None:
    """A call that left the old parameter out lacks the new one: that is a break of its own."""
    assert ["parameter-removed", "parameter-added-required"] == rules(
        sig("a", "b=1"), sig("a", "c")
    )


def test_variadic_arguments_take_what_is_by_keyword_only() -> None:
    """A parameter behind `*args` no longer takes its place, and nothing refuses the argument."""
    old, new = pybind("a, b=1"), pybind("a, *args, b=1")
    silent = {d.rule: d.silent for d in parameters.compare(old, new, Comparable())}

    assert silent["parameter-keyword-only"]
