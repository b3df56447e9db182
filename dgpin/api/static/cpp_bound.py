"""What one `def` binds: a lambda, or a function that is defined somewhere in the source."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dgpin.api.signature import Parameter
from dgpin.api.static.cpp_definitions import Near
from dgpin.api.static.cpp_parameters import cast, declared, named, split, unnamed
from dgpin.api.static.cpp_results import of_lambda
from dgpin.api.static.cpp_text import arguments, text

if TYPE_CHECKING:
    from tree_sitter import Node

_LAMBDA = "lambda_expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What Python sees of it. `target` is the C++ function, "" for a lambda.

    `parameters` is None where the definition was not found, `returns` "" where it is not known.
    """

    target: str
    parameters: tuple[Parameter, ...] | None
    returns: str


def bound(given: Sequence["Node"], outside: Near, *, method: bool = False) -> Bound:
    """Return what the arguments of a `def` behind its name bind.

    `method` tells that the first parameter is the object itself, as far as C++ has it for one.
    """
    what, types = _unwrapped(given[0])
    if what.type == _LAMBDA:
        found = _of_lambda(what, outside, method=method)
    else:
        found = _of_function(what, types, outside, method=method)
    names = named(given[1:])
    plain, variadic = split(found.parameters)
    if names and plain is not None and len(names) != len(plain):
        return replace(found, parameters=(*names, *variadic), returns="")  # another of that name
    if names:
        typed = zip(names, plain, strict=True) if plain is not None else ()
        names = tuple(replace(p, type=own.type) for p, own in typed) or names
        return replace(found, parameters=(*names, *variadic))
    if plain is None:
        return found
    return replace(found, parameters=(*unnamed(plain), *variadic))


def _unwrapped(node: "Node") -> tuple["Node", tuple[Parameter, ...] | None]:
    """Return what casts and wrappers are around, and the parameters that a cast names."""
    types = None
    while node.type == "call_expression" and (inner := arguments(node)):
        types = types if types is not None else cast(node)
        node = inner[0]
    return node, types


def _of_lambda(what: "Node", outside: Near, *, method: bool) -> Bound:
    declarator = what.child_by_field_name("declarator")
    own = declared(declarator) if declarator is not None else ()
    own = own[1:] if method else own
    return Bound(target="", parameters=own, returns=of_lambda(what, outside))


def _of_function(
    what: "Node",
    types: tuple[Parameter, ...] | None,
    outside: Near,
    *,
    method: bool,
) -> Bound:
    target = text(what).lstrip("&").strip()
    wanted = None if types is None else tuple(p.type for p in types)
    found = outside.definitions.of(target, near=outside.path, types=wanted)
    if found is not None and method and not (found.is_member or found.is_called(target)):
        found = None
    own = types if types is not None or found is None else found.parameters
    if own is not None and found is not None and method and not found.is_member:
        own = own[1:]
    return Bound(target=target, parameters=own, returns="" if found is None else found.returns)
