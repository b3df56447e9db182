"""Keywords of a build's functions, read where it is loaded.

pybind11's functions have no signature that `inspect` could read; their docstring's first line is
the truth, `_C.pyi` is not.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

_CALL = re.compile(r"\((?P<arguments>.*)\)\s*->")
_NAME = re.compile(r"(?:^|, )\*{0,2}(?P<name>[A-Za-z_]\w*)\s*[:=,]")


def keywords(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters, in order; empty when nothing tells them."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        pass
    first = (function.__doc__ or "").split("\n", 1)[0]
    found = _CALL.search(first)
    if found is None:
        return ()
    return tuple(m["name"] for m in _NAME.finditer(found["arguments"]))


def has(function: Callable[..., Any], keyword: str) -> bool:
    """Whether the function takes this keyword."""
    return keyword in keywords(function)
