"""Functions of the host around a call of the API: what they hand on of their own arguments."""

import ast
from dataclasses import dataclass, replace

from dgpin.api.host.module import How, Scope
from dgpin.api.uses import Argument, Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A call's arguments, and what it hands on of its function's own `*args` and `**kwargs`.

    `dropped` are the keywords that the function takes out of its `**kwargs` before.
    """

    arguments: Arguments
    hands_on_places: bool = False
    hands_on_names: bool = False
    dropped: frozenset[str] = frozenset()


def is_own(node: ast.expr, scope: Scope, which: str) -> bool:
    """Whether an expression is the function's own `*args` or `**kwargs`."""
    args = getattr(scope.node, "args", None)
    own = getattr(args, which, None) if isinstance(args, ast.arguments) else None
    return (
        isinstance(node, ast.Name)
        and own is not None
        and own.arg == node.id
        and len(scope.bindings.get(node.id, ())) == 1
    )


def rewrites(decorator: Scope) -> bool:
    """Whether what a decorator makes calls what it is given, and not as it is called itself."""
    inside = [s for s in decorator.module.scopes.values() if decorator in s.enclosing()]
    given = {
        name
        for scope in inside
        for name, bindings in scope.bindings.items()
        if bindings[0].how is How.PARAMETER
    }
    wrappers = [
        scope
        for scope in inside
        if scope.is_function
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in given
    ]
    return bool(wrappers) and not any(map(_hands_on_all, wrappers))


def _hands_on_all(function: Scope) -> bool:
    """Whether a function calls something with its own `*args` and `**kwargs` as they come."""
    args = getattr(function.node, "args", None)
    if not isinstance(args, ast.arguments) or args.vararg is None or args.kwarg is None:
        return False
    if {args.vararg.arg, args.kwarg.arg} & set(function.changes):
        return False
    return any(
        isinstance(node, ast.Call)
        and any(
            isinstance(a, ast.Starred) and is_own(a.value, function, "vararg") for a in node.args
        )
        and any(k.arg is None and is_own(k.value, function, "kwarg") for k in node.keywords)
        for node in ast.walk(function.node)
    )


def through(outer: Arguments, own: ast.arguments, inner: Passed, *, bound: bool) -> Arguments:
    """Return what reaches the inner call when a wrapper is called with these arguments."""
    names = [a.arg for a in (*own.posonlyargs, *own.args)][1 if bound else 0 :]
    taken = {*names, *(a.arg for a in own.kwonlyargs)}
    positional, keywords = list(inner.arguments.positional), list(inner.arguments.keywords)
    open_positional = inner.arguments.open_positional
    open_keywords = inner.arguments.open_keywords
    if inner.hands_on_places:
        positional += outer.positional[len(names) :]
        open_positional |= outer.open_positional
    if inner.hands_on_names:
        known = {k.name for k in keywords}
        keywords += [
            k
            for k in outer.keywords
            if k.name not in taken and k.name not in inner.dropped and k.name not in known
        ]
        open_keywords |= outer.open_keywords
    given = dict(zip(names, outer.positional, strict=False))
    given.update({k.name: k.argument for k in outer.keywords})
    return Arguments(
        positional=tuple(_carried(a, given) for a in positional),
        keywords=tuple(replace(k, argument=_carried(k.argument, given)) for k in keywords),
        open_positional=open_positional,
        open_keywords=open_keywords,
    )


def _carried(argument: Argument, given: dict[str, Argument]) -> Argument:
    """Return the caller's argument where the wrapper hands on a parameter under any name."""
    return given.get(argument.text, argument)
