"""What a call of a host function hands to each of its parameters; nothing is followed yet."""

import ast
from dataclasses import dataclass

from dgpin.api.host.module import Scope
from dgpin.api.host.values import Argument, Callable, Frame


@dataclass(frozen=True, slots=True)
class _Signature:
    """The parameters of a function that may be given by place, and their defaults."""

    places: tuple[str, ...]
    rest: str  # the name behind `*`, "" for none
    defaults: tuple[tuple[str, ast.expr], ...]


def passed(
    node: ast.Call, func: Callable, scope: Scope, frame: Frame | None
) -> dict[str, Argument]:
    """Return the argument of each parameter that a call or a default gives one."""
    signature = _signature(func.scope.node)
    if signature is None:
        return {}
    names = signature.places[1:] if func.bound else signature.places
    found: dict[str, Argument] = {}
    if not any(isinstance(a, ast.Starred) for a in node.args):
        for name, given in zip(names, node.args, strict=False):
            found[name] = Argument((given,), scope, frame)
        if signature.rest:
            more = tuple(node.args[len(names) :])
            found[signature.rest] = Argument(more, scope, frame, packed=True)
    for keyword in node.keywords:
        if keyword.arg is not None:
            found[keyword.arg] = Argument((keyword.value,), scope, frame)
    for name, default in signature.defaults:
        if name not in found:
            found[name] = Argument((default,), func.scope.outer or func.scope, None)
    return found


def _signature(node: ast.AST) -> _Signature | None:
    args = getattr(node, "args", None)
    if not isinstance(args, ast.arguments):
        return None
    places = tuple(a.arg for a in (*args.posonlyargs, *args.args))
    last = places[len(places) - len(args.defaults) :]
    named = zip((a.arg for a in args.kwonlyargs), args.kw_defaults, strict=True)
    return _Signature(
        places=places,
        rest=args.vararg.arg if args.vararg is not None else "",
        defaults=(
            *zip(last, args.defaults, strict=True),
            *((name, default) for name, default in named if default is not None),
        ),
    )
