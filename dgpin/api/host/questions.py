"""What is known where a node is reached: tests that were answered on the way there."""

import ast
from collections.abc import Iterator
from itertools import takewhile

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.module import Binding, How, Scope
from dgpin.api.host.outcomes import Outcomes
from dgpin.api.host.values import Callable, Class, Dotted, Instance

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Whether the condition holds where a test runs.
_SKIPS = {"skipif": False, "skipIf": False, "skipUnless": True}
_ASKING = frozenset({"bool", "callable", "all"})
_DEEPEST = 4
Atom = tuple[ast.expr, Scope, bool]  # an expression that is known to hold, or not to hold


class Questions:
    """Answers about tests."""

    def __init__(self, evaluator: Evaluator, outcomes: Outcomes) -> None:
        self.evaluator = evaluator
        self.outcomes = outcomes

    def known(self, node: ast.AST, scope: Scope) -> list[Atom]:
        """Return what holds, and what does not, where a node is reached.

        Around a function too: its body runs where its `def` was reached.
        """
        atoms: list[Atom] = []
        below: ast.AST = node
        for parent, name in scope.module.above(node):
            for test, holds in deciding(parent, name, below):
                atoms += self.atoms(test, scope, holds=holds)
            atoms += self._earlier(parent, name, below, scope)
            if isinstance(parent, FUNCTIONS):
                for test, where, holds in _skips(scope.module.scopes[parent]):
                    atoms += self.atoms(test, where, holds=holds)
            scope = outside(parent, scope)
            below = parent
        return atoms

    def _earlier(self, parent: ast.AST, name: str, below: ast.AST, scope: Scope) -> list[Atom]:
        """Return what the statements before one, in its block, leave known."""
        atoms: list[Atom] = []
        for statement in before(parent, name, below):
            if isinstance(statement, ast.Assert):
                atoms += self.atoms(statement.test, scope, holds=True)
            elif (
                isinstance(statement, ast.If)
                and not statement.orelse
                and self.outcomes.leaves(statement.body, scope)
            ):
                atoms += self.atoms(statement.test, scope, holds=False)
        return atoms

    def atoms(self, test: ast.expr, scope: Scope, *, holds: bool, depth: int = 0) -> list[Atom]:
        """Split a test into what follows from it, names and functions followed."""
        match test:
            case ast.UnaryOp(op=ast.Not()):
                return self.atoms(test.operand, scope, holds=not holds, depth=depth)
            case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is holds:
                return [
                    a
                    for value in values
                    for a in self.atoms(value, scope, holds=holds, depth=depth)
                ]
            case ast.NamedExpr():
                return self.atoms(test.value, scope, holds=holds, depth=depth)
            case _:
                pass
        found: list[Atom] = [(test, scope, holds)]
        found += [
            atom
            for each, truth in _of_each(test, holds=holds)
            for atom in self.atoms(each, scope, holds=truth, depth=depth)
        ]
        if depth < _DEEPEST:
            for value, where in self.behind(test, scope, holds=holds):
                found += self.atoms(value, where, holds=holds, depth=depth + 1)
        return found

    def behind(self, test: ast.expr, scope: Scope, *, holds: bool) -> list[tuple[ast.expr, Scope]]:
        """Return the expression whose value a name, a function or a property has."""
        if isinstance(test, (ast.Name, ast.Attribute)):
            bindings = self.bindings(test, scope)
            return _value_of(bindings[0], holds=holds) if len(bindings) == 1 else []
        if isinstance(test, ast.Call) and test.args and ast.unparse(test.func) in _ASKING:
            return [(test.args[0], scope)]
        if not isinstance(test, ast.Call):
            return []
        found = []
        for value in self.evaluator.values(test.func, scope):
            if isinstance(value, Callable):
                found += single_answer(value.scope, holds=holds)
        return found

    def bindings(self, node: ast.expr, scope: Scope, depth: int = 0) -> list[Binding]:
        """Return what a name was bound to, or an attribute of self, of a class or of a module."""
        if isinstance(node, ast.Name):
            home = next((s for s in scope.enclosing() if node.id in s.bindings), None)
            return self._followed(home.bindings[node.id], depth) if home is not None else []
        if not isinstance(node, ast.Attribute):
            return []
        found: list[Binding] = []
        for value in self.evaluator.values(node.value, scope):
            if isinstance(value, (Class, Instance)):
                found += value.scope.attributes.get(node.attr, ())
                found += value.scope.bindings.get(node.attr, ())
            elif isinstance(value, Dotted):
                found += self._of_module(value.path, node.attr, depth)
        return found

    def _of_module(self, dotted: str, name: str, depth: int) -> list[Binding]:
        module = self.evaluator.project.module(dotted)
        bindings = module.top.bindings.get(name, []) if module is not None else []
        return self._followed(bindings, depth)

    def _followed(self, bindings: list[Binding], depth: int) -> list[Binding]:
        """Return where the value of an imported name is set."""
        if len(bindings) == 1 and bindings[0].attribute and depth < _DEEPEST:
            source = bindings[0]
            return self._of_module(source.module, source.attribute, depth + 1)
        return bindings


