"""What stands around a use: handlers, questions asked before, and what happens without it."""

import ast
from collections.abc import Iterator

from dgpin.api.host import order
from dgpin.api.host.absence import Absence
from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.marks import Marks
from dgpin.api.host.module import Module, Scope
from dgpin.api.host.outcomes import Outcomes
from dgpin.api.host.passing import passed
from dgpin.api.host.questions import FUNCTIONS, Questions, single_answer
from dgpin.api.host.tried import Tried, names_of
from dgpin.api.host.values import (
    LIBRARY,
    Api,
    Callable,
    Dotted,
    Frame,
    Literal,
    SignatureOf,
    Text,
)
from dgpin.api.uses import Guard, Handler, Outcome, Then

VERSION = f"{LIBRARY}.__version__"
_VERSIONS = frozenset({"version", "get_distribution"})
_VERSION_WORDS = ("__version__", *(f"{name}(" for name in _VERSIONS))


class Around:
    """Answers about the surroundings of nodes."""

    def __init__(self, evaluator: Evaluator, marks: Marks) -> None:
        self.evaluator = evaluator
        self.marks = marks
        self.outcomes = Outcomes(evaluator)
        self.questions = Questions(evaluator, self.outcomes)
        self.absence = Absence(evaluator, self.questions)
        self.tried = Tried(evaluator, marks, self.questions)
        self._speaking: dict[str, bool] = {}
        self._told: dict[
            tuple[ast.expr, Scope, bool], list[Guard]
        ] = {}  # many uses stand behind one

    # Handlers ---------------------------------------------------------------------------------

    def handlers(self, node: ast.AST, scope: Scope) -> tuple[Handler, ...]:
        """Return the handlers around a node, nearest first, up to its function."""
        found: list[Handler] = []
        for parent, name in scope.module.above(node):
            if isinstance(parent, ast.Try) and name == "body":
                found += [self._handler(h, scope) for h in parent.handlers]
            elif isinstance(parent, (ast.With, ast.AsyncWith)) and name == "body":
                found += [h for item in parent.items for h in self._suppress(item, scope)]
            elif isinstance(parent, FUNCTIONS):
                break
        return tuple(found)

    def _handler(self, node: ast.ExceptHandler, scope: Scope) -> Handler:
        return Handler(
            exceptions=self.exceptions(node.type, scope) if node.type else ("BaseException",),
            place=scope.module.place(node),
            outcome=self.outcomes.of(node.body, scope),
        )

    def exceptions(self, node: ast.expr, scope: Scope) -> tuple[str, ...]:
        """Return the names of exceptions, those in a tuple that is named included."""
        found: list[str] = []
        for item in node.elts if isinstance(node, ast.Tuple) else [node]:
            tuples = [
                v.node
                for v in (self.evaluator.values(item, scope) if isinstance(item, ast.Name) else ())
                if isinstance(v, Literal)
            ]
            found += [name for each in (tuples or [item]) for name in names_of(each)]
        return tuple(found)

    def _suppress(self, item: ast.withitem, scope: Scope) -> Iterator[Handler]:
        call = item.context_expr
        if not isinstance(call, ast.Call) or not call.args:
            return
        paths = {v.path for v in self.evaluator.values(call.func, scope) if isinstance(v, Dotted)}
        if paths & {"contextlib.suppress", "pytest.raises"}:
            yield Handler(
                exceptions=tuple(n for arg in call.args for n in self.exceptions(arg, scope)),
                place=scope.module.place(call),
                outcome=Outcome(then=Then.GOES_ON),
            )

    def guards(self, node: ast.AST, scope: Scope) -> tuple[Guard, ...]:
        """Return the questions about the API that were answered before a node."""
        found: list[Guard] = []
        for test, where, holds in self.questions.known(node, scope):
            told = self._told.get((test, where, holds))
            if told is None:
                told = [
                    *self._guard(test, where, holds=holds),
                    *self.tried.flag(test, where, holds=holds),
                    *self._version(test, where),
                ]
                self._told[test, where, holds] = told
            found += told
        found += self.tried.around(node, scope)
        return tuple(dict.fromkeys(found))

    def _guard(
        self, test: ast.expr, scope: Scope, *, holds: bool, frame: Frame | None = None
    ) -> list[Guard]:
        place = scope.module.place(test)
        match test:
            case ast.Call(func=ast.Name(id="hasattr"), args=[owner, name]):
                paths = self.joined(owner, name, scope, frame)
                return [Guard(path=p, place=place, absent=not holds) for p in paths]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
                is_in = isinstance(op, ast.In) is holds
                return [
                    *self._parameter_guard(left, right, scope, frame, absent=not is_in),
                    *self._listed_guard(left, right, scope, absent=not is_in),
                ]
            case ast.Compare(
                left=left,
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None)],
            ):
                return self._there(left, scope, absent=isinstance(op, ast.Is) is holds)
            case ast.Name() | ast.Attribute():
                return self._there(test, scope, absent=not holds)
            case ast.Call():
                found = self._there(test, scope, absent=not holds)
                return found if frame else [*found, *self._asked(test, scope, holds=holds)]
            case _:
                return []

    def _asked(self, test: ast.Call, scope: Scope, *, holds: bool) -> list[Guard]:
        """Return what a function of the host asks, or has tried, before it gives its answer."""
        found: list[Guard] = []
        for func in self.evaluator.values(test.func, scope):
            if isinstance(func, Callable):
                for answer, where in single_answer(func.scope, holds=holds):
                    found += self.tried.before_return(answer, where)
                    if any(self.marks.carries(arg, scope) for arg in test.args):
                        given = passed(test, func, scope, None)
                        frame = Frame(func.scope, given, scope.module.place(test))
                        found += self._guard(answer, where, holds=holds, frame=frame)
        return found

    def _version(self, test: ast.expr, scope: Scope) -> list[Guard]:
        """Return the question for the library's version that a test asks, through names."""
        for node in ast.walk(test):
            found = False
            if isinstance(node, ast.Name):
                for binding in self.questions.bindings(node, scope):
                    if binding.value is not None and self._speaks(binding.scope.module):
                        inner = ast.walk(binding.value)
                        found |= any(self._is_version(n, binding.scope) for n in inner)
            elif self._speaks(scope.module):
                found = self._is_version(node, scope)
            if found:
                return [Guard(path=VERSION, place=scope.module.place(test))]
        return []

    def _gives_version(self, call: ast.Call, scope: Scope) -> bool:
        """Whether a function of the host gives the version, or what it makes of it."""
        return any(
            self._is_version(node, func.scope, depth=1)
            for func in self.evaluator.values(call.func, scope)
            if isinstance(func, Callable) and self._speaks(func.scope.module)
            for statement in func.scope.returns
            for node in ast.walk(statement)
        )

    def _speaks(self, module: Module) -> bool:
        """Whether a file asks for a version at all."""
        known = self._speaking.get(module.path)
        if known is None:
            known = any(word in module.text for word in _VERSION_WORDS)
            self._speaking[module.path] = known
        return known

    def _is_version(self, node: ast.AST, scope: Scope, depth: int = 0) -> bool:
        match node:
            case ast.Attribute(attr="__version__", value=owner):
                return self.marks.carries(owner, scope)
            case ast.Call(
                func=ast.Name(id="getattr"), args=[owner, ast.Constant(value="__version__"), *_]
            ):
                return self.marks.carries(owner, scope)
            case ast.Call(args=[ast.Constant(value=str(name)), *_], func=func):
                asked = LIBRARY in name.replace("-", "_")
                return asked and ast.unparse(func).rpartition(".")[2] in _VERSIONS
            case ast.Call() if not depth:
                return self._gives_version(node, scope)
            case _:
                return False

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

    def _listed_guard(
        self, left: ast.expr, right: ast.expr, scope: Scope, *, absent: bool
    ) -> list[Guard]:
        owner = listed(right)
        if owner is None or not self.marks.carries(owner, scope):
            return []
        place = scope.module.place(left)
        paths = self.joined(owner, left, scope)
        return [Guard(path=path, place=place, absent=absent) for path in paths]

    def _parameter_guard(
        self,
        left: ast.expr,
        right: ast.expr,
        scope: Scope,
        frame: Frame | None,
        *,
        absent: bool,
    ) -> list[Guard]:
        if not self.marks.carries(right, scope):
            return []
        names = [v.text for v in self.evaluator.values(left, scope, frame) if isinstance(v, Text)]
        return [
            Guard(path=t.path, place=scope.module.place(left), parameter=name, absent=absent)
            for value in self.evaluator.values(right, scope, frame)
            if isinstance(value, SignatureOf)
            for t in value.of.targets
            for name in names
        ]

    def joined(
        self, owner: ast.expr, name: ast.expr, scope: Scope, frame: Frame | None = None
    ) -> list[str]:
        """Return the paths that an owner and a name by text make."""
        names = [v.text for v in self.evaluator.values(name, scope, frame) if isinstance(v, Text)]
        return [
            f"{t.path}.{text}"
            for value in self.evaluator.values(owner, scope, frame)
            if isinstance(value, Api)
            for t in value.targets
            for text in names
        ]

    def absent(self, func: ast.expr, node: ast.AST, scope: Scope) -> Outcome | None:
        """Return what happens instead of a call when what it calls is None; `Absence` says how."""
        return self.absence.of(func, node, scope)


