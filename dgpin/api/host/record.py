"""Frozen values to JSON and back, by their annotations: for the cache of scans."""

import dataclasses
import types
import typing
from enum import Enum
from functools import cache
from typing import Any, Union


def to_json(value: object) -> Any:  # noqa: ANN401 - what JSON has
    """Return a value as lists and scalars; a dataclass is the list of its fields."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [to_json(getattr(value, name)) for name, _ in _fields(type(value))]
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    return value


def from_json(kind: Any, value: Any) -> Any:  # noqa: ANN401 - the border: what JSON gave
    """Return the value of a type that `to_json` wrote.

    Raises:
        TypeError, ValueError: it is of another shape.
    """
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        pairs = zip(_fields(kind), value, strict=True)
        return kind(**{name: from_json(inner, item) for (name, inner), item in pairs})
    if isinstance(kind, type) and issubclass(kind, tuple):
        return kind(*value)  # a NamedTuple of scalars
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return tuple(from_json(args[0], item) for item in value)
    if origin in {Union, types.UnionType}:
        inner = next(arg for arg in args if arg is not type(None))
        return None if value is None else from_json(inner, value)
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401 - a dataclass
    hints = typing.get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in dataclasses.fields(kind))
