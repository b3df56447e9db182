"""What a block of the host does in the end: raise, return, or go on."""

import ast

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.module import Scope
from dgpin.api.host.values import Callable, Dotted
from dgpin.api.uses import Outcome, Then

_ENDS = (ast.Raise, ast.Return, ast.Continue, ast.Break)
_DEEPEST = 4


class Outcomes:
    """Answers about blocks."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def of(self, body: list[ast.stmt], scope: Scope, depth: int = 0) -> Outcome:
        """Return what a block does in the end."""
        for statement in body:
            match statement:
                case ast.Raise(exc=None):
                    return Outcome(then=Then.RAISES, detail="raises it again")
                case ast.Raise(exc=ast.expr() as raised):
                    return _raised(raised)
                case ast.Return(value=value):
                    ends = self.never_returns(value, scope, depth) if value is not None else None
                    text = ast.unparse(value) if value is not None else "None"
                    return ends or Outcome(then=Then.RETURNS, detail=text)
                case ast.Expr(value=value):
                    ends = self.never_returns(value, scope, depth)
                    if ends is not None:
                        return ends
                case ast.Continue() | ast.Break():
                    return Outcome(then=Then.GOES_ON)
                case _:
                    pass
        return Outcome(then=Then.GOES_ON)

    def never_returns(self, node: ast.expr, scope: Scope, depth: int = 0) -> Outcome | None:
        """Return how a call ends, if it is one that always raises."""
        if not isinstance(node, ast.Call) or depth > _DEEPEST:
            return None
        for value in self.evaluator.values(node.func, scope):
            if isinstance(value, Callable) and isinstance(value.scope.node, ast.FunctionDef):
                body = value.scope.node.body
                if body and isinstance(body[-1], ast.Raise) and not value.scope.returns:
                    return self.of(body, value.scope, depth + 1)
            if isinstance(value, Dotted) and value.path in {"sys.exit", "pytest.fail"}:
                return Outcome(then=Then.RAISES, exception=value.path, detail=_first_text(node))
            if isinstance(value, Dotted) and value.path == "pytest.skip":
                return Outcome(then=Then.RETURNS, detail="the test is skipped")
        return None

    def leaves(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Whether a block does not go on to what follows it."""
        if any(isinstance(s, _ENDS) for s in body):
            return True
        return any(
            isinstance(s, ast.Expr)
            and isinstance(s.value, ast.Call)
            and (self.never_returns(s.value, scope) is not None or _is_skip(s.value))
            for s in body
        )


def _is_skip(call: ast.Call) -> bool:
    return ast.unparse(call.func) in {"pytest.skip", "sys.exit", "exit", "quit"}


def _raised(node: ast.expr) -> Outcome:
    call = node if isinstance(node, ast.Call) else None
    name = ast.unparse(call.func if call is not None else node).rpartition(".")[2]
    return Outcome(
        then=Then.RAISES, exception=name, detail=_first_text(call) if call is not None else ""
    )


def _first_text(call: ast.Call) -> str:
    for arg in call.args[:1]:
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
            return " ".join(arg.value.split())
    return ""
