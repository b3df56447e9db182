"""Functions and classes of Python source: what `inspect` would say of them, without running it."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from dgpin.api.signature import Parameter, ParameterKind, Signature

_ENUMS = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}
# What every class has, or what says nothing to a caller.
_SILENT = {"__init__", "__new__", "__repr__", "__str__", "__hash__", "__post_init__", "__slots__"}
_Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function: its signature, and what else a caller relies on."""

    signature: Signature
    traits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member of a class; `kind` is method, property, attribute or member (of an enum)."""

    name: str
    kind: str
    signature: Signature | None = None
    value: str = ""
    traits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """A class; `signature` is that of its constructor, None where its base has it.

    `fields` are those of a dataclass that has no constructor of its own, else None.
    """

    is_enum: bool
    signature: Signature | None
    members: tuple[Member, ...]
    bases: tuple[str, ...]
    fields: tuple[Parameter, ...] | None = None


def function(node: _Def, values: Mapping[str, str]) -> Function:
    """Return a function. `values` are the constants that its defaults may name."""
    decorators = [ast.unparse(d).partition("(")[0] for d in node.decorator_list]
    traits = []
    if isinstance(node, ast.AsyncFunctionDef):
        traits.append("async")
    if any(d.split(".")[0] == "triton" for d in decorators):
        traits.append("launched with [grid]")
    if not decorators and _yields(node):
        traits.append("generator")
    return Function(signature=_signature(node, values), traits=tuple(traits))


def anonymous(node: ast.Lambda, values: Mapping[str, str]) -> Function:
    """Return the function that a lambda makes."""
    return Function(signature=Signature(parameters=_parameters(node.args, values)))


@lru_cache(maxsize=4096)  # two commits share the trees of what is the same in both
def _yields(node: _Def) -> bool:
    stack: list[ast.AST] = list(node.body)
    while stack:
        here = stack.pop()
        if isinstance(here, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(here, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(here))
    return False


def _signature(node: _Def, values: Mapping[str, str]) -> Signature:
    returns = ast.unparse(node.returns) if node.returns is not None else ""
    return Signature(parameters=_parameters(node.args, values), returns=returns)


def _parameters(listed: ast.arguments, values: Mapping[str, str]) -> tuple[Parameter, ...]:
    places = [*listed.posonlyargs, *listed.args]
    defaults = [None] * (len(places) - len(listed.defaults)) + list(listed.defaults)
    found = [
        _parameter(
            arg,
            ParameterKind.POSITIONAL_ONLY
            if index < len(listed.posonlyargs)
            else ParameterKind.POSITIONAL_OR_KEYWORD,
            default,
            values,
        )
        for index, (arg, default) in enumerate(zip(places, defaults, strict=True))
    ]
    if listed.vararg is not None:
        found.append(_parameter(listed.vararg, ParameterKind.VAR_POSITIONAL, None, values))
    found += [
        _parameter(arg, ParameterKind.KEYWORD_ONLY, default, values)
        for arg, default in zip(listed.kwonlyargs, listed.kw_defaults, strict=True)
    ]
    if listed.kwarg is not None:
        found.append(_parameter(listed.kwarg, ParameterKind.VAR_KEYWORD, None, values))
    return tuple(found)


def _parameter(
    arg: ast.arg, kind: ParameterKind, default: ast.expr | None, values: Mapping[str, str]
) -> Parameter:
    return Parameter(
        name=arg.arg,
        kind=kind,
        default=None if default is None else spelled(default, values),
        type=ast.unparse(arg.annotation) if arg.annotation is not None else "",
    )


def spelled(node: ast.expr, values: Mapping[str, str]) -> str:
    """Return an expression's value as text, as far as it can be told without running it."""
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]
    try:
        value = ast.literal_eval(node)
        if isinstance(value, set):  # its repr has the order of this process's hashes
            return "{" + ", ".join(sorted(map(repr, value))) + "}"
        return repr(value)
    except (ValueError, TypeError, MemoryError, RecursionError):
        source = ast.unparse(node)
        return source if isinstance(node, (ast.Attribute, ast.Name)) else f"<{source}>"


