"""What a call passes, followed through dict literals, conditions, `.update()` and wrappers."""

import ast

from dgpin.api.host import altered, order
from dgpin.api.host.argument import argument_of
from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.guards import Around
from dgpin.api.host.keywords import Guards, Names, either
from dgpin.api.host.module import Binding, How, Scope, blocks
from dgpin.api.host.values import Literal, Pack, Text
from dgpin.api.host.wrappers import Passed, is_own
from dgpin.api.uses import Argument, Arguments

_DEEPEST = 6


class Reader:
    """Reads the arguments of calls."""

    def __init__(self, evaluator: Evaluator, around: Around) -> None:
        self.evaluator = evaluator
        self.around = around

    def passed(self, call: ast.Call, scope: Scope, *, skip: int = 0) -> Passed:
        """Return what a call passes; `skip` leading arguments are not the callee's."""
        places: list[Argument] = []
        is_open = hands_on = False
        for arg in call.args[skip:]:
            if not isinstance(arg, ast.Starred):
                places.append(argument_of(arg, scope))
            elif is_own(arg.value, scope, "vararg"):
                hands_on = True
            else:
                known = self._spread(arg.value, scope)
                is_open |= known is None
                places += known or []
        names = Names()
        for keyword in call.keywords:
            if keyword.arg is not None:
                names.put(keyword.arg, argument_of(keyword.value, scope), certain=True)
            else:
                names.merge(self._names(keyword.value, scope, call, 0))
        return Passed(
            arguments=Arguments(
                positional=tuple(places),
                keywords=names.as_keywords(),
                open_positional=is_open,
                open_keywords=names.is_open,
            ),
            hands_on_places=hands_on,
            hands_on_names=names.handed_on,
            dropped=frozenset(names.dropped),
        )

    def _spread(self, node: ast.expr, scope: Scope) -> list[Argument] | None:
        values = self.evaluator.values(node, scope)
        if len(values) != 1:
            return None
        value = values[0]
        if isinstance(value, Literal) and isinstance(value.node, (ast.Tuple, ast.List)):
            if any(isinstance(item, ast.Starred) for item in value.node.elts):
                return None
            if not self._is_settled(node, scope, value):
                return None
            return [argument_of(item, value.scope) for item in value.node.elts]
        if isinstance(value, Pack):
            return [Argument(text="…") for _ in value.items]
        return None

    def _is_settled(self, node: ast.expr, scope: Scope, value: Literal) -> bool:
        """Whether a list or a tuple is still what it was written as."""
        if isinstance(node, ast.Attribute):
            return altered.is_settled(self.evaluator, node, scope, value)
        if not isinstance(node, ast.Name):
            return not any(name in value.scope.changes for name in altered.names_of(value))
        home = next((s for s in scope.enclosing() if node.id in s.bindings), None)
        if home is None or any(b.how is How.IMPORTED for b in home.bindings[node.id]):
            return altered.is_settled(self.evaluator, node, scope, value)
        bindings = home.bindings[node.id]
        if home is scope:
            bindings = order.reaching(scope.module, bindings, node)
        if any(b.how is How.OTHER for b in bindings) or node.id in home.changes:
            return False
        return not altered.is_altered(self.evaluator, node.id, home, node)

    # Keywords ---------------------------------------------------------------------------------

    def _names(self, node: ast.expr, scope: Scope, call: ast.AST, depth: int) -> Names:
        """Return the keywords of a `**` argument as they are where the call stands."""
        match node:
            case _ if depth > _DEEPEST:
                found = Names(is_open=True)
            case ast.Dict():
                found = self._dict(node, scope, call, depth)
            case ast.Call(func=ast.Name(id="dict")):
                found = self._dict_call(node, scope, call, depth)
            case ast.Name():
                found = self._name(node, scope, call, depth)
            case ast.IfExp(body=body, orelse=orelse):
                found = either(
                    [
                        (self._names(p, scope, call, depth + 1), self.around.guards(p, scope))
                        for p in (body, orelse)
                    ]
                )
            case ast.BoolOp(op=ast.Or(), values=values):
                found = either([(self._names(p, scope, call, depth + 1), ()) for p in values])
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                found = self._names(left, scope, call, depth + 1)
                found.merge(self._names(right, scope, call, depth + 1))
            case _:
                found = self._elsewhere(node, scope, depth)
        return found

    def _dict_call(self, node: ast.Call, scope: Scope, call: ast.AST, depth: int) -> Names:
        names = Names()
        for arg in node.args:
            names.merge(self._names(arg, scope, call, depth + 1))
        for keyword in node.keywords:
            if keyword.arg is None:
                names.merge(self._names(keyword.value, scope, call, depth + 1))
            else:
                names.put(keyword.arg, argument_of(keyword.value, scope), certain=True)
        return names

    def _dict(self, node: ast.Dict, scope: Scope, call: ast.AST, depth: int) -> Names:
        names = Names()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                names.merge(self._names(value, scope, call, depth + 1))
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                names.put(key.value, argument_of(value, scope), certain=True)
            else:
                names.is_open = True
        return names

    def _elsewhere(self, node: ast.expr, scope: Scope, depth: int) -> Names:
        values = self.evaluator.values(node, scope)
        literals = [v for v in values if isinstance(v, Literal)]
        if not literals or len(literals) != len(values):
            return Names(is_open=True)
        if isinstance(node, (ast.Name, ast.Attribute)) and not all(
            altered.is_settled(self.evaluator, node, scope, v) for v in literals
        ):
            return Names(is_open=True)
        return either([(self._literal(v, depth), ()) for v in literals])

    def _literal(self, value: Literal, depth: int) -> Names:
        """Return the keywords of a dict as a function of the host gives it."""
        names = self._names(value.node, value.scope, value.node, depth + 1)
        home = value.scope
        for name in altered.names_of(value):
            if name in home.changes and home.returns:
                self._apply_changes(names, name, home, home.returns[-1], depth)
        return names

    def _name(self, node: ast.Name, scope: Scope, call: ast.AST, depth: int) -> Names:
        if is_own(node, scope, "kwarg"):
            names = Names(handed_on=True)
            self._apply_changes(names, node.id, scope, call, depth)
            return names
        home = next((s for s in scope.enclosing() if node.id in s.bindings), None)
        if home is None:
            return Names(is_open=True)
        bindings = home.bindings[node.id]
        if home is scope:
            bindings = order.reaching(scope.module, bindings, call)
        plain = [b for b in bindings if b.how is How.ASSIGNED and b.index is None and b.value]
        if len(plain) != len(bindings):
            return self._elsewhere(node, scope, depth)
        later = home is not scope and home.is_function
        if later and any(_is_below(change, call) for change in home.changes.get(node.id, ())):
            return Names(is_open=True)  # before the inner function runs, or after
        if altered.is_altered(self.evaluator, node.id, home, call):
            return Names(is_open=True)
        names = either([(self._binding(b, depth), self._asked(b, plain)) for b in plain])
        self._apply_changes(names, node.id, home, call, depth)
        return names

    def _asked(self, binding: Binding, every: list[Binding]) -> Guards:
        """Return what was asked before one of several bindings."""
        return self.around.guards(binding.node, binding.scope) if len(every) > 1 else ()

    def _binding(self, binding: Binding, depth: int) -> Names:
        if binding.value is None:
            return Names(is_open=True)
        return self._names(binding.value, binding.scope, binding.node, depth + 1)

    def _apply_changes(
        self, names: Names, name: str, scope: Scope, call: ast.AST, depth: int
    ) -> None:
        here = blocks(scope.module, call)
        puts: dict[str, order.Blocks] = {}
        for node in scope.changes.get(name, ()):
            if scope.is_function and _is_below(node, call):
                continue  # what a module does further down, it has done when its functions run
            there = blocks(scope.module, node)
            if order.exclusive(here, there):
                continue
            before = set(names.possible)
            self._change(names, node, scope, certain=here[: len(there)] == there, depth=depth)
            puts.update(dict.fromkeys(set(names.possible) - before, there))
            for key in _dropped(node):
                # What only some runs put there, all of those take out again.
                if puts.get(key, ())[: len(there)] == there and key in puts:
                    names.drop(key, certain=True)

    def _change(
        self, names: Names, node: ast.AST, scope: Scope, *, certain: bool, depth: int
    ) -> None:
        guards = () if certain else self.around.guards(node, scope)
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    key = _key(target)
                    if key is not None:
                        given = argument_of(value, scope)
                        names.put(key, given, certain=certain, guards=guards)
                    elif isinstance(target, ast.Subscript):
                        names.is_open = True
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript):
                        self._drop(names, target.slice, node, scope, certain=certain)
            case ast.AugAssign(value=value):
                others = self._names(value, scope, node, depth + 1)
                names.merge(others, certain=certain, guards=guards)
            case ast.Call(func=ast.Attribute(attr=method)):
                self._method(names, node, method, scope, certain=certain, depth=depth)
            case _:
                names.forget()

    def _method(
        self,
        names: Names,
        node: ast.Call,
        method: str,
        scope: Scope,
        *,
        certain: bool,
        depth: int,
    ) -> None:
        first = node.args[0] if node.args else None
        text = first.value if isinstance(first, ast.Constant) else None
        guards = () if certain else self.around.guards(node, scope)
        if method == "update":
            given = [*node.args, *(k.value for k in node.keywords if k.arg is None)]
            for arg in given:
                others = self._names(arg, scope, node, depth + 1)
                names.merge(others, certain=certain, guards=guards)
            for keyword in node.keywords:
                if keyword.arg is not None:
                    value = argument_of(keyword.value, scope)
                    names.put(keyword.arg, value, certain=certain, guards=guards)
        elif method == "setdefault" and isinstance(text, str) and len(node.args) > 1:
            value = argument_of(node.args[1], scope)
            names.put(text, value, certain=certain, guards=guards)
        elif method == "pop" and first is not None:
            self._drop(names, first, node, scope, certain=certain)
        elif method == "clear" and certain:
            names.clear()
        elif method != "setdefault":
            names.forget()
        else:
            names.is_open = True

    def _drop(
        self, names: Names, key: ast.expr, node: ast.AST, scope: Scope, *, certain: bool
    ) -> None:
        """Take out the key that is named, or those that a loop names one after the other."""
        known = [v.text for v in self.evaluator.values(key, scope) if isinstance(v, Text)]
        loop = _loop_of(key, node, scope)
        if not known or (len(known) > 1 and loop is None):
            names.forget()
            return
        guards = () if certain else self.around.guards(node, scope)
        for text in known:
            gone = certain or loop is not None or _asks_for(scope, node, text)
            names.drop(text, certain=gone, guards=guards)


