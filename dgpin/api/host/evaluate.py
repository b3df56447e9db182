"""Follow names, attributes and calls of the host to what they stand for."""

import ast
from collections.abc import Callable as Function
from typing import Any

from dgpin.api.host import classes, literals, order, probes
from dgpin.api.host.module import Binding, How, Module, Scope
from dgpin.api.host.passing import passed
from dgpin.api.host.project import Project
from dgpin.api.host.values import (
    Api,
    Argument,
    Callable,
    Class,
    Dotted,
    Double,
    Frame,
    Instance,
    Literal,
    Nothing,
    Pack,
    SignatureOf,
    Text,
    Value,
    Values,
    unique,
)
from dgpin.api.uses import Target
from dgpin.verdict import Place

_MOST = 24  # alternatives of one expression
_MOST_STEPS = 500  # to one answer: calls that unpack each other's tuples double with each
_LONGEST = 40  # expressions that lead to each other
_DEEPEST = 4  # calls of the host followed into each other
_TRANSPARENT = frozenset(
    {"functools.cache", "functools.wraps", "functools.lru_cache", "typing.cast", "typing.final"}
    | {"builtins.staticmethod"}
)
_PARAMETERS = frozenset({"parameters", "args", "kwonlyargs", "co_varnames"})
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class Evaluator:
    """Values of expressions in a project. `given` holds what reaches parameters from callers."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.given: dict[tuple[Scope, str], Values] = {}
        self._known: dict[ast.expr, Values] = {}
        self._names: dict[tuple[Scope, str], Values] = {}
        # The same, of what rests on nothing that is given.
        self._settled: dict[ast.expr, Values] = {}
        self._settled_names: dict[tuple[Scope, str], Values] = {}
        self._asked = 0  # times that something given was asked for, or what rests on it
        self._busy: set[tuple[int, int]] = set()
        self._steps = 0
        self._cuts = 0  # times that a circle was cut: what it touched is not the whole truth

    def forget(self) -> None:
        """Drop what rests on what was given before `given` grew."""
        self._known.clear()
        self._names.clear()

    def values(self, node: ast.expr, scope: Scope, frame: Frame | None = None) -> Values:
        """Return what an expression may stand for; nothing when that is not known."""
        if frame is None and node in self._settled:
            return self._settled[node]
        if frame is None and node in self._known:
            self._asked += 1
            return self._known[node]
        key = (id(node), id(frame))
        self._steps = self._steps + 1 if self._busy else 0
        if key in self._busy or len(self._busy) > _LONGEST or self._steps > _MOST_STEPS:
            self._cuts += 1
            return ()
        cuts, asked = self._cuts, self._asked
        self._busy.add(key)
        try:
            found = self._values(node, scope, frame)[:_MOST]
        except RecursionError:
            # A host may be nested deeper than Python's stack; what is so deep is not known.
            self._cuts += 1
            found = ()
        finally:
            self._busy.discard(key)
        if frame is None and (cuts, asked) == (self._cuts, self._asked):
            self._settled[node] = found
        elif frame is None and (cuts == self._cuts or not self._busy):
            self._known[node] = found
        return found

    def _values(self, node: ast.expr, scope: Scope, frame: Frame | None) -> Values:
        reader = _READERS.get(type(node))
        return reader(self, node, scope, frame) if reader is not None else ()

    # Names ------------------------------------------------------------------------------------

    def name(
        self, name: str, scope: Scope, node: ast.AST | None, frame: Frame | None = None
    ) -> Values:
        """Return what a name stands for where `node` reads it; anywhere when it is None."""
        for around in scope.enclosing():
            if around.is_class and around is not scope:
                continue
            if name in around.bindings and name not in around.outside:
                return self._bound(name, around, node if around is scope else None, frame)
        return self._from_star(name, scope.module)

    def _bound(self, name: str, scope: Scope, node: ast.AST | None, frame: Frame | None) -> Values:
        bindings = scope.bindings[name]
        lasts = node is None and frame is None
        if lasts and (scope, name) in self._settled_names:
            return self._settled_names[scope, name]
        if lasts and (scope, name) in self._names:
            self._asked += 1
            return self._names[scope, name]
        cuts, asked = self._cuts, self._asked
        if node is None:
            bindings = order.lasting(scope, bindings)
        elif len(bindings) > 1:
            bindings = order.reaching(scope.module, bindings, node)
        groups = [
            (binding, self.bound(name, binding, frame if _within(frame, scope) else None))
            for binding in bindings
        ]
        found = order.joined(scope.module, name, groups)
        if lasts and cuts == self._cuts:
            (self._settled_names if asked == self._asked else self._names)[scope, name] = found
        return found

    def bound(self, name: str, binding: Binding, frame: Frame | None) -> Values:
        """Return what a binding gives to its name."""
        match binding.how:
            case How.PARAMETER:
                return self._parameter(name, binding, frame)
            case How.IMPORTED:
                place = binding.scope.module.place(binding.node)
                return self.imported(binding.module, binding.attribute, place)
            case How.DEFINED:
                return self._defined(binding)
            case How.ASSIGNED | How.LOOPED if binding.value is not None:
                found = self.values(binding.value, binding.scope, frame)
                if binding.how is How.LOOPED:
                    items = [
                        v
                        for value in found
                        for item in literals.elements(self, value)
                        for v in item
                    ]
                    found = unique(items)
                if binding.index is not None:
                    return unique(
                        [v for value in found for v in literals.item(self, value, binding.index)]
                    )
                return found
            case _:
                return ()

    def _parameter(self, name: str, binding: Binding, frame: Frame | None) -> Values:
        scope = binding.scope
        if frame is not None and frame.scope is scope and name in frame.arguments:
            return self.argument(frame.arguments[name])
        node = scope.node
        if scope.owner is not None and isinstance(node, _Function):
            kinds = {ast.unparse(d) for d in node.decorator_list}
            first = [*node.args.posonlyargs, *node.args.args][:1]
            if first and first[0].arg == name and "staticmethod" not in kinds:
                return (Instance(scope.owner),)
        self._asked += 1
        found = list(self.given.get((scope, name), ()))
        if binding.value is not None:
            default = self.values(binding.value, scope.outer or scope)
            found += [v for v in default if isinstance(v, Api)]
        if isinstance(binding.node, ast.arg) and binding.node.annotation is not None:
            kinds_of = self.values(binding.node.annotation, scope.outer or scope, None)
            found += [Instance(v.scope) for v in kinds_of if isinstance(v, Class)]
        return unique(found)

    def _defined(self, binding: Binding) -> Values:
        inner = binding.scope.module.scopes.get(binding.node)
        if inner is None:
            return ()
        if inner.is_class:
            return (Class(inner),)
        return (Callable(inner),)

    def imported(self, module: str, attribute: str, place: Place) -> Values:
        """Return what an import binds."""
        full = f"{module}.{attribute}" if attribute else module
        path = self.project.library(full)
        if path is not None:
            return (_one(path, place),)
        if not attribute:
            return (Dotted(module),)
        return self.member(module, attribute)

    def member(self, module: str, name: str) -> Values:
        """Return what a name in a module stands for."""
        found = self.project.module(module)
        key = (id(found), hash(name))
        if found is None or key in self._busy:
            return (Dotted(f"{module}.{name}"),)
        # Two modules may import a name from each other.
        self._busy.add(key)
        try:
            if name in found.top.bindings:
                return self.name(name, found.top, None)
            return self._from_star(name, found) or (Dotted(f"{module}.{name}"),)
        finally:
            self._busy.discard(key)

    def _from_star(self, name: str, module: Module) -> Values:
        """Return what a name may be that only a star import can have brought."""
        import builtins  # noqa: PLC0415 - a table of names

        if hasattr(builtins, name):
            return (Dotted(f"builtins.{name}"),)
        for binding in module.top.bindings.get("*", ()):
            path = self.project.library(binding.module)
            if path is not None and not name.startswith("_"):
                place = module.place(binding.node)
                return (Api((Target(path=f"{path}.{name}", place=place),)),)
            if path is None and self.project.module(binding.module) is not None:
                values = self.member(binding.module, name)
                if not all(isinstance(v, Dotted) for v in values):
                    return values
        return ()

    # Attributes and items ---------------------------------------------------------------------

    def attribute_of(self, node: ast.Attribute, scope: Scope, frame: Frame | None) -> Values:
        """Return what an attribute stands for."""
        place = scope.module.place(node)
        found: list[Value] = []
        for value in self.values(node.value, scope, frame):
            found += self.attribute(value, node.attr, place)
        return unique(found)

    def attribute(self, value: Value, name: str, place: Place) -> Values:
        """Return what an attribute of a value stands for."""
        match value:
            case Api():
                return _api_attribute(value, name, place)
            case Dotted(path=path):
                whole = self.project.library(f"{path}.{name}")
                return (_one(whole, place),) if whole is not None else self.member(path, name)
            case Instance(scope=scope) | Class(scope=scope):
                bound = isinstance(value, Instance)
                return classes.attribute(self, scope, name, depth=0, bound=bound)
            case SignatureOf(of=of, parameters=False) if name in _PARAMETERS:
                return (SignatureOf(of, parameters=True),)
            case Double(call=call, scope=scope):
                given = [k.value for k in call.keywords if k.arg == name]
                return unique([v for expr in given for v in self.values(expr, scope)])
            case _:
                return ()

    def item_of(self, node: ast.Subscript, scope: Scope, frame: Frame | None) -> Values:
        """Return what a subscript stands for."""
        found: list[Value] = []
        for value in self.values(node.value, scope, frame):
            match value:
                case Api():
                    found.append(value)  # kernel[grid]
                case Dotted(path="sys.modules"):
                    names = self.values(node.slice, scope, frame)
                    for name in (n.text for n in names if isinstance(n, Text)):
                        found += self.imported(name, "", scope.module.place(node))
                case Literal() | Pack():
                    keys = self.values(node.slice, scope, frame)
                    index = node.slice.value if isinstance(node.slice, ast.Constant) else None
                    found += literals.lookup(self, value, keys, index)
                case _:
                    pass
        return unique(found)

    # Texts and calls --------------------------------------------------------------------------

    def text_of(self, node: ast.expr, scope: Scope, frame: Frame | None) -> Values:
        """Return the texts that pieces make."""
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.BitOr):
                return (Literal(node, scope, frame),)
            parts: list[ast.expr] = [node.left, node.right] if isinstance(node.op, ast.Add) else []
        else:
            parts = list(node.values) if isinstance(node, ast.JoinedStr) else []
        texts: list[list[str]] = []
        for part in parts:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            known = [v.text for v in self.values(inner, scope, frame) if isinstance(v, Text)]
            if not known:
                return ()
            texts.append(known)
        whole = [""] if texts else []
        for known in texts:
            whole = [before + text for before in whole for text in known]
        return unique([Text(text) for text in whole[:_MOST]])

    def result_of(self, node: ast.Call, scope: Scope, frame: Frame | None) -> Values:
        """Return what a call gives."""
        found: list[Value] = []
        for func in self.values(node.func, scope, frame):
            match func:
                case Callable(scope=inner):
                    found += self._called(node, func, inner, scope, frame)
                case Class(scope=inner):
                    found.append(Instance(inner))
                case Dotted(path=path):
                    if path in _TRANSPARENT:
                        found += [v for a in node.args[-1:] for v in self.values(a, scope, frame)]
                    else:
                        found += probes.called(self, path, node, scope, frame)
                case Api(targets=targets) if "()" not in func.path:
                    place = scope.module.place(node)
                    found.append(
                        Api(tuple(Target(path=f"{t.path}()", place=place) for t in targets))
                    )
        if not found and isinstance(node.func, ast.Attribute):
            found += probes.method(self, node, scope, frame)
        return unique(found)

    def _called(
        self, node: ast.Call, func: Callable, inner: Scope, scope: Scope, frame: Frame | None
    ) -> Values:
        if frame is not None and frame.depth >= _DEEPEST:
            return ()
        place = frame.place if frame is not None else scope.module.place(node)
        return self.returned(inner, Frame(inner, passed(node, func, scope, frame), place, frame))

    def argument(self, given: Argument) -> Values:
        """Return what an argument of a call may stand for."""
        found = tuple(self.values(node, given.scope, given.frame) for node in given.nodes)
        return (Pack(found),) if given.packed else found[0]

    def returned(self, scope: Scope, frame: Frame | None) -> Values:
        """Return what calling a host function gives."""
        if isinstance(scope.node, ast.Lambda):
            return self.values(scope.node.body, scope, frame)
        found: list[Value] = []
        for statement in scope.returns:
            if statement.value is not None:
                values = self.values(statement.value, scope, frame)
                if values and isinstance(statement.value, ast.Name):
                    values = order.asked_for(statement, statement.value.id, scope, values)
                found += values
        if any(isinstance(v, Nothing) for v in found):
            # Another return gives None after all.
            found = [v.or_none() if isinstance(v, Api) else v for v in found]
        return unique(found)


def _name(e: Evaluator, node: ast.expr, scope: Scope, frame: Frame | None) -> Values:
    return e.name(node.id, scope, node, frame) if isinstance(node, ast.Name) else ()


def _constant(_: Evaluator, node: ast.expr, __: Scope, ___: Frame | None) -> Values:
    if isinstance(node, ast.Constant) and node.value is None:
        return (Nothing(),)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (Text(node.value),)
    return ()


def _choice(e: Evaluator, node: ast.expr, scope: Scope, frame: Frame | None) -> Values:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return order.chained([e.values(v, scope, frame) for v in node.values])
    if isinstance(node, ast.BoolOp):
        return e.values(node.values[-1], scope, frame)
    if isinstance(node, ast.IfExp):
        both = (node.body, node.orelse)
        return unique([v for part in both for v in e.values(part, scope, frame)])
    return ()


def _inner(e: Evaluator, node: ast.expr, scope: Scope, frame: Frame | None) -> Values:
    if isinstance(node, (ast.NamedExpr, ast.Await)):
        return e.values(node.value, scope, frame)
    return ()


def _literal(_: Evaluator, node: ast.expr, scope: Scope, frame: Frame | None) -> Values:
    return (Literal(node, scope, frame),)


def _lambda(_: Evaluator, node: ast.expr, scope: Scope, __: Frame | None) -> Values:
    return (Callable(scope.module.scopes[node]),)


def _api_attribute(value: Api, name: str, place: Place) -> Values:
    if name == "__name__":
        return tuple(Text(t.path) for t in value.targets)
    if name in {"__signature__", "__code__"}:
        return (SignatureOf(value),)
    if (name.startswith("__") and name != "__version__") or "()." in value.path:
        return ()
    return (
        Api(
            tuple(
                Target(path=f"{t.path}.{name}", place=place, optional=False) for t in value.targets
            )
        ),
    )


def _one(path: str, place: Place) -> Api:
    return Api((Target(path=path, place=place),))


def _within(frame: Frame | None, scope: Scope) -> bool:
    """Whether a frame says something about a scope: it is of that function or of one inside."""
    return frame is not None and any(s is frame.scope for s in scope.enclosing())


_Read = Function[[Evaluator, Any, Scope, Frame | None], Values]
_READERS: dict[type[ast.expr], _Read] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BoolOp: _choice,
    ast.IfExp: _choice,
    ast.NamedExpr: _inner,
    ast.Await: _inner,
    ast.Attribute: Evaluator.attribute_of,
    ast.Call: Evaluator.result_of,
    ast.Subscript: Evaluator.item_of,
    ast.JoinedStr: Evaluator.text_of,
    ast.BinOp: Evaluator.text_of,
    ast.Dict: _literal,
    ast.DictComp: _literal,
    ast.List: _literal,
    ast.Tuple: _literal,
    ast.Set: _literal,
    ast.Lambda: _lambda,
}
