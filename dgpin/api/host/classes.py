"""Attributes of the host's classes and of their objects."""

import ast
from typing import TYPE_CHECKING

from dgpin.api.host.module import Scope
from dgpin.api.host.values import Callable, Class, Value, Values, unique

if TYPE_CHECKING:
    from dgpin.api.host.evaluate import Evaluator

_DEEPEST = 4  # base classes
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def attribute(e: "Evaluator", scope: Scope, name: str, *, depth: int, bound: bool) -> Values:
    bindings = [*scope.bindings.get(name, ()), *scope.attributes.get(name, ())]
    found: list[Value] = []
    for binding in bindings:
        for value in e.bound(name, binding, None):
            if isinstance(value, Callable):
                found += _method(e, value, bound=bound)
            else:
                found.append(value)
    if not bindings and depth < _DEEPEST and isinstance(scope.node, ast.ClassDef):
        for base in scope.node.bases:
            for value in e.values(base, scope.outer or scope):
                if isinstance(value, Class):
                    found += attribute(e, value.scope, name, depth=depth + 1, bound=bound)
    return unique(found)


def _method(e: "Evaluator", value: Callable, *, bound: bool) -> Values:
    node = value.scope.node
    marks = {ast.unparse(d) for d in node.decorator_list} if isinstance(node, _Function) else set()
    if marks & {"property", "cached_property", "functools.cached_property"}:
        return e.returned(value.scope, None)
    if "staticmethod" in marks or value.scope.owner is None:
        return (value,)
    return (Callable(value.scope, bound=bound or "classmethod" in marks),)