def _loop_of(key: ast.expr, node: ast.AST, scope: Scope) -> ast.AST | None:
    """Return the loop right around a statement that gives it one key after the other."""
    for parent, name in scope.module.above(node):
        if isinstance(parent, ast.For) and name == "body":
            same = isinstance(key, ast.Name) and ast.unparse(parent.target) == key.id
            return parent if same else None
        if isinstance(parent, ast.stmt) and not isinstance(parent, ast.Expr):
            return None
    return None


def _is_below(node: ast.AST, other: ast.AST) -> bool:
    return int(getattr(node, "lineno", 0)) > int(getattr(other, "lineno", 0))


def _key(target: ast.expr) -> str | None:
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        value = target.slice.value
        return value if isinstance(value, str) else None
    return None


def _dropped(node: ast.AST) -> list[str]:
    """Return the keys that a change takes out."""
    match node:
        case ast.Delete(targets=targets):
            return [key for key in map(_key, targets) if key is not None]
        case ast.Call(func=ast.Attribute(attr="pop"), args=[ast.Constant(value=str(key)), *_]):
            return [key]
        case _:
            return []


def _asks_for(scope: Scope, node: ast.AST, key: str) -> bool:
    """Whether a change stands under `if "key" in …:`, so that the key is gone either way."""
    for parent, name in scope.module.above(node):
        if isinstance(parent, ast.If) and name == "body":
            test = parent.test
            return (
                isinstance(test, ast.Compare)
                and isinstance(test.left, ast.Constant)
                and test.left.value == key
                and isinstance(test.ops[0], ast.In)
            )
    return False
