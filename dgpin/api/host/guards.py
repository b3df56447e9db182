"""What stands around a use: handlers, questions asked before, and what happens without it."""

import ast
from collections.abc import Iterator

from dgpin.api.host import order
from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.marks import Marks
from dgpin.api.host.module import How, Module, Scope
from dgpin.api.host.values import (
    LIBRARY,
    Api,
    Callable,
    Dotted,
    SignatureOf,
    Text,
    library,
)
from dgpin.api.uses import Guard, Handler, Outcome, Then

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_ENDS = (ast.Raise, ast.Return, ast.Continue, ast.Break)
VERSION = f"{LIBRARY}.__version__"
_ABSENCE = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
_ASKING = frozenset({"bool", "callable", "all"})
_DEEPEST = 4
Atom = tuple[ast.expr, Scope, bool]  # an expression that is known to hold, or not to hold


class Around:
    """Answers about the surroundings of nodes."""

    def __init__(self, evaluator: Evaluator, marks: Marks) -> None:
        self.evaluator = evaluator
        self.marks = marks

    # Handlers ---------------------------------------------------------------------------------

    def handlers(self, node: ast.AST, scope: Scope) -> tuple[Handler, ...]:
        """Return the handlers around a node, nearest first, up to its function."""
        found: list[Handler] = []
        for parent, name in scope.module.above(node):
            if isinstance(parent, ast.Try) and name == "body":
                found += [self._handler(h, scope) for h in parent.handlers]
            elif isinstance(parent, (ast.With, ast.AsyncWith)) and name == "body":
                found += [h for item in parent.items for h in self._suppress(item, scope)]
            elif isinstance(parent, _FUNCTIONS):
                break
        return tuple(found)

    def _handler(self, node: ast.ExceptHandler, scope: Scope) -> Handler:
        return Handler(
            exceptions=_names(node.type) if node.type is not None else ("BaseException",),
            place=scope.module.place(node),
            outcome=self.outcome(node.body, scope),
        )

    def _suppress(self, item: ast.withitem, scope: Scope) -> Iterator[Handler]:
        call = item.context_expr
        if not isinstance(call, ast.Call) or not call.args:
            return
        paths = {v.path for v in self.evaluator.values(call.func, scope) if isinstance(v, Dotted)}
        if paths & {"contextlib.suppress", "pytest.raises"}:
            yield Handler(
                exceptions=tuple(name for arg in call.args for name in _names(arg)),
                place=scope.module.place(call),
                outcome=Outcome(then=Then.GOES_ON),
            )

    # Outcomes ---------------------------------------------------------------------------------

    def outcome(self, body: list[ast.stmt], scope: Scope, depth: int = 0) -> Outcome:
        """Return what a block does in the end."""
        for statement in body:
            match statement:
                case ast.Raise(exc=None):
                    return Outcome(then=Then.RAISES, detail="raises it again")
                case ast.Raise(exc=ast.expr() as raised):
                    return _raised(raised)
                case ast.Return(value=value):
                    ends = self._never_returns(value, scope, depth) if value is not None else None
                    text = ast.unparse(value) if value is not None else "None"
                    return ends or Outcome(then=Then.RETURNS, detail=text)
                case ast.Expr(value=value):
                    ends = self._never_returns(value, scope, depth)
                    if ends is not None:
                        return ends
                case ast.Continue() | ast.Break():
                    return Outcome(then=Then.GOES_ON)
                case _:
                    pass
        return Outcome(then=Then.GOES_ON)

    def _never_returns(self, node: ast.expr, scope: Scope, depth: int) -> Outcome | None:
        """Return how a call ends, if it is one that always raises."""
        if not isinstance(node, ast.Call) or depth > _DEEPEST:
            return None
        for value in self.evaluator.values(node.func, scope):
            if isinstance(value, Callable) and isinstance(value.scope.node, ast.FunctionDef):
                body = value.scope.node.body
                if body and isinstance(body[-1], ast.Raise) and not value.scope.returns:
                    return self.outcome(body, value.scope, depth + 1)
            if isinstance(value, Dotted) and value.path in {"sys.exit", "pytest.fail"}:
                return Outcome(then=Then.RAISES, exception=value.path, detail=_first_text(node))
            if isinstance(value, Dotted) and value.path == "pytest.skip":
                return Outcome(then=Then.RETURNS, detail="the test is skipped")
        return None

    # Questions --------------------------------------------------------------------------------

    def known(self, node: ast.AST, scope: Scope) -> list[Atom]:
        """Return what holds, and what does not, where a node is reached."""
        atoms: list[Atom] = []
        below: ast.AST = node
        for parent, name in scope.module.above(node):
            for test, holds in _deciding(parent, name, below):
                atoms += self.atoms(test, scope, holds=holds)
            atoms += self._earlier(parent, name, below, scope)
            if isinstance(parent, _FUNCTIONS):
                break
            below = parent
        return atoms

    def _earlier(self, parent: ast.AST, name: str, below: ast.AST, scope: Scope) -> list[Atom]:
        """Return what the statements before one, in its block, leave known."""
        atoms: list[Atom] = []
        for statement in _before(parent, name, below):
            if isinstance(statement, ast.Assert):
                atoms += self.atoms(statement.test, scope, holds=True)
            elif (
                isinstance(statement, ast.If)
                and not statement.orelse
                and self._leaves(statement.body, scope)
            ):
                atoms += self.atoms(statement.test, scope, holds=False)
        return atoms

    def _leaves(self, body: list[ast.stmt], scope: Scope) -> bool:
        if any(isinstance(s, _ENDS) for s in body):
            return True
        return any(
            isinstance(s, ast.Expr)
            and isinstance(s.value, ast.Call)
            and (self._never_returns(s.value, scope, 0) is not None or _is_skip(s.value))
            for s in body
        )

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
        if depth < _DEEPEST:
            for value, where in self._behind(test, scope, holds=holds):
                found += self.atoms(value, where, holds=holds, depth=depth + 1)
        return found

    def _behind(self, test: ast.expr, scope: Scope, *, holds: bool) -> list[tuple[ast.expr, Scope]]:
        """Return the expression whose value a name, a function or a property has."""
        if isinstance(test, ast.Name):
            home = next((s for s in scope.enclosing() if test.id in s.bindings), None)
            bindings = home.bindings[test.id] if home is not None else []
            values = [b for b in bindings if b.how is How.ASSIGNED and b.index is None]
            if len(values) == len(bindings) == 1 and values[0].value is not None:
                return [(values[0].value, values[0].scope)]
            return []
        if isinstance(test, ast.Call) and test.args and ast.unparse(test.func) in _ASKING:
            return [(test.args[0], scope)]
        func = test.func if isinstance(test, ast.Call) else test
        if not isinstance(test, (ast.Call, ast.Attribute)):
            return []
        if isinstance(test, ast.Attribute):
            return self._stored(test, scope)
        found = []
        for value in self.evaluator.values(func, scope):
            if isinstance(value, Callable):
                found += _single_answer(value.scope, holds=holds)
        return found

    def _stored(self, test: ast.Attribute, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """Return what an attribute of self was set to, or what a property answers."""
        owner = next((s.owner for s in scope.enclosing() if s.owner is not None), None)
        if owner is None or not isinstance(test.value, ast.Name):
            return []
        bindings = [*owner.attributes.get(test.attr, ()), *owner.bindings.get(test.attr, ())]
        if len(bindings) != 1:
            return []
        binding = bindings[0]
        if binding.how is How.DEFINED and binding.node in scope.module.scopes:
            return _single_answer(scope.module.scopes[binding.node], holds=True)
        if binding.how is How.ASSIGNED and binding.value is not None:
            return [(binding.value, binding.scope)]
        return []

    def guards(self, node: ast.AST, scope: Scope) -> tuple[Guard, ...]:
        """Return the questions about the API that were answered before a node."""
        found: list[Guard] = []
        for test, where, holds in self.known(node, scope):
            found += self._guard(test, where, holds=holds)
            found += self._version(test, where)
        found += self._handled(node, scope)
        return tuple(dict.fromkeys(found))

    def _guard(self, test: ast.expr, scope: Scope, *, holds: bool) -> list[Guard]:
        place = scope.module.place(test)
        match test:
            case ast.Call(func=ast.Name(id="hasattr"), args=[owner, name]):
                paths = self.joined(owner, name, scope)
                return [Guard(path=p, place=place, absent=not holds) for p in paths]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
                is_in = isinstance(op, ast.In) is holds
                return self._parameter_guard(left, right, scope, absent=not is_in)
            case ast.Compare(
                left=left,
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None)],
            ):
                return self._there(left, scope, absent=isinstance(op, ast.Is) is holds)
            case ast.Name() | ast.Attribute() | ast.Call():
                return self._there(test, scope, absent=not holds)
            case _:
                return []

    def _version(self, test: ast.expr, scope: Scope) -> list[Guard]:
        """Return the question for the library's version that a test asks, through names."""
        for node in ast.walk(test):
            values: list[ast.expr] = [node] if isinstance(node, ast.Attribute) else []
            if isinstance(node, ast.Name):
                values = [value for value, _ in self._behind(node, scope, holds=True)]
            for inner in (n for value in values for n in ast.walk(value)):
                if (
                    isinstance(inner, ast.Attribute)
                    and inner.attr == "__version__"
                    and self.marks.carries(inner.value, scope)
                ):
                    return [Guard(path=VERSION, place=scope.module.place(test))]
        return []

    def _handled(self, node: ast.AST, scope: Scope) -> list[Guard]:
        """Return what a handler around a node waits for: the one name that its `try` reaches."""
        for parent, _ in scope.module.above(node):
            if isinstance(parent, ast.ExceptHandler) and parent.type is not None:
                if not set(_names(parent.type)) <= _ABSENCE:
                    return []
                block = scope.module.parents[parent][0]
                body = block.body if isinstance(block, ast.Try) else []
                paths = {path for statement in body for path in self._reached(statement, scope)}
                place = scope.module.place(parent)
                return [Guard(path=p, place=place, absent=True) for p in paths if len(paths) == 1]
            if isinstance(parent, _FUNCTIONS):
                break
        return []

    def _reached(self, statement: ast.stmt, scope: Scope) -> Iterator[str]:
        """Yield the names of the API that a statement reaches, without a default."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and self.marks.carries(node, scope):
                for value in self.evaluator.values(node, scope):
                    if isinstance(value, Api) and value.targets[0].place == scope.module.place(
                        node
                    ):
                        yield value.path
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    path = library(f"{scope.module.absolute(node)}.{alias.name}")
                    if path is not None:
                        yield path

    def _there(self, node: ast.expr, scope: Scope, *, absent: bool) -> list[Guard]:
        if not self.marks.carries(node, scope) or (absent and not _is_settled(node, scope)):
            return []
        place = scope.module.place(node)
        return [
            Guard(path=t.path, place=place, absent=absent)
            for value in self.evaluator.values(node, scope)
            if isinstance(value, Api)
            for t in value.targets
            if t.optional and (absent or len(value.targets) == 1)
        ]

    def _parameter_guard(
        self, left: ast.expr, right: ast.expr, scope: Scope, *, absent: bool
    ) -> list[Guard]:
        if not self.marks.carries(right, scope):
            return []
        names = [v.text for v in self.evaluator.values(left, scope) if isinstance(v, Text)]
        return [
            Guard(path=t.path, place=scope.module.place(left), parameter=name, absent=absent)
            for value in self.evaluator.values(right, scope)
            if isinstance(value, SignatureOf)
            for t in value.of.targets
            for name in names
        ]

    def joined(self, owner: ast.expr, name: ast.expr, scope: Scope) -> list[str]:
        """Return the paths that an owner and a name by text make."""
        names = [v.text for v in self.evaluator.values(name, scope) if isinstance(v, Text)]
        return [
            f"{t.path}.{text}"
            for value in self.evaluator.values(owner, scope)
            if isinstance(value, Api)
            for t in value.targets
            for text in names
        ]

    def absent(self, func: ast.expr, node: ast.AST, scope: Scope) -> Outcome | None:
        """Return what happens instead of a call when what it calls is None.

        None where the host does not ask, so that None itself would be called.
        """
        wanted = ast.unparse(func)
        below: ast.AST = node
        for parent, name in scope.module.above(node):
            for test, holds in _deciding(parent, name, below):
                if self._says(test, scope, wanted, holds=holds):
                    return self.outcome(_other_branch(parent, name), scope)
            for statement in _before(parent, name, below):
                found = self._leaving(statement, scope, wanted)
                if found is not None:
                    return found
            if isinstance(parent, _FUNCTIONS):
                break
            below = parent
        return None

    def _leaving(self, statement: ast.stmt, scope: Scope, wanted: str) -> Outcome | None:
        """Return how a statement leaves the block when what is wanted is None."""
        if isinstance(statement, ast.Assert):
            asked = self._says(statement.test, scope, wanted, holds=True)
            return Outcome(then=Then.RAISES, exception="AssertionError") if asked else None
        if isinstance(statement, ast.If) and self._leaves(statement.body, scope):
            asked = self._says(statement.test, scope, wanted, holds=False)
            return self.outcome(statement.body, scope) if asked else None
        return None

    def _says(self, test: ast.expr, scope: Scope, wanted: str, *, holds: bool) -> bool:
        """Whether an answered test says that what is wanted is not None."""
        atoms = self.atoms(test, scope, holds=holds)
        return any(_is_there(atom, wanted, holds=known) for atom, _, known in atoms)


def _deciding(parent: ast.AST, name: str, below: ast.AST) -> list[tuple[ast.expr, bool]]:
    """Return the tests that were answered on the way from a node to what is below it."""
    match parent:
        case ast.If() | ast.IfExp() | ast.While() if name in {"body", "orelse"}:
            while_else = isinstance(parent, ast.While) and name == "orelse"
            return [] if while_else else [(parent.test, name == "body")]
        case ast.BoolOp(op=op, values=values):
            earlier = values[: values.index(below)] if isinstance(below, ast.expr) else []
            return [(value, isinstance(op, ast.And)) for value in earlier]
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            tests = [test for generator in parent.generators for test in generator.ifs]
            return [(test, True) for test in tests if test is not below]
        case _:
            return []


def _other_branch(parent: ast.AST, name: str) -> list[ast.stmt]:
    """Return the statements that run when an `if` decides the other way."""
    if not isinstance(parent, ast.If):
        return []
    return parent.orelse if name == "body" else parent.body


def _before(parent: ast.AST, name: str, below: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements before one in its block."""
    block = getattr(parent, name, None)
    for statement in block if isinstance(block, list) else ():
        if statement is below:
            return
        if isinstance(statement, ast.stmt):
            yield statement


