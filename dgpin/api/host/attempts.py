"""What must have failed before a place is reached: the way for the other builds."""

import ast
from collections.abc import Iterator

from dgpin.api.host.guards import Around
from dgpin.api.host.module import Scope
from dgpin.api.host.questions import before, outside
from dgpin.api.uses import Attempt


def attempts(node: ast.AST, scope: Scope, around: Around) -> tuple[Attempt, ...]:
    """Return the `try` bodies of which one must have failed when a node is reached.

    It stands in a handler of theirs, or below a `try` that leaves when it does not fail.
    """
    found: list[Attempt] = []
    leaves = around.outcomes.leaves
    below = node
    for parent, name in scope.module.above(node):
        if isinstance(parent, ast.ExceptHandler):
            block = scope.module.parent(parent)[0]
            if isinstance(block, ast.Try):
                found += _attempt(block, [parent], scope, around)
        for statement in before(parent, name, below):
            if isinstance(statement, ast.Try) and leaves(statement.body, scope):
                onward = [h for h in statement.handlers if not leaves(h.body, scope)]
                found += _attempt(statement, onward, scope, around)
        scope = outside(parent, scope)  # a function's body runs where its `def` was reached
        below = parent
    return tuple(found)


def _attempt(
    block: ast.Try, handlers: list[ast.ExceptHandler], scope: Scope, around: Around
) -> Iterator[Attempt]:
    """Yield the attempt that a `try` is for what its handlers lead to."""
    types = [handler.type for handler in handlers]
    taken = [around.exceptions(t, scope) if t is not None else ("BaseException",) for t in types]
    last = block.body[-1]
    yield Attempt(
        exceptions=tuple(sorted({name for names in taken for name in names})),
        place=scope.module.place(block.body[0]),
        end_line=last.end_lineno or last.lineno,
    )
