"""Imports of the library, and what an `except ImportError` imports instead."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dgpin.api.host.module import Scope
from dgpin.api.host.values import Api
from dgpin.api.uses import Form, Target, Use

if TYPE_CHECKING:
    from dgpin.api.host.collect import Collector


def imported(
    collector: "Collector", node: ast.Import | ast.ImportFrom, scope: Scope
) -> Iterator[Use]:
    """Yield one use for each name that is imported."""
    place = scope.module.place(node)
    library = collector.project.library
    if isinstance(node, ast.Import):
        paths = [library(alias.name) for alias in node.names]
    else:
        source = scope.module.absolute(node)
        paths = [library(f"{source}.{alias.name}") for alias in node.names]
        if node.names[0].name == "*":
            paths = [library(source)]
    for path, alias in zip(paths, node.names, strict=True):
        if path is not None:
            others, head = _instead(collector, node, alias, scope)
            targets = (Target(path=path, place=place), *others)
            yield replace(collector.use(Form.IMPORT, targets, node, scope), is_fallback=not head)


def _instead(
    collector: "Collector", node: ast.stmt, alias: ast.alias, scope: Scope
) -> tuple[tuple[Target, ...], bool]:
    """Return what an `except ImportError` imports in the place of a name, and whether this
    import is the first choice."""
    name = alias.asname or alias.name
    for parent, field in scope.module.above(node):
        if not isinstance(parent, ast.Try):
            continue
        if field == "handlers":
            return (), not _imports(parent.body, name)
        if field == "body":
            stands_in = [s for h in parent.handlers for s in _imports(h.body, name)]
            found: list[Target] = []
            for other, attribute in stands_in:
                values = collector.evaluator.imported(
                    scope.module.absolute(other), attribute, scope.module.place(other)
                )
                found += [t for v in values if isinstance(v, Api) for t in v.targets]
            return tuple(found), True
    return (), True


def _imports(body: list[ast.stmt], name: str) -> list[tuple[ast.ImportFrom, str]]:
    """Return the from-imports of a block, those inside of it too, that bind a name."""
    return [
        (statement, alias.name)
        for outer in body
        for statement in ast.walk(outer)
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if (alias.asname or alias.name) == name
    ]
