"""One argument of a call: its text, its type where it is a literal, and C of `x or C`."""

import ast
from typing import NamedTuple

from dgpin.api.host import order
from dgpin.api.host.module import Binding, How, Scope
from dgpin.api.uses import Argument
from dgpin.verdict import Place

# Calls that give no None, or no zero: the environment has texts only.
_NEVER_NONE = frozenset({"len", "int", "float", "bool", "abs", "round", "max", "min", "sum"})
_NEVER_NONE |= {"environ.get", "getenv"}
_LONGEST = 60  # characters of an argument's text


def argument_of(node: ast.expr, scope: Scope) -> Argument:
    """Return an argument as a value."""
    text = " ".join(ast.unparse(node).split())
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    found = instead_of(node, scope)
    return Argument(
        text=text,
        type=literal_type(node),
        instead=found.text if found is not None else "",
        instead_of=found.value if found is not None else "",
        instead_at=found.place if found is not None else None,
    )


class Instead(NamedTuple):
    """C of `x or C`, what x is, and where that stands."""

    text: str
    value: str
    place: Place


def instead_of(node: ast.expr, scope: Scope, depth: int = 0) -> Instead | None:
    """Return C of `x or C` or `x if x else C`, followed through names."""
    fallback = _falsy_default(node)
    if fallback is not None:
        text, values = fallback
        value = " or ".join(ast.unparse(value) for value in values)
        return Instead(text, value, scope.module.place(node))
    if depth >= 3:  # noqa: PLR2004 - a name, an attribute, and what was put there
        return None
    if isinstance(node, ast.Call) and len(node.args) == 1 and _is_number(node.func):
        return instead_of(node.args[0], scope, depth + 1)
    found = _only_binding(node, scope)
    if found is None or found.value is None:
        return None
    return instead_of(found.value, found.scope, depth + 1)


def _is_number(func: ast.expr) -> bool:
    return isinstance(func, ast.Name) and func.id in {"float", "int", "bool"}


def _only_binding(node: ast.expr, scope: Scope) -> Binding | None:
    """Return the one assignment that a local name, or an attribute of self, has its value from."""
    bindings: list[Binding] = []
    if isinstance(node, ast.Name) and node.id in scope.bindings:
        bindings = order.reaching(scope.module, scope.bindings[node.id], node)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = next((s.owner for s in scope.enclosing() if s.owner is not None), None)
        if owner is not None and node.value.id in {"self", "cls"}:
            bindings = owner.attributes.get(node.attr, [])
    plain = [b for b in bindings if b.how is How.ASSIGNED and b.index is None]
    return plain[0] if len(plain) == len(bindings) == 1 else None


def _falsy_default(node: ast.expr) -> tuple[str, list[ast.expr]] | None:
    """Return C and what stands before it, if that may be None and may be 0."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[*values, last]):
            constant = _constant(last)
        case ast.IfExp():
            values, constant = [node.body], _constant(node.orelse)
        case _:
            return None
    if not isinstance(constant, (bool, int, float)) or not constant:
        return None
    if isinstance(node, ast.IfExp) and ast.dump(node.test) != ast.dump(node.body):
        return None
    if not all(map(_may_be_none, values)):
        return None
    return repr(constant), values


def _may_be_none(node: ast.expr) -> bool:
    """Whether a value may be None, so that its falsehood is asked for where None is meant."""
    match node:
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.NamedExpr() | ast.IfExp():
            return True
        case ast.Call():
            return ast.unparse(node.func).rpartition("os.")[2] not in _NEVER_NONE
        case _:
            return False


def _constant(node: ast.expr) -> object:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _constant(node.operand)
        return -inner if isinstance(inner, (int, float)) else None
    return node.value if isinstance(node, ast.Constant) else None


_LITERALS: dict[type[ast.expr], str] = {
    ast.Tuple: "tuple",
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.JoinedStr: "str",
}
_YES_OR_NO = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def literal_type(node: ast.expr) -> str:
    """Return the type of a literal; "" where running decides."""
    match node:
        case ast.Constant(value=None):
            return "None"
        case (
            ast.Constant(value=value)
            | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value))
        ):
            return type(value).__name__
        case ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.Compare(ops=[op]) if isinstance(op, _YES_OR_NO):
            return "bool"
        case _:
            return _LITERALS.get(type(node), "")
