"""What the host does instead of a call when what it calls is None."""

import ast
from itertools import takewhile

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.module import Scope
from dgpin.api.host.passing import passed
from dgpin.api.host.questions import FUNCTIONS, Questions, before, deciding
from dgpin.api.host.values import Callable
from dgpin.api.uses import Outcome, Then

_ASKING = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
_NONE, _NOT_NONE = (ast.Is, ast.Eq), (ast.IsNot, ast.NotEq)


class Absence:
    """Answers about what is None."""

    def __init__(self, evaluator: Evaluator, questions: Questions) -> None:
        self.evaluator = evaluator
        self.questions = questions
        self.outcomes = questions.outcomes

    def of(self, func: ast.expr, node: ast.AST, scope: Scope) -> Outcome | None:
        """Return what happens instead of a call when what it calls is None.

        None where the host does not ask, so that None itself would be called.
        """
        wanted = ast.unparse(func)
        below: ast.AST = node
        for parent, name in scope.module.above(node):
            for test, holds in deciding(parent, name, below):
                if self._says(test, scope, wanted, holds=holds):
                    return self.outcomes.of(self._other_branch(parent, name, scope), scope)
            for statement in before(parent, name, below):
                found = self._leaving(statement, scope, wanted)
                if found is not None:
                    return found
            if isinstance(parent, FUNCTIONS):
                break
            below = parent
        return self._by_constructor(wanted, scope)

    def _by_constructor(self, wanted: str, scope: Scope) -> Outcome | None:
        """Return what an object's `__init__` raises when an attribute of it is None."""
        owner = next((s.owner for s in scope.enclosing() if s.owner is not None), None)
        made = owner.bindings.get("__init__", []) if owner is not None else []
        if not wanted.startswith("self.") or len(made) != 1:
            return None
        init = scope.module.scopes.get(made[0].node)
        for statement in getattr(made[0].node, "body", ()) if init is not None else ():
            found = self._leaving(statement, init or scope, wanted)
            if found is not None and found.then is Then.RAISES:
                return found
        return None

    def _other_branch(self, parent: ast.AST, name: str, scope: Scope) -> list[ast.stmt]:
        """Return the statements that run when an `if` decides the other way."""
        if not isinstance(parent, ast.If):
            return []
        if name != "body" or parent.orelse or not self.outcomes.leaves(parent.body, scope):
            return parent.orelse if name == "body" else parent.body
        above, field = scope.module.parent(parent)
        block = getattr(above, field, [])
        after = block[block.index(parent) + 1 :] if isinstance(block, list) else []
        # What more is asked there may find another way.
        return list(takewhile(lambda statement: not isinstance(statement, _ASKING), after))

    def _leaving(self, statement: ast.stmt, scope: Scope, wanted: str) -> Outcome | None:
        """Return how a statement leaves the block when what is wanted is None."""
        if isinstance(statement, ast.Assert):
            asked = self._says(statement.test, scope, wanted, holds=True)
            return Outcome(then=Then.RAISES, exception="AssertionError") if asked else None
        if isinstance(statement, ast.If) and self.outcomes.leaves(statement.body, scope):
            asked = self._says(statement.test, scope, wanted, holds=False)
            return self.outcomes.of(statement.body, scope) if asked else None
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return self._raised_by(statement.value, scope, wanted)
        return None

    def _raised_by(self, call: ast.Call, scope: Scope, wanted: str) -> Outcome | None:
        """Return what a function of the host raises that is given what is wanted, to look at."""
        if not any(ast.unparse(arg) == wanted for arg in call.args):
            return None
        for func in self.evaluator.values(call.func, scope):
            if not isinstance(func, Callable) or func.scope is scope:
                continue
            for name, given in passed(call, func, scope, None).items():
                if given.packed or ast.unparse(given.nodes[0]) != wanted:
                    continue
                for statement in getattr(func.scope.node, "body", ()):
                    found = self._leaving(statement, func.scope, name)
                    if found is not None and found.then is Then.RAISES:
                        return found
        return None

    def _says(self, test: ast.expr, scope: Scope, wanted: str, *, holds: bool) -> bool:
        """Whether an answered test says that what is wanted is not None."""
        atoms = self.questions.atoms(test, scope, holds=holds)
        return any(_is_there(atom, wanted, holds=known) for atom, _, known in atoms)


def _is_there(test: ast.expr, wanted: str, *, holds: bool) -> bool:
    """Whether an answered test says that what is wanted is not None."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
            return ast.unparse(left) == wanted and isinstance(op, _NOT_NONE if holds else _NONE)
        case ast.Name() | ast.Attribute():
            return holds and ast.unparse(test) == wanted
        case ast.Call(func=ast.Name(id="callable"), args=[asked]):
            return holds and ast.unparse(asked) == wanted
        case _:
            return False
