"""Stand-ins for the library in tests: which of its names they keep alive."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dgpin.api.host.module import Scope
from dgpin.api.host.values import LIBRARY, Callable, Class, Double, Instance, Value
from dgpin.api.uses import Form, Target, Use

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
        if isinstance(given, (Class, Instance)):
            for name, bindings in given.scope.bindings.items():
                node = bindings[-1].node
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    if not name.startswith("_"):
                        yield _fake(collector, name, node, given.scope)
        elif isinstance(given, Double):
            for keyword in given.call.keywords:
                if keyword.arg is not None and not keyword.arg.startswith("_"):
                    if isinstance(keyword.value, (ast.Lambda, ast.Name, ast.Call, ast.Attribute)):
                        yield _fake(collector, keyword.arg, keyword.value, given.scope)


def _fake(collector: "Collector", name: str, node: ast.AST, scope: Scope) -> Use:
    target = Target(path=f"{LIBRARY}.{name}", place=scope.module.place(node))
    return collector.use(Form.FAKE, (target,), node, scope)
