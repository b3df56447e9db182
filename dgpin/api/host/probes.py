"""The calls by which hosts get at modules and names: imports by name, getattr, partial, doubles."""

import ast
from typing import TYPE_CHECKING

from dgpin.api.host import literals
from dgpin.api.host.values import (
    Api,
    Callable,
    Double,
    Frame,
    Literal,
    Nothing,
    Pack,
    Partial,
    SignatureOf,
    Text,
    Value,
    Values,
)

if TYPE_CHECKING:
    from dgpin.api.host.evaluate import Evaluator
    from dgpin.api.host.module import Scope

IMPORTERS = frozenset(
    {"importlib.import_module", "builtins.__import__", "pytest.importorskip"}
    | {"importlib.__import__", "importlib.reload"}
)
SPECS = frozenset({"importlib.util.find_spec", "importlib.find_loader", "pkgutil.find_loader"})
SIGNATURES = frozenset(
    {"inspect.signature", "inspect.Signature.from_callable", "inspect.getfullargspec"}
)
DOUBLES = frozenset(
    {"types.SimpleNamespace", "unittest.mock.Mock", "unittest.mock.MagicMock", "types.ModuleType"}
)
_CONTAINERS = frozenset(
    {"builtins.dict", "builtins.list", "builtins.tuple", "builtins.sorted", "builtins.set"}
    | {"builtins.frozenset"}
)
_VIEWS = frozenset({"get", "items", "values", "keys"})
_DEFAULT = 2  # the place of getattr's default


def called(
    evaluator: "Evaluator", path: str, node: ast.Call, scope: "Scope", frame: Frame | None
) -> Values:
    """Return what a call of something outside the host gives."""
    if path in IMPORTERS:
        found = imported_by_name(evaluator, node, scope, frame)
    elif path == "builtins.getattr":
        found = attribute_by_name(evaluator, node, scope, frame)
    elif path == "functools.partial":
        begun = [v for arg in node.args[:1] for v in evaluator.values(arg, scope, frame)]
        found = tuple(Partial(v, node, scope) for v in begun if isinstance(v, (Api, Callable)))
    elif path in SIGNATURES:
        asked = [v for arg in node.args[:1] for v in evaluator.values(arg, scope, frame)]
        found = tuple(SignatureOf(v) for v in asked if isinstance(v, Api))
    elif path in DOUBLES:
        found = (Double(node, scope),)
    elif path in _CONTAINERS:
        given = tuple(v for arg in node.args[:1] for v in evaluator.values(arg, scope, frame))
        found = given if node.args else (Literal(node, scope, frame),)
    else:
        found = ()
    return found


def imported_by_name(
    evaluator: "Evaluator", node: ast.Call, scope: "Scope", frame: Frame | None
) -> Values:
    """Return the module that `import_module("…")` or the like gives."""
    place = frame.place if frame is not None else scope.module.place(node)
    found: list[Value] = []
    for arg in node.args[:1]:
        for value in evaluator.values(arg, scope, frame):
            if isinstance(value, Text):
                found += evaluator.imported(value.text, "", place)
            elif isinstance(value, Api):
                found.append(value)  # reload(module)
    return tuple(found)


def attribute_by_name(
    evaluator: "Evaluator", node: ast.Call, scope: "Scope", frame: Frame | None
) -> Values:
    """Return what `getattr(x, name[, default])` gives; a default that is a name makes a chain."""
    if len(node.args) < _DEFAULT:
        return ()
    place = frame.place if frame is not None else scope.module.place(node)
    names = evaluator.values(node.args[1], scope, frame)
    found: list[Value] = []
    for owner in evaluator.values(node.args[0], scope, frame):
        for name in names:
            if isinstance(name, Text):
                found += evaluator.attribute(owner, name.text, place)
    if len(node.args) <= _DEFAULT:
        return tuple(found)
    default = evaluator.values(node.args[_DEFAULT], scope, frame)
    replaced = not any(isinstance(v, Nothing) for v in default)
    found = [v.or_else(replaced=replaced) if isinstance(v, Api) else v for v in found]
    apis = [v for v in found if isinstance(v, Api)]
    if _is_first_of_many(scope, node) and len(apis) > 1:
        return (Api(tuple(t for api in apis for t in api.targets)), Nothing())
    fallbacks = [v for v in default if isinstance(v, Api)]
    if len(apis) == 1 and len(fallbacks) == 1:
        return (Api((*apis[0].targets, *fallbacks[0].targets)),)
    return (*found, *default)


def _is_first_of_many(scope: "Scope", node: ast.Call) -> bool:
    """Whether the call stands in a loop that ends with the first name that is there."""
    for parent, _ in scope.module.above(node):
        if isinstance(parent, (ast.For, ast.AsyncFor)):
            return any(isinstance(n, (ast.Return, ast.Break)) for n in ast.walk(parent))
        if isinstance(parent, ast.GeneratorExp):
            up, _ = scope.module.parent(parent)
            func = up.func if isinstance(up, ast.Call) else None
            return isinstance(func, ast.Name) and func.id == "next"
    return False


def method(evaluator: "Evaluator", node: ast.Call, scope: "Scope", frame: Frame | None) -> Values:
    """Return what a method of a literal gives."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr not in _VIEWS:
        return ()
    found: list[Value] = []
    for owner in evaluator.values(func.value, scope, frame):
        if isinstance(owner, SignatureOf) and func.attr == "keys":
            found.append(owner)
        if not isinstance(owner, (Literal, Pack)):
            continue
        if func.attr == "get":
            for key in node.args[:1]:
                keys = evaluator.values(key, scope, frame)
                found += literals.lookup(evaluator, owner, keys, None)
        else:
            found += _view(literals.entries(evaluator, owner), func.attr)
    return tuple(found)


def _view(entries: list[tuple[Values, Values]], name: str) -> Values:
    if name == "items":
        return (Pack(tuple((Pack((key, value)),) for key, value in entries)),)
    if name == "values":
        return (Pack(tuple(value for _, value in entries)),)
    return (Pack(tuple(key for key, _ in entries)),)
