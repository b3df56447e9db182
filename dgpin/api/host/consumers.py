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
                outcome = _outcome(node, scope, around, absent=absent)
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
        match compare:
            case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                found.append((compare.left, scope, True))
            case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                found.append((compare.left, scope, False))
    for name, scope in module.names_read:
        parent, field = module.parents.get(name, (None, ""))
        if field == "test" or isinstance(parent, (ast.BoolOp, ast.UnaryOp)):
            found.append((name, scope, False))
    for call, scope in module.calls:
        if isinstance(call.func, ast.Name) and call.func.id in {"callable", "bool"} and call.args:
            found.append((call.args[0], scope, False))
    return found


def _outcome(node: ast.expr, scope: Scope, around: Around, *, absent: bool) -> Outcome | None:
    """Return what happens when the name is not there; None when that alone decides nothing.

    `absent` tells whether the innermost test is true then.
    """
    module = scope.module
    true_when_absent = absent
    below: ast.AST = node
    for parent, field in module.above(node):
        match parent:
            case ast.Compare() | ast.Call():
                pass
            case ast.UnaryOp(op=ast.Not()):
                true_when_absent = not true_when_absent
            case ast.BoolOp(op=op):
                # Absence decides `a and b` when it makes one false, `a or b` when one true.
                if isinstance(op, ast.Or) is not true_when_absent:
                    return None
            case ast.If() | ast.While() if field == "test":
                body = parent.body if true_when_absent else parent.orelse
                return around.outcome(body, scope)
            case ast.Assert():
                return Outcome(then=Then.RAISES, exception="AssertionError")
            case ast.IfExp() if field == "test":
                other = parent.body if true_when_absent else parent.orelse
                return Outcome(then=Then.GOES_ON, detail=ast.unparse(other))
            case ast.Return():
                return Outcome(then=Then.RETURNS, detail=str(true_when_absent))
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
                return Outcome(then=Then.GOES_ON, detail=str(true_when_absent))
            case _:
                return None
        below = parent
    return Outcome(then=Then.GOES_ON) if below is None else None
