"""Schemas of torch ops."""

import pytest

from dgpin.api import schema, spelling
from dgpin.api.signature import ParameterKind


def test_schema() -> None:
    """Namespace, name, overload, arguments and result are taken apart."""
    parsed = schema.parse(
        'dg::f.one(Any a, Tensor(d!) d, int[3]? r=None, str c="n, k", *, bool x=False)'
        " -> (Tensor, int)"
    )

    assert parsed is not None
    assert ("dg", "f", "one") == (parsed.namespace, parsed.name, parsed.overload)
    assert ["a", "d", "r", "c", "x"] == [p.name for p in parsed.signature.parameters]
    assert [None, None, "None", '"n, k"', "False"] == [
        p.default for p in parsed.signature.parameters
    ]
    assert ParameterKind.KEYWORD_ONLY is parsed.signature.parameters[-1].kind
    assert "(Tensor, int)" == parsed.signature.returns


@pytest.mark.parametrize(
    "text", ["", "f", "f(int a)", "f(a) -> ()", "f(int a -> ()", "1(int a) -> ()"]
)
def test_no_schema(text: str) -> None:
    """What is no schema is not read as one."""
    assert schema.parse(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Optional[Tensor]", "torch.Tensor | None"),
        ("typing.Optional[torch.Tensor]", "Tensor?"),
        ("typing.SupportsInt | typing.SupportsIndex", "int"),
        ("tuple[typing.SupportsInt | typing.SupportsIndex, int]", "Tuple[int, int]"),
        ("Union[int, str]", "str | int"),
        ("Optional[Union[int, str]]", "int | str | None"),
        ("collections.abc.Sequence[int]", "typing.Sequence[int]"),
        ("'int | None'", "Optional[int]"),
        ("Tensor(a!)", "Tensor"),
        ("Annotated[int, 'x']", "int"),
    ],
)
def test_one_spelling(one: str, other: str) -> None:
    """Types that accept the same are spelled the same."""
    assert spelling.type_of(one) == spelling.type_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("int", "float"), ("int", "int | None"), ("tuple[int, int]", "tuple[int, int, int]")],
)
def test_two_types(one: str, other: str) -> None:
    """Types that accept other things stay apart."""
    assert spelling.type_of(one) != spelling.type_of(other)


def test_defaults() -> None:
    """Quotes and trailing zeros are spelling; None and 'None' are values."""
    assert spelling.default_of('"nk"') == spelling.default_of("'nk'")
    assert spelling.default_of("1.0") == spelling.default_of("1.")
    assert spelling.default_of("None") != spelling.default_of("'None'")
    assert spelling.default_of("1") != spelling.default_of("1.0")
