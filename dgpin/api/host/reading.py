"""Read a syntax tree once: scopes, bindings, and the nodes that may reach the API."""

import ast
from collections.abc import Callable, Iterable
from typing import Any

from dgpin.api.host.module import BLOCKS, Binding, How, Module, Scope

_ASKING = frozenset({ast.BoolOp, ast.UnaryOp})  # whether their operands are true
_CHANGING = frozenset(
    {"update", "pop", "setdefault", "clear", "popitem", "append", "extend", "insert", "remove"}
    | {"reverse", "sort"}
)
_Def = ast.FunctionDef | ast.AsyncFunctionDef


class Reader:
    """One pass over a module's tree."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.parents = module.parents
        self.reads = module.reads
        self.statements = module.statements

    def run(self) -> None:
        """Fill the module's tables."""
        self.children(self.module.tree, self.module.top)

    def children(self, node: ast.AST, scope: Scope, fields: tuple[str, ...] | None = None) -> None:
        """Visit what lies directly under a node, or in some of its fields.

        The parent of a statement is noted.
        """
        for name in _FIELDS[type(node)] if fields is None else fields:
            value = getattr(node, name, None)
            if not value:  # nothing, or a list of nothing
                continue
            for item in value if type(value) is list else (value,):
                kind = type(item)
                if kind is ast.Name:  # two nodes of five
                    if name == "test" or type(node) in _ASKING:
                        self.module.tested.append((item, scope))
                elif kind is ast.Attribute and type(item.value) is ast.Name:  # one of five
                    self.reads.append((item, scope))
                elif (visitor := _VISITORS[kind]) is not None:
                    if _IS_BLOCK[kind]:
                        self.parents[item] = node, name
                        self.statements.append(item)
                    visitor(self, item, scope)

    def bind(self, name: str, binding: Binding) -> None:
        """Note a binding where the name lives."""
        scope = binding.scope
        if name in scope.outside:
            outer = [s for s in scope.enclosing() if s is not scope and not s.is_class]
            at = next((s for s in outer if s.is_function and name in s.bindings), None)
            scope = at or self.module.top
        scope.bindings.setdefault(name, []).append(binding)

    def target(self, node: ast.expr, binding: Binding) -> None:
        """Bind the names of an assignment's left side."""
        if isinstance(node, ast.Name):
            self.bind(node.id, binding)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for index, item in enumerate(node.elts):
                part = Binding(
                    how=binding.how if binding.index is None else How.OTHER,
                    node=binding.node,
                    scope=binding.scope,
                    value=binding.value,
                    index=index,
                )
                self.target(item, part)
        elif isinstance(node, ast.Starred):
            self.target(node.value, _other(binding))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = _class_of(binding.scope, node.value.id)
            if owner is not None:
                owner.attributes.setdefault(node.attr, []).append(binding)
        elif isinstance(node, ast.Subscript):
            self.change(node.value, binding.node, binding.scope)

    def change(self, changed: ast.expr, node: ast.AST, scope: Scope) -> None:
        """Note that the value of a name, or of an attribute of self, is changed in place."""
        if isinstance(changed, ast.Name):
            scope.changes.setdefault(changed.id, []).append(node)
        elif isinstance(changed, ast.Attribute) and isinstance(changed.value, ast.Name):
            owner = _class_of(scope, changed.value.id) or scope
            owner.changes.setdefault(changed.attr, []).append(node)

    def function(self, node: _Def, scope: Scope) -> None:
        """Enter a function."""
        self.bind(node.name, Binding(how=How.DEFINED, node=node, scope=scope))
        inner = self.enter(node, node.name, scope)
        self.parameters(node.args, inner)
        self.children(node, scope, ("decorator_list", "args", "returns"))
        self.children(node, inner, ("body",))

    def enter(self, node: ast.AST, name: str, scope: Scope) -> Scope:
        """Return a new scope inside another."""
        inner = Scope(
            module=self.module,
            node=node,
            name=f"{scope.name}.{name}" if scope.name else name,
            outer=scope,
            owner=scope if scope.is_class else None,
        )
        self.module.scopes[node] = inner
        return inner

    def parameters(self, args: ast.arguments, scope: Scope) -> None:
        """Bind a function's parameters."""
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            self.bind(arg.arg, Binding(how=How.PARAMETER, node=arg, scope=scope))
        if args.defaults or args.kw_defaults:
            last = (*args.posonlyargs, *args.args)[::-1]
            pairs = [*zip(last, args.defaults[::-1], strict=False)]
            for arg, default in (*pairs, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
                if isinstance(default, (ast.Name, ast.Attribute)):
                    scope.bindings[arg.arg][0].value = default
        for extra in (args.vararg, args.kwarg):
            if extra is not None:
                self.bind(extra.arg, Binding(how=How.PARAMETER, node=extra, scope=scope))


def _other(binding: Binding) -> Binding:
    return Binding(how=How.OTHER, node=binding.node, scope=binding.scope)


def _class_of(scope: Scope, name: str) -> Scope | None:
    """Return the class whose instance (or itself) a method's first parameter is."""
    for around in scope.enclosing():
        if around.owner is None or not isinstance(around.node, _Def):
            continue
        args = around.node.args
        first = [*args.posonlyargs, *args.args][:1]
        return around.owner if first and first[0].arg == name else None
    return None


def _function(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, _Def):
        reader.function(node, scope)


def _lambda(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Lambda):
        inner = reader.enter(node, "<lambda>", scope)
        reader.parameters(node.args, inner)
        reader.children(node, scope, ("args",))
        reader.children(node, inner, ("body",))


def _class(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.ClassDef):
        reader.bind(node.name, Binding(how=How.DEFINED, node=node, scope=scope))
        inner = reader.enter(node, node.name, scope)
        reader.children(node, scope, ("decorator_list", "bases", "keywords"))
        reader.children(node, inner, ("body",))


def _assign(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Assign):
        targets: Iterable[ast.expr] = node.targets
        value: ast.expr | None = node.value
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        targets, value = [node.target], node.value
    else:
        return
    if value is not None:
        for target in targets:
            binding = Binding(how=How.ASSIGNED, node=node, scope=scope, value=value)
            reader.target(target, binding)
    reader.children(node, scope)


def _augmented(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.AugAssign):
        if isinstance(node.op, ast.BitOr):
            reader.change(node.target, node, scope)
        else:
            reader.target(node.target, Binding(how=How.OTHER, node=node, scope=scope))
    reader.children(node, scope)


def _loop(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        binding = Binding(how=How.LOOPED, node=node, scope=scope, value=node.iter)
        reader.target(node.target, binding)
    reader.children(node, scope)


def _with(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars is not None:
                reader.target(item.optional_vars, Binding(how=How.OTHER, node=node, scope=scope))
    reader.children(node, scope)


def _handler(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.ExceptHandler) and node.name:
        reader.bind(node.name, Binding(how=How.OTHER, node=node, scope=scope))
    reader.children(node, scope)


def _outside(_reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        scope.outside.update(node.names)


def _delete(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Delete):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                reader.change(target.value, node, scope)
    reader.children(node, scope)


def _import(reader: Reader, node: ast.AST, scope: Scope) -> None:
    module = reader.module
    if isinstance(node, ast.Import):
        module.imports.append((node, scope))
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            reader.bind(name, Binding(how=How.IMPORTED, node=node, scope=scope, module=target))
    elif isinstance(node, ast.ImportFrom):
        module.imports.append((node, scope))
        source = module.absolute(node)
        for alias in node.names:
            binding = Binding(
                how=How.IMPORTED, node=node, scope=scope, module=source, attribute=alias.name
            )
            reader.bind(alias.asname or alias.name, binding)


def _call(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Call):
        reader.module.calls.append((node, scope))
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            reader.change(node.func.value, node, scope)
    reader.children(node, scope)


def _read(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        reader.module.reads.append((node, scope))
    reader.children(node, scope)


def _compare(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Compare):
        reader.module.compares.append((node, scope))
    reader.children(node, scope)


def _return(reader: Reader, node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Return):
        scope.returns.append(node)
    reader.children(node, scope)


_Visit = Callable[[Reader, Any, Scope], None]


class _Visitors(dict[type, "_Visit | None"]):
    """What is done with a node, by its type; None with what is none, or has none below it."""

    def __missing__(self, kind: type) -> "_Visit | None":
        self[kind] = Reader.children if issubclass(kind, ast.AST) else None
        return self[kind]


# Fields that hold no node, or one that says nothing.
_BARE = frozenset({"ctx", "op", "ops", "attr", "id", "arg", "name", "asname", "module", "level"})
_BARE |= {"kind", "type_comment", "type_ignores", "simple", "is_async", "conversion", "rest"}


class _IsBlock(dict[type, bool]):
    """Whether a node stands on lines of its own, by its type."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, BLOCKS)
        return self[kind]


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of a node below which something can be read, by its type."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(name for name in kind._fields if name not in _BARE)
        return self[kind]


_FIELDS = _Fields()
_IS_BLOCK = _IsBlock()
_VISITORS = _Visitors(
    {
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.Lambda: _lambda,
        ast.ClassDef: _class,
        ast.Assign: _assign,
        ast.AnnAssign: _assign,
        ast.NamedExpr: _assign,
        ast.AugAssign: _augmented,
        ast.For: _loop,
        ast.AsyncFor: _loop,
        ast.comprehension: _loop,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.ExceptHandler: _handler,
        ast.Global: _outside,
        ast.Nonlocal: _outside,
        ast.Delete: _delete,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.Call: _call,
        ast.Attribute: _read,
        ast.Subscript: _read,
        ast.Compare: _compare,
        ast.Return: _return,
        ast.Constant: None,
    }
)
