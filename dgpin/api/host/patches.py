"""What a test puts in the place of names of the library."""

import ast
from collections.abc import Iterator

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.module import Scope
from dgpin.api.host.values import LIBRARY, Api, Callable, Dotted, Text


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
    elif name == "setitem" and len(args) > 2:  # noqa: PLR2004 - mapping, key, value
        keys = [v.text for v in evaluator.values(args[1], scope) if isinstance(v, Text)]
        if ast.unparse(args[0]) == "sys.modules":
            for path in filter(None, map(evaluator.project.library, keys)):
                yield path, args[2]


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
