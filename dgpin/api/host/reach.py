"""Who calls a function of the host, and what of the API reaches its parameters."""

import ast

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.marks import Marks
from dgpin.api.host.module import Scope
from dgpin.api.host.passing import passed
from dgpin.api.host.project import Project, called_name
from dgpin.api.host.values import (
    Api,
    Callable,
    Class,
    Instance,
    Partial,
    SignatureOf,
    Value,
    unique,
)
from dgpin.api.uses import Caller
from dgpin.verdict import Place

_ROUNDS = 6
_LEVELS = 3
_MOST = 24  # callers that are listed for one use
_NOWHERE = Place("")
_BUILTINS = frozenset({"getattr", "hasattr", "isinstance", "len", "print", "str", "repr", "id"})
_CARRIED = (Api, Partial, SignatureOf)
Call = tuple[ast.Call, Scope, Callable]


class Reach:
    """The host's own calls."""

    def __init__(self, project: Project, evaluator: Evaluator, marks: Marks) -> None:
        self.project = project
        self.marks = marks
        self.evaluator = evaluator
        self._calls: dict[Scope, list[Call]] = {}
        self._callers: dict[Scope, tuple[Caller, ...]] = {}
        self._methods: dict[str, list[Scope]] = {}
        self._aliases: dict[str, set[str]] = {}
        for module in project.modules:
            for scope in module.scopes.values():
                for alias, bindings in scope.bindings.items():
                    for binding in bindings:
                        if binding.attribute:
                            self._aliases.setdefault(binding.attribute, set()).add(alias)
                if scope.owner is not None:
                    self._methods.setdefault(scope.name.rpartition(".")[2], []).append(scope)

    def spread(self) -> None:
        """Let what callers pass reach the parameters of host functions, until nothing is new."""
        carrying = [
            (call, scope)
            for module in self.project.modules
            for call, scope in module.calls
            if self._carries(call, scope)
        ]
        for _ in range(_ROUNDS):
            news = [self._pass_on(call, scope) for call, scope in carrying]
            if not any(news):
                return
            self.evaluator.forget()

    def _carries(self, call: ast.Call, scope: Scope) -> bool:
        """Whether a call may pass a handle on to a function of the host."""
        if not call.args and not call.keywords:
            return False
        carries = self.marks.carries
        for arg in call.args:
            if carries(arg, scope):
                return called_name(call) not in _BUILTINS
        for keyword in call.keywords:
            if carries(keyword.value, scope):
                return called_name(call) not in _BUILTINS
        return False

    def _pass_on(self, call: ast.Call, scope: Scope) -> bool:
        """Pass what is known of a call's arguments on; return whether that was news."""
        given = self.evaluator.given
        grew = False
        for func in self._callees(call, scope):
            for name, argument in passed(call, func, scope, None).items():
                carried = [v for v in self.evaluator.argument(argument) if _is_carried(v)]
                before = given.get((func.scope, name), ())
                after = unique([*before, *carried])
                if carried and after != before:
                    given[func.scope, name] = after
                    grew = True
        return grew

    def _callees(self, call: ast.Call, scope: Scope) -> list[Callable]:
        values = self.evaluator.values(call.func, scope)
        found = [f for value in values for f in self._callable(value)]
        if not values and isinstance(call.func, ast.Attribute):
            # An object of unknown class: a method of that name may be meant.
            found = [Callable(s, bound=True) for s in self._methods.get(call.func.attr, ())]
        return found

    def _callable(self, value: Value) -> list[Callable]:
        if isinstance(value, Callable):
            return [value]
        if isinstance(value, Class):
            made = self.evaluator.attribute(Instance(value.scope), "__init__", _NOWHERE)
            return [v for v in made if isinstance(v, Callable)]
        return []

    def calls_of(self, function: Scope) -> list[Call]:
        """Return the calls of a function of the host, those of tests last."""
        if function in self._calls:
            return self._calls[function]
        name = function.name.rpartition(".")[2]
        found: list[Call] = []
        self._calls[function] = found
        if name in {"", "<lambda>"}:
            return found
        for call, scope in self._named(name):
            for value in self.evaluator.values(call.func, scope):
                if isinstance(value, Callable) and value.scope is function:
                    found.append((call, scope, value))
                    break
        found.sort(key=lambda c: (c[1].module.is_test, c[1].module.path, c[0].lineno))
        return found

    def _named(self, name: str) -> list[tuple[ast.Call, Scope]]:
        names = {name, *self._aliases.get(name, ())}
        return [pair for alias in sorted(names) for pair in self.project.calls.get(alias, ())]

    def callers(self, function: Scope) -> tuple[Caller, ...]:
        """Return the places from which a function is reached, level by level."""
        if function not in self._callers:
            self._callers[function] = self._reached_from(function)
        return self._callers[function]

    def _reached_from(self, function: Scope) -> tuple[Caller, ...]:
        found: dict[Caller, None] = {}
        current = [function]
        seen = {function}
        for depth in range(1, _LEVELS + 1):
            following: list[Scope] = []
            for callee in current:
                for call, scope, _ in self.calls_of(callee):
                    inside = next((s for s in scope.enclosing() if s.is_function), None)
                    place = scope.module.place(call)
                    caller = Caller(
                        place=place,
                        function=inside.name if inside is not None else "",
                        line=scope.module.line(place.line),
                        level=depth,
                    )
                    found.setdefault(caller)
                    if inside is not None and inside not in seen:
                        seen.add(inside)
                        following.append(inside)
            current = following
        return tuple(found)[:_MOST]


def _is_carried(value: Value) -> bool:
    """Whether a value is followed into parameters; what a call of the API gave is not."""
    return isinstance(value, _CARRIED) and not (isinstance(value, Api) and "()" in value.path)
