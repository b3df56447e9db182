"""Where the host asks whether an optional name is there, and what it does when it is not."""

import ast

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.guards import Around
from dgpin.api.host.marks import Marks
from dgpin.api.host.module import Module, Scope
from dgpin.api.host.project import Project
from dgpin.api.host.values import Api
from dgpin.api.uses import Consumer, Outcome, Then
from dgpin.verdict import Place

Asked = dict[tuple[str, Place], tuple[Consumer, ...]]


def consumers(project: Project, evaluator: Evaluator, around: Around, marks: Marks) -> Asked:
    """Return the consumers of each optional name, by its path and by where it was got."""
    found: dict[tuple[str, Place], dict[Consumer, None]] = {}
    for module in project.modules:
        for node, scope, absent in _tests(module):
            if not marks.carries(node, scope):
                continue
            for value in evaluator.values(node, scope):
                if not isinstance(value, Api) or not value.targets[-1].optional:
                    continue
                outcome = decided(node, scope, around, absent=absent)
                if outcome is None:
                    continue
                place = module.place(node)
                function = next((s for s in scope.enclosing() if s.is_function), None)
                consumer = Consumer(
                    place=place,
                    function=function.name if function is not None else "",
                    line=module.line(place.line),
                    outcome=outcome,
                )
                for target in value.targets:
                    found.setdefault((target.path, target.place), {}).setdefault(consumer)
    return {key: tuple(sorted(asked, key=lambda c: c.place)) for key, asked in found.items()}


def _tests(module: Module) -> list[tuple[ast.expr, Scope, bool]]:
    """Return the expressions that are asked for, and whether a true answer means absent."""
    found: list[tuple[ast.expr, Scope, bool]] = []
    for compare, scope in module.compares:
        right, op = compare.comparators[0], compare.ops[0]
        is_none = isinstance(right, ast.Constant) and right.value is None
        if is_none and isinstance(op, (ast.Is, ast.IsNot)):
            found.append((compare.left, scope, isinstance(op, ast.Is)))
    found += [(name, scope, False) for name, scope in module.tested]
    for call, scope in module.calls:
        if isinstance(call.func, ast.Name) and call.func.id in {"callable", "bool"} and call.args:
            found.append((call.args[0], scope, False))
    return found


def decided(node: ast.expr, scope: Scope, around: Around, *, absent: bool) -> Outcome | None:
    """Return what happens when the name is not there; None when that alone decides nothing.

    `absent` tells whether the innermost test is true then.
    """
    for parent, field in scope.module.above(node):
        match parent:
            case ast.Compare() | ast.Call():
                pass
            case ast.UnaryOp(op=ast.Not()):
                absent = not absent
            case ast.BoolOp(op=op) if isinstance(op, ast.Or) is absent:
                # Absence decides `a and b` when it makes one false, `a or b` when one true.
                pass
            case _:
                return _arrives(parent, field, scope, around, absent=absent)
    return None


def _arrives(
    parent: ast.AST, field: str, scope: Scope, around: Around, *, absent: bool
) -> Outcome | None:
    """Return what happens where the answer of a test arrives."""
    match parent:
        case ast.If() | ast.While() if field == "test":
            return around.outcomes.of(parent.body if absent else parent.orelse, scope)
        case ast.IfExp() if field == "test":
            other = parent.body if absent else parent.orelse
            return Outcome(then=Then.GOES_ON, detail=ast.unparse(other))
        case ast.Assert():
            fails = Outcome(then=Then.RAISES, exception="AssertionError")
            return Outcome(then=Then.GOES_ON) if absent else fails
        case ast.Return():
            return Outcome(then=Then.RETURNS, detail=str(absent))
        case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
            return Outcome(then=Then.GOES_ON, detail=str(absent))
        case _:
            return None
