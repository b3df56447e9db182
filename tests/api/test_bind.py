"""Would a call bind? The rules of pybind11, of a torch schema and of Python, side by side."""

import inspect
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.api import bind
from dgpin.api.bind import Bound, Refused, Untold
from dgpin.api.surface import Binding, Kind, Symbol
from dgpin.api.uses import Argument, Arguments, Keyword
from tests.api import surfaces

EVERY = list(Binding)


def arguments(*places: str, **names: str) -> Arguments:
    """Return arguments whose values are of these literal types, "" for an unknown one."""
    return passed(places, names)


def passed(places: Sequence[str], names: Mapping[str, str], *maybe: str) -> Arguments:
    """Return arguments by place and by name; `maybe` are names that only some runs pass."""
    return Arguments(
        positional=tuple(Argument(text=kind or "x", type=kind) for kind in places),
        keywords=(
            *(Keyword(name=n, argument=Argument(text=k or "x", type=k)) for n, k in names.items()),
            *(Keyword(name=n, argument=Argument(text="x"), certain=False) for n in maybe),
        ),
    )


def f(*parameters: str, binding: Binding = Binding.PYBIND11) -> Symbol:
    """Return a function of the API."""
    return surfaces.function("f", *parameters, binding=binding)


FITS = {
    "as many as there are": (("a", "b"), arguments("", "")),
    "a default is left out": (("a", "b=1"), arguments("")),
    "by name": (("a", "b"), arguments(b="", a="")),
    "any keyword": (("a", "**kw"), arguments("", other="")),
    "keyword only": (("a", "*", "b"), arguments("", b="")),
    "perhaps the missing one": (("a", "b"), passed([""], {}, "b")),
}


@pytest.mark.parametrize("binding", EVERY)
@pytest.mark.parametrize(("parameters", "call"), FITS.values(), ids=FITS)
def test_fits(binding: Binding, parameters: tuple[str, ...], call: Arguments) -> None:
    """A call that fits binds, whoever matches it."""
    assert isinstance(bind.call(f(*parameters, binding=binding), call), Bound)


REFUSED = {
    "one too many": (("a",), arguments("", ""), "it takes 1 argument by place, 2 are given"),
    "one is missing": (("a", "b"), arguments(""), "`b` must be given"),
    "unknown name": (("a",), arguments("", other=""), "there is no `other`"),
    "given twice": (("a",), arguments("", a=""), "`a` is given by place and by name"),
    "keyword only by place": (
        ("a", "*", "b=1"),
        arguments("", ""),
        "it takes 1 argument by place, 2 are given",
    ),
    "two reasons": (("a", "b"), arguments("", c=""), "there is no `c`; `b` must be given"),
    "many reasons": (
        ("a", "b"),
        arguments(c="", d="", e=""),
        "there is no `c`, `d` or `e`; `a` and `b` must be given",
    ),
}


@pytest.mark.parametrize("binding", EVERY)
@pytest.mark.parametrize(("parameters", "call", "why"), REFUSED.values(), ids=REFUSED)
def test_refused(binding: Binding, parameters: tuple[str, ...], call: Arguments, why: str) -> None:
    """A call that does not fit is refused with every reason, by the binding's own exception."""
    answer = bind.call(f(*parameters, binding=binding), call)

    assert isinstance(answer, Refused)
    assert (bind.RAISED[binding], why) == (answer.exception, answer.why)


def test_sometimes() -> None:
    """A keyword that only some runs pass is refused in those."""
    answer = bind.call(f("a"), passed([""], {}, "b"))

    assert isinstance(answer, Refused)
    assert answer.sometimes


# As the casters of pybind11 and torch do it: wanted type, literal, taken by pybind11, by torch.
CONVERSIONS = [
    ("int", "int", True, True),
    ("int", "bool", True, True),
    ("int", "float", False, False),
    ("int", "str", False, False),
    ("int", "None", False, False),
    ("float", "int", True, True),
    ("float", "float", True, True),
    ("bool", "int", True, True),
    ("bool", "None", True, True),
    ("bool", "float", False, False),
    ("str", "str", True, True),
    ("str", "int", False, False),
    ("torch.Tensor", "None", False, True),
    ("torch.Tensor", "int", False, False),
    ("torch.Tensor | None", "None", True, True),
    ("Tensor?", "None", True, True),
    ("tuple[int, int] | None", "None", True, True),
    ("tuple[int, int]", "int", False, False),
    ("torch.dtype", "int", True, True),  # cannot be told, so it is not refused
    ("", "str", True, True),
]


@pytest.mark.parametrize(("wanted", "literal", "by_pybind11", "by_torch"), CONVERSIONS)
def test_conversions(wanted: str, literal: str, *, by_pybind11: bool, by_torch: bool) -> None:
    """A literal is refused only where the binding is known to refuse it."""
    expected = {Binding.PYTHON: True, Binding.PYBIND11: by_pybind11, Binding.TORCH: by_torch}

    actual = {
        binding: isinstance(
            bind.call(f(f"a: {wanted}", binding=binding), arguments(literal)), Bound
        )
        for binding in Binding
    }

    assert expected == actual


def test_overloads() -> None:
    """The first overload that takes the call decides."""
    one, other = surfaces.signature("a: int"), surfaces.signature("a: str", "b")
    symbol = Symbol(
        path="deep_gemm.f",
        kind=Kind.FUNCTION,
        binding=Binding.PYBIND11,
        identity="f",
        signatures=(one, other),
    )

    answer = bind.call(symbol, arguments("str", ""))

    assert isinstance(answer, Bound)
    assert other == answer.signature


def test_a_constant_cannot_be_called() -> None:
    """Calling what is no function raises TypeError."""
    answer = bind.call(surfaces.other("LIMIT", Kind.CONSTANT), arguments())

    assert isinstance(answer, Refused)


def test_without_a_signature_nothing_is_told() -> None:
    """A function whose signature could not be read gets no answer."""
    symbol = Symbol(path="deep_gemm.f", kind=Kind.FUNCTION, binding=Binding.PYBIND11, identity="f")

    assert isinstance(bind.call(symbol, arguments("")), Untold)


NAMES = st.lists(st.sampled_from("abcde"), unique=True, max_size=5)


@given(NAMES, st.integers(0, 5), st.integers(0, 6), NAMES)
def test_python_agrees(names: list[str], optional: int, places: int, by_name: list[str]) -> None:
    """A Python function takes exactly the calls that `inspect.Signature.bind` takes."""
    first_optional = max(len(names) - optional, 0)
    parameters = [n if i < first_optional else f"{n}=None" for i, n in enumerate(names)]
    symbol = f(*parameters, binding=Binding.PYTHON)
    native = inspect.Signature(
        [
            inspect.Parameter(
                n,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if i < first_optional else None,
            )
            for i, n in enumerate(names)
        ]
    )

    answer = bind.call(symbol, passed([""] * places, dict.fromkeys(by_name, "")))

    try:
        native.bind(*[0] * places, **dict.fromkeys(by_name, 0))
    except TypeError:
        assert isinstance(answer, Refused)
    else:
        assert isinstance(answer, Bound)
