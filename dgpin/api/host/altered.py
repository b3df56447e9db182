"""Is a dict or list of the host changed where its own name does not show it?"""

import ast

from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.module import Binding, How, Scope
from dgpin.api.host.passing import passed
from dgpin.api.host.values import Callable, Literal


def is_altered(e: Evaluator, name: str, home: Scope, before: ast.AST) -> bool:
    """Whether the value of a name may be changed by other code before a node reads it: by a
    function that sees the name or is given it, or under another name.
    """
    if any(
        name in scope.changes and name not in scope.bindings and home in scope.enclosing()
        for scope in home.module.scopes.values()
        if scope is not home
    ):
        return True
    if any(_is_source_changed(binding, home) for binding in home.bindings[name]):
        return True
    return home.is_function and _goes_on(e, name, home, getattr(before, "end_lineno", 0))


def _is_source_changed(binding: Binding, home: Scope) -> bool:
    """Whether in `name = other`, the other is changed later."""
    value, line = binding.value, getattr(binding.node, "lineno", 0)
    changes = home.changes.get(value.id, ()) if isinstance(value, ast.Name) else ()
    return any(getattr(change, "lineno", 0) > line for change in changes)


def _goes_on(e: Evaluator, name: str, home: Scope, last: int) -> bool:
    """Whether a name is given to what changes it: another name, or a function of the host."""
    for node in ast.walk(home.node):
        if type(node) is not ast.Name or node.id != name or node.lineno > last:
            continue
        parent, field = home.module.parent(node)
        if isinstance(parent, ast.Assign) and field == "value":
            others = (t.id for t in parent.targets if isinstance(t, ast.Name))
            if any(other in home.changes for other in others):
                return True
        elif isinstance(parent, ast.keyword) and parent.arg is not None:
            call = home.module.parent(parent)[0]
            if isinstance(call, ast.Call) and _changes(e, call, node, home):
                return True
        elif isinstance(parent, ast.Call) and field == "args" and _changes(e, parent, node, home):
            return True
    return False


def _changes(e: Evaluator, call: ast.Call, given: ast.expr, scope: Scope) -> bool:
    """Whether a function of the host changes what a call gives to it."""
    return any(
        name in func.scope.changes
        for func in e.values(call.func, scope)
        if isinstance(func, Callable)
        for name, argument in passed(call, func, scope, None).items()
        if given in argument.nodes
    )


def names_of(found: Literal) -> list[str]:
    """Return the names that stand for a dict or list where it is written."""
    return [
        name
        for name, bindings in found.scope.bindings.items()
        if any(binding.value is found.node for binding in bindings)
    ]


def is_settled(e: Evaluator, node: ast.expr, scope: Scope, found: Literal) -> bool:
    """Whether what a name from elsewhere, or an attribute, was set to is what it is."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    modules = {scope.module.path: scope.module, found.scope.module.path: found.scope.module}
    if any(name in s.changes for module in modules.values() for s in module.scopes.values()):
        return False
    owner = found.scope if found.scope.is_class else found.scope.owner
    bindings = owner.attributes.get(name, ()) if owner is not None else ()
    if not isinstance(node, ast.Attribute):
        return True
    return all(b.how is How.ASSIGNED and e.bound(name, b, None) for b in bindings)