def _is_settled(node: ast.expr, scope: Scope) -> bool:
    """Whether a name has one value where it is read: a global that is None may not be set yet."""
    if not isinstance(node, ast.Name) or node.id in scope.outside:
        return False
    bindings = scope.bindings.get(node.id, [])
    return bool(bindings) and len(order.reaching(scope.module, bindings, node)) == 1


def in_type_checking(module: Module, node: ast.AST) -> bool:
    """Whether a node is for type checkers only."""
    return any(
        isinstance(parent, ast.If)
        and name == "body"
        and ast.unparse(parent.test).endswith("TYPE_CHECKING")
        for parent, name in module.above(node)
    )


def _single_answer(scope: Scope, *, holds: bool) -> list[tuple[ast.expr, Scope]]:
    """Return the one expression that decides a function's answer, plain False and None aside."""
    if isinstance(scope.node, ast.Lambda):
        return [(scope.node.body, scope)]
    values = [r.value for r in scope.returns if r.value is not None]
    if holds:
        values = [
            v for v in values if not (isinstance(v, ast.Constant) and v.value in {False, None})
        ]
    return [(values[0], scope)] if len(values) == 1 else []


def _is_there(test: ast.expr, wanted: str, *, holds: bool) -> bool:
    """Whether an answered test says that what is wanted is not None."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
            return ast.unparse(left) == wanted and isinstance(op, ast.IsNot if holds else ast.Is)
        case ast.Name() | ast.Attribute():
            return holds and ast.unparse(test) == wanted
        case ast.Call(func=ast.Name(id="callable"), args=[asked]):
            return holds and ast.unparse(asked) == wanted
        case _:
            return False


def _is_skip(call: ast.Call) -> bool:
    return ast.unparse(call.func) in {"pytest.skip", "sys.exit", "exit", "quit"}


def _names(node: ast.expr) -> tuple[str, ...]:
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return tuple(ast.unparse(item).rpartition(".")[2] for item in items)


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
