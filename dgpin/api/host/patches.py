"""What a test puts in the place of names of the library."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dgpin.api.host.doubles import doubles
from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.module import Scope
from dgpin.api.host.project import called_name
from dgpin.api.host.values import LIBRARY, Api, Callable, Dotted, Text
from dgpin.api.uses import Form, Target, Use

if TYPE_CHECKING:
    from dgpin.api.host.collect import Collector


def replaced(collector: "Collector", node: ast.Call, scope: Scope) -> Iterator[Use]:
    """Yield the names that a call replaces, and those that what it puts there keeps alive."""
    name = called_name(node)
    if name not in {"setattr", "patch", "object", "setitem", "dict", "delattr"}:
        return
    lenient = is_lenient(node)
    for path, value in patched(collector.evaluator, node, scope, name):
        target = Target(path=path, place=scope.module.place(node), optional=lenient)
        if not path.endswith("?") and not (lenient and name == "delattr"):
            use = collector.use(Form.PATCH, (target,), node, scope)
            parent, field = scope.module.parent(node)
            if field == "decorator_list" and parent in scope.module.scopes:
                use = replace(use, function=scope.module.scopes[parent].name)
            yield use
        if value is not None:
            yield from doubles(collector, path.rstrip("?"), value, scope)


def patched(
    evaluator: Evaluator, node: ast.Call, scope: Scope, name: str
) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the path that a call replaces and what it puts there.

    A path with `?` is no name of the API: a host function that gives the library is replaced.
    """
    args = [a for a in node.args if not isinstance(a, ast.Starred)]
    texts = [v.text for a in args[:1] for v in evaluator.values(a, scope) if isinstance(v, Text)]
    given = {k.arg: k.value for k in node.keywords}
    new = given.get("new") or given.get("return_value")
    if name in {"setattr", "patch"} and texts:
        value = args[1] if len(args) > 1 else new
        for text in texts:
            path = evaluator.project.library(text)
            if path is not None:
                yield path, value
            elif value is not None and _gives_library(evaluator, text):
                yield f"{LIBRARY}?", value
    elif name in {"setattr", "object", "delattr"} and len(args) > 1:
        yield from _patched_object(evaluator, args, scope, new)
    elif name in {"setitem", "dict"} and args and _is_modules(args[0]):
        for key, entry in _entries(evaluator, node, scope):
            path = evaluator.project.library(key)
            if path is not None:
                yield path, entry


def _is_modules(node: ast.expr) -> bool:
    return ast.unparse(node).strip("'") == "sys.modules"


def _entries(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Iterator[tuple[str, ast.expr]]:
    """Yield what is put there by `setitem(d, "name", value)`, by `patch.dict(d, {"name": value})`
    or by `patch.dict(d, name=value)`."""
    given = node.args[1] if len(node.args) > 1 else None
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    if isinstance(given, ast.Dict):
        pairs = [*zip(given.keys, given.values, strict=True)]
    elif given is not None and len(node.args) > 2:  # noqa: PLR2004 - mapping, key, value
        pairs = [(given, node.args[2])]
    for key, value in pairs:
        for text in evaluator.values(key, scope) if key is not None else ():
            if isinstance(text, Text):
                yield text.text, value
    yield from ((k.arg, k.value) for k in node.keywords if k.arg is not None)


def is_lenient(node: ast.Call) -> bool:
    """Whether a call that replaces a name takes it that there is none."""
    given = {k.arg: k.value for k in node.keywords}
    for name, wanted in (("create", True), ("raising", False)):
        value = given.get(name)
        if isinstance(value, ast.Constant) and value.value is wanted:
            return True
    return False


def _patched_object(
    evaluator: Evaluator, args: list[ast.expr], scope: Scope, new: ast.expr | None
) -> Iterator[tuple[str, ast.expr | None]]:
    names = [v.text for v in evaluator.values(args[1], scope) if isinstance(v, Text)]
    value = args[2] if len(args) > 2 else new  # noqa: PLR2004 - object, name, value
    for owner in evaluator.values(args[0], scope):
        for name in names:
            if isinstance(owner, Api) and "()" not in owner.path:
                yield f"{owner.path}.{name}", value
            elif (
                isinstance(owner, Dotted)
                and value is not None
                and _gives_library(evaluator, f"{owner.path}.{name}")
            ):
                yield f"{LIBRARY}?", value


def _gives_library(evaluator: Evaluator, dotted: str) -> bool:
    """Whether a function or a name of the host stands for the library."""
    module, _, name = dotted.rpartition(".")
    for value in evaluator.member(module, name):
        if isinstance(value, Api):
            return value.path == LIBRARY
        if isinstance(value, Callable):
            found = evaluator.returned(value.scope, None)
            return any(isinstance(v, Api) and v.path == LIBRARY for v in found)
    return False
