"""Keywords of a build's functions, read where it is loaded.

pybind11's functions have no signature that `inspect` could read; their docstring is the truth,
`_C.pyi` is not.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

# A line of pybind11's docstring, one for each overload: `2. name(a: int, b: int = 1) -> None`.
_CALL = re.compile(r"^(?:\d+\. )?\w+\((?P<parameters>.*)\) ->", re.MULTILINE)
# What may hold commas of its own: a text, or the inmost of some brackets.
_INNER = re.compile(r"'[^']*'|\[[^\[\]]*\]|\([^()]*\)")


def keywords(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Return the names that a function takes, in order; None when nothing tells them.

    One that takes any further keyword has a name that starts with `**`.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        lines = [match["parameters"] for match in _CALL.finditer(function.__doc__ or "")]
        names = (name for line in lines for name in _names(line))
        return tuple(dict.fromkeys(names)) if lines else None
    wild = inspect.Parameter.VAR_KEYWORD
    return tuple(f"**{p.name}" if p.kind is wild else p.name for p in parameters)


def has(function: Callable[..., Any], keyword: str) -> bool:
    """Whether the function is known to take this keyword by its name."""
    return keyword in (keywords(function) or ())


def lacks(function: Callable[..., Any], keyword: str) -> bool:
    """Whether the function is known not to take this keyword."""
    known = keywords(function)
    if known is None or any(name.startswith("**") for name in known):
        return False
    return keyword not in known


def _names(parameters: str) -> Iterator[str]:
    while (flat := _INNER.sub("", parameters)) != parameters:
        parameters = flat
    for part in parameters.split(","):
        name = re.match(r"\s*((?:\*\*)?[A-Za-z_]\w*)", part)
        if name is not None:
            yield name[1]
