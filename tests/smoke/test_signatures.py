"""Parameters of functions, as Python or a docstring of pybind11's tells them."""

from collections.abc import Callable
from typing import Any

import pytest

from dgpin.smoke import signatures


class Bound:
    """A function as pybind11 binds it: its docstring tells its parameters, nothing else does."""

    __signature__ = "none"

    def __init__(self, told: str | None) -> None:
        self.__doc__ = told

    def __call__(self) -> None:
        pass


def f(a: int, *, b: int = 1) -> None:
    """Take two."""


def wild(a: int, **more: int) -> None:
    """Take anything."""


OVERLOADED = """f(*args, **kwargs)
Overloaded function.

1. f(a: int) -> None

2. f(a: int, b: float = 1.0) -> None
"""


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (f, ("a", "b")),
        (wild, ("a", "**more")),
        (Bound("f(a: torch.Tensor, b: tuple[int, int], c: str = 'x, y') -> None"), ("a", "b", "c")),
        (Bound("f(a: Optional[tuple[int, int]] = None, b: int = 2) -> None\n\nOK"), ("a", "b")),
        (Bound("f(a: tuple = (1, 2), **kwargs) -> None"), ("a", "**kwargs")),
        (Bound(OVERLOADED), ("a", "b")),
        (Bound("f() -> int"), ()),
        (Bound("Multiply two matrices."), None),
        (Bound(None), None),
    ],
)  # fmt: skip
def test_keywords(function: Callable[..., Any], names: tuple[str, ...] | None) -> None:
    """The names of the parameters are read, and nothing that stands in a type or a default."""
    assert names == signatures.keywords(function)


@pytest.mark.parametrize(
    ("function", "has", "lacks"),
    [(f, False, True), (wild, False, False), (Bound(None), False, False)],
)
def test_unknown(function: Callable[..., Any], has: bool, lacks: bool) -> None:
    """Only a function whose parameters are told, all of them, lacks a keyword."""
    assert has == signatures.has(function, "c")
    assert lacks == signatures.lacks(function, "c")
