"""Stand-ins for the library in tests: which of its names they keep alive."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dgpin.api.host.module import Scope
from dgpin.api.host.values import LIBRARY, Callable, Class, Double, Instance, Value
from dgpin.api.uses import Form, Target, Use

_CALLED = (ast.Lambda, ast.Name, ast.Call, ast.Attribute)

if TYPE_CHECKING:
    from dgpin.api.host.collect import Collector


def doubles(collector: "Collector", path: str, value: ast.expr, scope: Scope) -> Iterator[Use]:
    """Yield one use for each function of what is put in the place of a module."""
    if path != LIBRARY:
        return
    found: list[Value] = list(collector.evaluator.values(value, scope))
    for given in found[:]:
        if isinstance(given, Callable):
            found += collector.evaluator.returned(given.scope, None)
    for given in found:
        scope_of = given.scope if isinstance(given, (Class, Instance, Double)) else scope
        for name, node in _functions(given):
            if not name.startswith("_"):
                yield _fake(collector, name, node, scope_of)


def _functions(given: Value) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names of a stand-in that can be called, and where they are written."""
    if isinstance(given, (Class, Instance)):
        for name, bindings in given.scope.bindings.items():
            if isinstance(bindings[-1].node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield name, bindings[-1].node
    elif isinstance(given, Double):
        for keyword in given.call.keywords:
            # A constant or a container is bookkeeping of the test.
            if keyword.arg is not None and isinstance(keyword.value, _CALLED):
                yield keyword.arg, keyword.value


def _fake(collector: "Collector", name: str, node: ast.AST, scope: Scope) -> Use:
    target = Target(path=f"{LIBRARY}.{name}", place=scope.module.place(node))
    return collector.use(Form.FAKE, (target,), node, scope)