def listed(node: ast.expr) -> ast.expr | None:
    """Return whose names an expression lists: `dir(x)`, `vars(x)`, `x.__dict__`."""
    match node:
        case ast.Call(func=ast.Name(id="dir" | "vars"), args=[owner]):
            return owner
        case ast.Attribute(attr="__dict__", value=owner):
            return owner
        case _:
            return None


def _is_settled(node: ast.expr, scope: Scope) -> bool:
    """Whether a name has one value where it is read: a global that is None may not be set yet."""
    if not isinstance(node, ast.Name) or node.id in scope.outside:
        return False
    bindings = scope.bindings.get(node.id, [])
    return bool(bindings) and len(order.reaching(scope.module, bindings, node)) == 1


def is_for_checkers(module: Module, node: ast.AST, scope: Scope) -> bool:
    """Whether a node is for type checkers only: it never runs."""
    for parent, name in module.above(node):
        if isinstance(parent, ast.If) and name in {"body", "orelse"}:
            if _holds_for_checkers(parent.test) is (name == "body"):
                return True
        elif name in {"annotation", "returns"} and not isinstance(node, ast.stmt):
            # Those of a function's own variables are never evaluated.
            local = isinstance(parent, ast.AnnAssign) and scope.is_function
            return local or _defers_annotations(module)
    return False


def _holds_for_checkers(test: ast.expr) -> bool | None:
    """Return whether a test holds for type checkers and not when it runs, or the other way."""
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds = _holds_for_checkers(operand)
            return None if holds is None else not holds
        case _:
            return None


def _defers_annotations(module: Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node, _ in module.imports
    )
