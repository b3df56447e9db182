"""Which bindings of a name can reach a place, and which of them stand in for others."""

import ast
from itertools import takewhile

from dgpin.api.host.module import Binding, Module, Scope, blocks
from dgpin.api.host.values import Api, Nothing, Value, Values, unique

Blocks = tuple[tuple[ast.AST, str], ...]
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
# What binds a name for the code inside of it.
_AROUND = (*_LOOPS, ast.comprehension, ast.arg, ast.With, ast.AsyncWith, ast.ExceptHandler)


def reaching(module: Module, bindings: list[Binding], node: ast.AST) -> list[Binding]:
    """Return the bindings that may hold where `node` reads the name, in the same scope.

    A binding on the way to the place hides the earlier ones; one on another branch, or below the
    place outside of a common loop, cannot have happened.
    """
    here = blocks(module, node)
    place = _position(node)
    kept: list[Binding] = []
    for binding in sorted(bindings, key=lambda b: _position(b.node)):
        there = blocks(module, binding.node)
        around = _contains(module, binding.node, node)
        if _position(binding.node) >= place and not around:
            if _common_loop(here, there):
                kept.append(binding)
        elif exclusive(here, there) or (around and not isinstance(binding.node, _AROUND)):
            # In `x = f(x)`, the right side reads what x was before.
            continue
        elif here[: len(there)] == there:
            kept = [binding]
        else:
            kept.append(binding)
    return kept or [b for b in bindings if not _contains(module, b.node, node)]


def lasting(scope: Scope, bindings: list[Binding]) -> list[Binding]:
    """Return the bindings that may hold once the scope has run, for code that runs later."""
    kept: list[Binding] = []
    for binding in bindings:
        direct = binding.scope is scope and len(blocks(scope.module, binding.node)) <= 1
        if direct:
            # What functions set by `global` comes after whatever the module sets.
            kept = [b for b in kept if b.scope is not scope]
        kept.append(binding)
    return kept


def _position(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.comprehension):
        node = node.target
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _contains(module: Module, outer: ast.AST, node: ast.AST) -> bool:
    if outer is node:
        return True
    first, last = getattr(outer, "lineno", 0), getattr(outer, "end_lineno", 0)
    if first and not first <= getattr(node, "lineno", first) <= last:
        return False
    return any(parent is outer for parent, _ in module.above(node))


def _common_loop(here: Blocks, there: Blocks) -> bool:
    return any(
        one == other and isinstance(one[0], _LOOPS) for one, other in zip(here, there, strict=False)
    )


def exclusive(here: Blocks, there: Blocks) -> bool:
    """Whether two places are on different branches of one `if` or `match`."""
    for one, other in zip(here, there, strict=False):
        if one == other:
            continue
        if one[0] is other[0]:
            return isinstance(one[0], (ast.If, ast.Match)) and one[1] != other[1]
        return isinstance(one[0], ast.match_case) and isinstance(other[0], ast.match_case)
    return False


def joined(module: Module, name: str, groups: list[tuple[Binding, Values]]) -> Values:
    """Return the alternatives of all bindings; a stand-in makes a chain with what it stands in
    for: `except ImportError:` after `try:`, or `if f is None:` before it."""
    found: list[Value] = []
    for binding, values in groups:
        apis = [v for v in values if isinstance(v, Api)]
        earlier = [v for v in found if isinstance(v, Api)]
        if len(apis) <= 1 and len(earlier) == 1 and _stands_in(module, name, binding):
            none = any(isinstance(v, Nothing) for v in values)
            chain = (
                Api((*earlier[0].targets, *apis[0].targets))
                if apis
                else earlier[0].or_else(replaced=not none)
            )
            found = [chain if v is earlier[0] else v for v in found if not isinstance(v, Nothing)]
            found += [v for v in values if not isinstance(v, Api)]
            continue
        found += values
    # A module's `x = None` before the value that is meant.
    if any(isinstance(v, Api) for v in found):
        found.sort(key=lambda v: isinstance(v, Nothing))
    return unique(found)


def chained(groups: list[Values]) -> Values:
    """Return the alternatives of `a or b`: names of the API at its head become one chain."""
    head = list(takewhile(lambda group: sum(isinstance(v, Api) for v in group) == 1, groups))
    firsts = [next(v for v in group if isinstance(v, Api)) for group in head]
    if len(head) == len(groups) and len(groups) > 1:
        rest = [v for v in groups[-1] if not isinstance(v, Api)]
        return unique([Api(tuple(t for api in firsts for t in api.targets)), *rest])
    last = [v for group in groups[len(head) :] for v in group]
    if not firsts or not firsts[-1].targets[-1].optional:
        return unique([v for group in groups for v in group])
    chain = Api(tuple(t for api in firsts for t in api.targets))
    replaced = not any(isinstance(v, Nothing) for v in groups[-1])
    return unique([chain.or_else(replaced=replaced), *last])


def asked_for(statement: ast.Return, name: str, scope: Scope, values: Values) -> Values:
    """Return what a function gives that asks for None before: the name, or what replaces it."""
    optional = any(isinstance(v, Api) and v.targets[-1].optional for v in values)
    if not optional or not _is_asked(scope.module, statement, name):
        return values
    body = getattr(scope.node, "body", [])
    if not isinstance(body[-1], (ast.Return, ast.Raise)):
        return values  # it may end without a word
    there = (v for v in values if not isinstance(v, Nothing))
    return tuple(v.or_else(replaced=True) if isinstance(v, Api) else v for v in there)


def _stands_in(module: Module, name: str, binding: Binding) -> bool:
    for parent, field in module.above(binding.node):
        if isinstance(parent, ast.Try) and field == "handlers":
            return True
        if isinstance(parent, ast.If) and field == "body" and is_none_test(parent.test, name):
            return True
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return False
    return False


def _is_asked(module: Module, node: ast.AST, name: str) -> bool:
    """Whether a name is not None where a node is reached: what was asked before says so."""
    below = node
    for parent, field in module.above(node):
        if isinstance(parent, ast.If) and field == "body" and _is_there_test(parent.test, name):
            return True
        block = getattr(parent, field, None)
        for statement in block if isinstance(block, list) else ():
            if statement is below:
                break
            if isinstance(statement, ast.If) and is_none_test(statement.test, name):
                return isinstance(statement.body[-1], (ast.Raise, ast.Return, ast.Continue))
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        below = parent
    return False


def _is_there_test(test: ast.expr, name: str) -> bool:
    match test:
        case ast.Compare(
            left=ast.Name(id=tested), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            return tested == name
        case ast.Name(id=tested):
            return tested == name
        case _:
            return False


def is_none_test(test: ast.expr, name: str) -> bool:
    """Whether a test holds when the name is None: `name is None`, `not name`."""
    match test:
        case ast.Compare(
            left=ast.Name(id=tested), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
        ):
            return tested == name
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=tested)):
            return tested == name
        case _:
            return False