class _Body:
    """The statements of a class, read in order."""

    def __init__(self, *, is_enum: bool, values: Mapping[str, str]) -> None:
        self.is_enum, self.values = is_enum, values
        self.members: dict[str, Member] = {}
        self.fields: list[Parameter] = []
        self.constructor: Signature | None = None

    def read(self, statement: ast.stmt) -> None:
        """Take what one statement adds to the class."""
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._function(statement)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            self._field(statement.target.id, statement)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self._value(target.id, statement.value)

    def _function(self, node: _Def) -> None:
        if node.name in {"__init__", "__new__"}:
            self.constructor = _bound(_signature(node, self.values))
        elif (member := _method(node, self.values, self.members)) is not None:
            self.members[member.name] = member

    def _field(self, name: str, node: ast.AnnAssign) -> None:
        text = spelled(node.value, self.values) if node.value is not None else ""
        self.members[name] = Member(name=name, kind="attribute", value=text)
        default = text if node.value is not None else None
        kind = ast.unparse(node.annotation)
        self.fields.append(Parameter(name=name, default=default, type=kind))

    def _value(self, name: str, value: ast.expr) -> None:
        if name == "_fields_" and isinstance(value, ast.List):  # of a ctypes structure
            pairs = [item.elts[0] for item in value.elts if isinstance(item, ast.Tuple)]
            names = [first.value for first in pairs if isinstance(first, ast.Constant)]
            for each in names:
                self.members[str(each)] = Member(name=str(each), kind="attribute")
        kind = "member" if self.is_enum else "attribute"
        self.members[name] = Member(name=name, kind=kind, value=spelled(value, self.values))


def describe(node: ast.ClassDef, values: Mapping[str, str], *, below_enum: bool = False) -> Class:
    """Return what a class statement makes; `below_enum` tells that a base of it is an enum."""
    bases = tuple(ast.unparse(base) for base in node.bases)
    is_enum = below_enum or any(base.rpartition(".")[2] in _ENUMS for base in bases)
    body = _Body(is_enum=is_enum, values=values)
    for statement in node.body:
        body.read(statement)
    for name in _set_on_self(node):
        body.members.setdefault(name, Member(name=name, kind="attribute"))
    constructor = body.constructor
    decorators = [ast.unparse(d).partition("(")[0] for d in node.decorator_list]
    fields = None
    if constructor is None and any(d.endswith("dataclass") for d in decorators):
        fields = tuple(body.fields)
        constructor = Signature(parameters=fields) if not bases else None
    if constructor is None and not bases:
        constructor = Signature()
    public = [m for m in body.members.values() if _is_public(m.name)]
    return Class(
        is_enum=is_enum,
        signature=constructor,
        members=tuple(public),
        bases=bases,
        fields=fields,
    )


def _is_public(name: str) -> bool:
    special = name.startswith("__") and name.endswith("__")
    return name not in _SILENT and (special or not name.startswith("_"))


def _bound(signature: Signature) -> Signature:
    return replace(signature, parameters=signature.parameters[1:])


def _method(node: _Def, values: Mapping[str, str], known: Mapping[str, Member]) -> Member | None:
    decorators = [ast.unparse(d).partition("(")[0] for d in node.decorator_list]
    if any(d.endswith((".setter", ".deleter")) for d in decorators):
        before = known.get(node.name)
        return replace(before, traits=("settable",)) if before is not None else None
    if any(d.rpartition(".")[2] in {"property", "cached_property"} for d in decorators):
        return Member(name=node.name, kind="property")
    made = function(node, values)
    if "staticmethod" in decorators:
        return Member(
            name=node.name,
            kind="method",
            signature=made.signature,
            traits=(*made.traits, "static"),
        )
    extra = ("classmethod",) if "classmethod" in decorators else ()
    return Member(
        name=node.name,
        kind="method",
        signature=_bound(made.signature),
        traits=(*made.traits, *extra),
    )


def _set_on_self(node: ast.ClassDef) -> list[str]:
    """Return the public names that a constructor sets, and the methods that it calls for that."""
    methods = {each.name: each for each in node.body if isinstance(each, _Def)}
    queue = [name for name in methods if name in {"__new__", "__init__"}]
    asked = set(queue)
    found: dict[str, None] = {}
    while queue:
        method = methods[queue.pop(0)]
        me = method.args.args[0].arg if method.args.args else ""
        for each in ast.walk(method):
            if not (isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)):
                continue
            if each.value.id == me and isinstance(each.ctx, ast.Store):
                found[each.attr] = None
            elif each.value.id == me and each.attr in methods and each.attr not in asked:
                asked.add(each.attr)
                queue.append(each.attr)
    return [name for name in found if not name.startswith("_")]
