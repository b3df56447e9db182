"""The parameters of what is bound: those that C++ declares, and what py::arg says of them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from dgpin.api.signature import Parameter, ParameterKind
from dgpin.api.static.cpp_text import (
    arguments,
    descend,
    python_default,
    python_type,
    string,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_VARIADIC = {"*args": ParameterKind.VAR_POSITIONAL, "**kwargs": ParameterKind.VAR_KEYWORD}


def split(
    own: tuple[Parameter, ...] | None,
) -> tuple[tuple[Parameter, ...] | None, tuple[Parameter, ...]]:
    """Return the parameters of C++, and apart from them py::args and py::kwargs."""
    if own is None:
        return None, ()
    plain = tuple(p for p in own if p.type not in _VARIADIC)
    variadic = tuple(
        Parameter(name=p.type.lstrip("*"), kind=_VARIADIC[p.type])
        for p in own
        if p.type in _VARIADIC
    )
    return plain, variadic


def cast(call: "Node") -> tuple[Parameter, ...] | None:
    """Return the parameters that a cast chooses an overload by; None for another call.

    The casts are `py::overload_cast<T, U>(…)` and `static_cast<R (*)(T, U)>(…)`.
    """
    callee = call.child_by_field_name("function")
    name = text(callee).partition("<")[0].rpartition("::")[2]
    if callee is None or name not in {"overload_cast", "static_cast"}:
        return None
    if name == "overload_cast":
        return _types(callee)
    pointer = (n for n in descend(callee) if n.type == "abstract_function_declarator")
    return next(map(declared, pointer), None)


def _types(callee: "Node") -> tuple[Parameter, ...]:
    """Return parameters of the types that `<…>` lists."""
    listed = (n.named_children for n in descend(callee) if n.type == "template_argument_list")
    types = [text(t) for t in next(listed, [])]
    return tuple(Parameter(name=f"arg{i}", type=python_type(t)) for i, t in enumerate(types))


def initialised(given: list["Node"]) -> tuple[Parameter, ...] | None:
    """Return the parameters of `py::init<T, U>()` or `py::init([](…) {})`."""
    first = next(iter(given), None)
    if first is None or first.type != "call_expression":
        return None
    callee = first.child_by_field_name("function")
    if not text(callee).partition("<")[0].endswith("init"):
        return None
    inner = next(iter(arguments(first)), None)
    if inner is not None and inner.type == "lambda_expression":
        declarator = inner.child_by_field_name("declarator")
        types = declared(declarator) if declarator is not None else ()
    else:
        types = _types(callee) if callee is not None else ()
    names = named(given[1:])
    if names and len(names) == len(types):
        return tuple(replace(p, type=t.type) for p, t in zip(names, types, strict=True))
    return names or unnamed(types)


def named(given: Iterable["Node"]) -> tuple[Parameter, ...]:
    """Return the parameters that py::arg names, with py::kw_only and py::pos_only."""
    found: list[Parameter] = []
    kind = ParameterKind.POSITIONAL_OR_KEYWORD
    for node in given:
        value = None
        inner = node
        if node.type == "assignment_expression":
            inner = node.child_by_field_name("left") or node
            value = node.child_by_field_name("right")
        inner = _unchained(inner)
        callee = text(inner.child_by_field_name("function")).rpartition("::")[2]
        if callee == "kw_only":
            kind = ParameterKind.KEYWORD_ONLY
        elif callee == "pos_only":
            only = ParameterKind.POSITIONAL_ONLY
            found = [replace(p, kind=only) for p in found]
        elif callee in {"arg", "arg_v"} or inner.type == "user_defined_literal":
            literal = inner.named_children[0] if inner.type == "user_defined_literal" else None
            first, second = (*arguments(inner)[:2], None, None)[:2]
            name = string(literal or first)
            if callee == "arg_v":
                value = second
            default = python_default(value) if value is not None else None
            found.append(Parameter(name=name or "", kind=kind, default=default))
    return tuple(found)


def _unchained(node: "Node") -> "Node":
    """Return the `py::arg("a")` of `py::arg("a").noconvert()`."""
    callee = node.child_by_field_name("function")
    while callee is not None and callee.type == "field_expression":
        node = callee.child_by_field_name("argument") or node
        callee = node.child_by_field_name("function")
    return node


def declared(declarator: "Node") -> tuple[Parameter, ...]:
    """Return the parameters that a function or a lambda declares."""
    listed = declarator.child_by_field_name("parameters")
    found = []
    for node in listed.named_children if listed is not None else []:
        if node.type not in {"parameter_declaration", "optional_parameter_declaration"}:
            continue
        kind = text(node.child_by_field_name("type"))
        if kind == "void" and node.child_by_field_name("declarator") is None:
            continue
        name = text(node.child_by_field_name("declarator")).lstrip("&* ")
        variadic = {"args": "*args", "kwargs": "**kwargs"}.get(kind.rpartition("::")[2])
        found.append(Parameter(name=name, type=variadic or python_type(kind)))
    return tuple(found)


def unnamed(parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """Return the parameters as pybind11 has them without py::arg: by place alone."""
    return tuple(
        Parameter(name=f"arg{i}", kind=ParameterKind.POSITIONAL_ONLY, type=p.type)
        for i, p in enumerate(parameters)
    )