def _of_each(test: ast.expr, *, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what a true `all(…)`, a false `any(…)` and `None in …` say of each."""
    match test:
        case ast.Compare(
            left=ast.Constant(value=None),
            ops=[ast.In() | ast.NotIn() as op],
            comparators=[ast.Tuple(elts=items) | ast.List(elts=items)],
        ) if isinstance(op, ast.NotIn) is holds:
            for item in items:
                yield _compared(test, item, ast.IsNot(), test.left), True
        case ast.Call(func=ast.Name(id="all" | "any" as name), args=[given]) if holds is (
            name == "all"
        ):
            yield from ((each, holds) for each in _asked_of(given))
        case _:
            return


def _asked_of(given: ast.expr) -> Iterator[ast.expr]:
    """Yield the tests in `(a, b)`, or in `x is not None for x in (a, b)`."""
    match given:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            yield from items
        case ast.GeneratorExp(
            elt=ast.Compare(left=ast.Name(id=left), ops=[op], comparators=[right]) as elt,
            generators=[
                ast.comprehension(
                    target=ast.Name(id=name),
                    iter=ast.Tuple(elts=items) | ast.List(elts=items),
                    ifs=[],
                )
            ],
        ) if left == name:
            yield from (_compared(elt, item, op, right) for item in items)
        case _:
            return


def _compared(like: ast.expr, item: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
    made = ast.Compare(left=item, ops=[op], comparators=[right])
    return ast.copy_location(made, like)


def _value_of(binding: Binding, *, holds: bool) -> list[tuple[ast.expr, Scope]]:
    if binding.how is How.DEFINED and binding.node in binding.scope.module.scopes:
        function = binding.scope.module.scopes[binding.node]
        is_property = bool(getattr(function.node, "decorator_list", ()))
        return single_answer(function, holds=holds) if is_property else []
    if binding.how is How.ASSIGNED and binding.index is None and binding.value is not None:
        return [(binding.value, binding.scope)]
    return []


def outside(parent: ast.AST, scope: Scope) -> Scope:
    """Return the scope of what stands around a node in a scope."""
    inner = scope.module.scopes.get(parent)
    return inner.outer or inner if inner is not None else scope


def deciding(parent: ast.AST, name: str, below: ast.AST) -> list[tuple[ast.expr, bool]]:
    """Return the tests that were answered on the way from a node to what is below it."""
    match parent:
        case ast.If() | ast.IfExp() | ast.While() if name in {"body", "orelse"}:
            while_else = isinstance(parent, ast.While) and name == "orelse"
            return [] if while_else else [(parent.test, name == "body")]
        case ast.BoolOp(op=op, values=values):
            earlier = values[: values.index(below)] if isinstance(below, ast.expr) else []
            return [(value, isinstance(op, ast.And)) for value in earlier]
        case ast.comprehension(ifs=ifs) if name == "ifs":
            return [(test, True) for test in takewhile(lambda test: test is not below, ifs)]
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            # A generator's own tests say nothing yet where it, or one before it, is read.
            done = takewhile(lambda generator: generator is not below, parent.generators)
            return [(test, True) for generator in done for test in generator.ifs]
        case _:
            return []


def before(parent: ast.AST, name: str, below: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements before one in its block."""
    block = getattr(parent, name, None)
    for statement in block if isinstance(block, list) else ():
        if statement is below:
            return
        if isinstance(statement, ast.stmt):
            yield statement


def _skips(function: Scope) -> Iterator[Atom]:
    """Yield what holds where a test runs that is skipped otherwise, itself or with its class."""
    owner = function.owner
    marks = [
        (mark, around.outer or around)
        for around in (function, *([owner] if owner is not None else []))
        for mark in getattr(around.node, "decorator_list", ())
    ]
    top = function.module.top
    marks += [(b.value, top) for b in top.bindings.get("pytestmark", ()) if b.value is not None]
    for mark, scope in marks:
        for each in mark.elts if isinstance(mark, (ast.List, ast.Tuple)) else (mark,):
            yield from _skip(each, scope)


def _skip(mark: ast.expr, scope: Scope) -> Iterator[Atom]:
    """Yield what a mark for a test asks, that of a name too: `needs_it = pytest.mark.skipif(…)`."""
    if isinstance(mark, ast.Name):
        bindings = scope.module.top.bindings.get(mark.id, ())
        mark = bindings[0].value or mark if len(bindings) == 1 else mark
    if isinstance(mark, ast.Call):
        name = ast.unparse(mark.func).rpartition(".")[2]
        if name in _SKIPS:
            asked = mark.args[:1] or [k.value for k in mark.keywords if k.arg == "condition"]
            yield from ((test, scope, _SKIPS[name]) for test in asked)


def single_answer(scope: Scope, *, holds: bool) -> list[tuple[ast.expr, Scope]]:
    """Return the one expression that decides a function's answer, plain False and None aside."""
    if isinstance(scope.node, ast.Lambda):
        return [(scope.node.body, scope)]
    values = [r.value for r in scope.returns if r.value is not None]
    if holds:
        values = [
            v for v in values if not (isinstance(v, ast.Constant) and v.value in {False, None})
        ]
    return [(values[0], scope)] if len(values) == 1 else []
