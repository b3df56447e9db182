"""What a `try` around a node, before it, or behind a flag has found out about names of the API."""

import ast
from collections.abc import Iterator

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.marks import Marks
from dgpin.api.host.module import How, Scope
from dgpin.api.host.questions import Questions, before, outside
from dgpin.api.host.values import LIBRARY, Api
from dgpin.api.uses import Guard

_ABSENCE = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
# Statements that have run when the next one does.
_SIMPLE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)


class Tried:
    """Answers about `try` statements."""

    def __init__(self, evaluator: Evaluator, marks: Marks, questions: Questions) -> None:
        self.evaluator = evaluator
        self.marks = marks
        self.questions = questions

    def around(self, node: ast.AST, scope: Scope) -> list[Guard]:
        """Return what a handler around a node waits for: the one name that its `try` reaches;
        or what a `try` has reached that is through."""
        below: ast.AST = node
        found: list[Guard] = []
        for parent, name in scope.module.above(node):
            for statement in before(parent, name, below):
                if type(statement) is ast.Try and self._is_passed(statement, scope):
                    found += self._there(statement.body, scope)
            if name == "orelse" and isinstance(parent, ast.Try):
                found += self._there(parent.body, scope)
            if isinstance(parent, ast.ExceptHandler) and parent.type is not None:
                if not set(names_of(parent.type)) <= _ABSENCE:
                    return []
                up = scope.module.parent(parent)[0]
                body = up.body if isinstance(up, ast.Try) else []
                paths = {path for statement in body for path in self._reached(statement, scope)}
                place = scope.module.place(parent)
                return [Guard(path=p, place=place, absent=True) for p in paths if len(paths) == 1]
            scope = outside(parent, scope)
            below = parent
        return found

    def before_return(self, answer: ast.expr, scope: Scope) -> list[Guard]:
        """Return what is there where a function gives an answer that it gives at one place."""
        statement = scope.module.parent(answer)[0]
        if not isinstance(statement, ast.Return):
            return []
        block, name = scope.module.parent(statement)
        inside = isinstance(block, ast.Try) and name == "body"
        done = list(before(block, name, statement)) if block is not None and inside else []
        return [*self._there(done, scope), *self.around(statement, scope)]

    def flag(self, test: ast.expr, scope: Scope, *, holds: bool) -> list[Guard]:
        """Return what a flag tells that a `try` sets, and that is set otherwise elsewhere."""
        if not isinstance(test, (ast.Name, ast.Attribute)):
            return []
        bindings = self.questions.bindings(test, scope)
        alike = [b for b in bindings if not _is(b.value, not holds)]
        if len(bindings) == 1 or len(alike) != 1 or alike[0].how is not How.ASSIGNED:
            return []
        home = alike[0].scope
        block, field = home.module.parent(alike[0].node)
        if not isinstance(block, ast.Try) or field not in {"body", "orelse"}:
            return []
        return self._there(block.body, home)

    def _is_passed(self, block: ast.Try, scope: Scope) -> bool:
        """Whether what follows a `try` runs only where nothing failed in it."""
        leaves = self.questions.outcomes.leaves
        return bool(block.handlers) and all(leaves(h.body, scope) for h in block.handlers)

    def _there(self, body: list[ast.stmt], scope: Scope) -> list[Guard]:
        """Return the names that are there when statements have gone well."""
        return [
            Guard(path=path, place=scope.module.place(statement))
            for statement in body
            if isinstance(statement, _SIMPLE)
            for path in dict.fromkeys(self._reached(statement, scope))
            if path != LIBRARY
        ]

    def _reached(self, statement: ast.stmt, scope: Scope) -> Iterator[str]:
        """Yield the names of the API that a statement reaches, without a default."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and self.marks.carries(node, scope):
                for value in self.evaluator.values(node, scope):
                    if isinstance(value, Api) and value.targets[0].place == scope.module.place(
                        node
                    ):
                        yield value.path
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                source = ""
                if isinstance(node, ast.ImportFrom):
                    source = f"{scope.module.absolute(node)}."
                library = self.evaluator.project.library
                yield from filter(None, (library(f"{source}{a.name}") for a in node.names))


def names_of(node: ast.expr) -> tuple[str, ...]:
    """Return the names of exceptions without their modules."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return tuple(ast.unparse(item).rpartition(".")[2] for item in items)


def _is(value: ast.expr | None, truth: bool) -> bool:  # noqa: FBT001 - the second operand
    """Whether a value is a constant that is true, or false."""
    return isinstance(value, ast.Constant) and bool(value.value) is truth
