"""Frozen values to JSON and back, by their annotations: for what the cache keeps."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, Union


def to_json(value: object) -> Any:  # noqa: ANN401 - what JSON has
    """Return a value as lists and scalars; a dataclass or a NamedTuple is the list of its fields.

    A mapping must be JSON already.
    """
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
    if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or issubclass(kind, tuple)):
        pairs = zip(_fields(kind), value, strict=True)
        return kind(**{name: from_json(inner, item) for (name, inner), item in pairs})
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return tuple(from_json(args[0], item) for item in value)
    if origin is Mapping:
        return from_json(dict, value)
    if origin in {Union, types.UnionType}:
        inner = next(arg for arg in args if arg is not type(None))
        return None if value is None else from_json(inner, value)
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401 - a dataclass, a NamedTuple
    hints = typing.get_type_hints(kind)
    if not dataclasses.is_dataclass(kind):
        return tuple((name, hints[name]) for name in kind._fields)
    return tuple((field.name, hints[field.name]) for field in dataclasses.fields(kind))
