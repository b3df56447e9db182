"""What pybind11 writes into docstrings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.api import docstring
from dgpin.api.signature import Parameter, ParameterKind, Signature

NAMED = ParameterKind.POSITIONAL_OR_KEYWORD


def only(doc: str, *, method: bool = False) -> Signature:
    """Return the one signature of a docstring."""
    (signature,) = docstring.parse(doc, method=method)
    return signature


def test_plain() -> None:
    """Names, types, defaults and the result are told as they are written."""
    parsed = only("gemm(a: torch.Tensor, k: int = 3, c: str = 'nk') -> None\n\nMultiplies.\n")

    assert "(a: torch.Tensor, k: int = 3, c: str = 'nk') -> None" == str(parsed)


def test_default_none_is_a_default() -> None:
    """The default None is not the same as no default."""
    parsed = only("f(a: object, b: object = None) -> None")

    assert [None, "None"] == [p.default for p in parsed.parameters]
    assert [True, False] == [p.is_required for p in parsed.parameters]


def test_address_is_not_a_change() -> None:
    """A default that prints its address equals itself."""
    a, b = (only(f"h(x: m.F = <m.F object at {i}>) -> int") for i in ("0x1", "0x2"))

    assert a == b


@pytest.mark.parametrize(
    "default",
    [
        "'a, b) -> c'",
        "'it\\'s = x'",
        '"quoted, (twice)"',
        "(1, 1, 128)",
        "[1, 2]",
        "{'a': (1, 2)}",
        "<Mode.one: 0>",
        "<m.F object, with a comma>",
        "torch.float32",
        "-1.5e-06",
    ],
)
def test_defaults(default: str) -> None:
    """Whatever a default prints, it is one parameter's."""
    parsed = only(f"f(a: int, b: object = {default}, c: int = 1) -> None")

    assert [None, default, "1"] == [p.default for p in parsed.parameters]


def test_types() -> None:
    """Types hold brackets, commas, arrows and bars."""
    kind = "collections.abc.Callable[[int, str], None] | tuple[int, ...] | None"
    parsed = only(f"f(a: {kind}, b: int) -> tuple[int, int]")

    assert [kind, "int"] == [p.type for p in parsed.parameters]
    assert "tuple[int, int]" == parsed.returns


def test_unnamed() -> None:
    """Parameters without py::arg have a place and no name."""
    parsed = only("f(arg0: int, arg1: str) -> None")

    assert {ParameterKind.POSITIONAL_ONLY} == {p.kind for p in parsed.parameters}


def test_named_like_unnamed() -> None:
    """A parameter that is really called arg5 can be named."""
    parsed = only("f(a: int, arg5: str) -> None")

    assert {NAMED} == {p.kind for p in parsed.parameters}


def test_markers() -> None:
    """`/`, `*`, `*args` and `**kwargs` are what they are in Python."""
    parsed = only("f(a: int, /, b: int, *args, c: int = 1, **kwargs) -> None")

    assert [
        ParameterKind.POSITIONAL_ONLY,
        NAMED,
        ParameterKind.VAR_POSITIONAL,
        ParameterKind.KEYWORD_ONLY,
        ParameterKind.VAR_KEYWORD,
    ] == [p.kind for p in parsed.parameters]
    star = only("f(a: int, *, b: int) -> None")
    assert ParameterKind.KEYWORD_ONLY is star.parameters[1].kind


def test_method() -> None:
    """A method's object is not one of its parameters, and numbers start after it."""
    parsed = only("m(self: deep_gemm._C.C, arg0: int) -> int", method=True)

    assert "(arg0: int, /) -> int" == str(parsed)


def test_overloads() -> None:
    """All overloads are read, in order; lists in their own text are not overloads."""
    doc = (
        "f(*args, **kwargs)\nOverloaded function.\n\n1. f(a: int) -> int\n\nDoes:\n"
        "1. this\n2. that\n\n2. f(b: str = '1. f(x: int) -> y') -> str\n"
    )

    assert ["(a: int) -> int", "(b: str = '1. f(x: int) -> y') -> str"] == list(
        map(str, docstring.parse(doc))
    )


@pytest.mark.parametrize("doc", ["", "Just text.", "f", "f(a: int", "See f(x)"])
def test_no_signature(doc: str) -> None:
    """What is no signature gives none, and no guess."""
    assert () == docstring.parse(doc)


def test_property() -> None:
    """The getter of a property tells its type."""
    assert "int" == docstring.returned("(self: m.C) -> int")
    assert "" == docstring.returned("The width.")


NAMES = st.sampled_from(["a", "b", "d", "recipe", "m_indices", "compiled_dims", "arg7"])
TYPES = st.sampled_from(
    ["", "int", "tuple[int, int]", "Callable[[int], str]", "torch.Tensor | None"]
)
DEFAULTS = st.sampled_from([None, "None", "'nk'", "(1, 1, 128)", "torch.float32", "{'a': 1}"])


@st.composite
def signatures(draw: st.DrawFn) -> Signature:
    """Draw a signature that Python could have."""
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    cut = draw(st.integers(0, len(names)))
    kinds = [NAMED] * cut + [ParameterKind.KEYWORD_ONLY] * (len(names) - cut)
    return Signature(
        parameters=tuple(
            Parameter(name=name, kind=kind, type=draw(TYPES), default=draw(DEFAULTS))
            for name, kind in zip(names, kinds, strict=True)
        ),
        returns=draw(st.sampled_from(["", "None", "tuple[int, int]"])),
    )


@given(signatures())
def test_round_trip(signature: Signature) -> None:
    """Printing a signature and reading it gives the signature."""
    assert signature == only(f"f{signature}")
