"""What importing the pure Python half of a source would raise, found without importing it."""

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from dgpin.pin.package import (
    GENERATED,
    PACKAGE,
    Module,
    Package,
    expressions,
    is_generated,
    statements,
    stored,
)
from dgpin.source.tree import Tree
from dgpin.verdict import Place


class Trip(str, Enum):
    """What an import stumbles over."""

    SYNTAX = "syntax"
    NAME = "name"  # used while the module is imported, bound nowhere
    MODULE = "module"  # imported from the package, and not in it
    ATTRIBUTE = "attribute"  # imported from a module of the package that does not bind it


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFault:
    """One line at which `import deep_gemm` would fail."""

    trip: Trip
    name: str
    place: Place

    def __str__(self) -> str:
        said = {
            Trip.SYNTAX: f"{self.name}",
            Trip.NAME: f"the name `{self.name}` is used and bound nowhere",
            Trip.MODULE: f"there is no module `{self.name}` in the source",
            Trip.ATTRIBUTE: f"`{self.name}` is imported and not there",
        }
        return f"{self.place}: {said[self.trip]}"


_BUILTINS = frozenset(dir(builtins)) | {
    "__file__", "__name__", "__path__", "__spec__", "__package__", "__loader__", "__builtins__",
    "__module__", "__qualname__", "__annotations__", "__class__",
}  # fmt: skip


def import_faults(tree: Tree) -> tuple[ImportFault, ...]:
    """Return what importing `deep_gemm` from this source would raise, by file and line.

    Only what is certain: names in function bodies are looked up when the function runs, imports
    inside `try … except ImportError` are meant to fail, and a star import of another library may
    bind any name.
    """
    package = Package(tree)
    faults = [
        ImportFault(trip=Trip.SYNTAX, name=error.msg, place=Place(path, error.lineno or 0))
        for path, error in package.broken.items()
    ]
    for module in package.modules.values():
        faults += _imports(package, module)
        faults += _names(package, module)
    return tuple(sorted(faults, key=lambda fault: (fault.place, fault.name)))


def _imports(package: Package, module: Module) -> Iterator[ImportFault]:
    for each in module.imports:
        place = Place(module.path, each.line)
        path = f"{each.module.replace('.', '/')}"
        if each.guarded or {f"{path}.py", f"{path}/__init__.py"} & package.broken.keys():
            continue
        if not package.has(each.module):
            yield ImportFault(trip=Trip.MODULE, name=each.module, place=place)
            continue
        if each.name == "*" or is_generated(each.module):
            continue
        # `from . import name` binds the name itself: what counts is what the package defines.
        own = each.module == module.name
        names = module.defined if own else package.names(each.module)
        whole = f"{each.module}.{each.name}"
        in_tree = package.has(whole) or whole.replace(".", "/") + ".py" in package.broken
        if names is not None and each.name not in names and not in_tree:
            yield ImportFault(trip=Trip.ATTRIBUTE, name=whole, place=place)


def _names(package: Package, module: Module) -> Iterator[ImportFault]:
    bound = package.names(module.name)
    if bound is None:
        return
    lazy = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in module.tree.body
    )
    # A submodule that was imported somewhere is an attribute of its package, and so a name in it.
    known = _BUILTINS | bound.keys() | {
        name.rpartition(".")[2]
        for name in package.modules
        if name.rpartition(".")[0] == module.name
    } | (GENERATED if module.name == PACKAGE else frozenset())  # fmt: skip
    for node in _evaluated(module.tree.body, lazy=lazy):
        free = _Free()
        free.visit(node)
        for name in free.names:
            if name.id not in known:
                yield ImportFault(
                    trip=Trip.NAME, name=name.id, place=Place(module.path, name.lineno)
                )


def _evaluated(body: list[ast.stmt], *, lazy: bool) -> Iterator[ast.AST]:
    """Yield the expressions that importing a module evaluates; `lazy`: no annotations."""
    for statement, _ in statements(body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _signature(statement, lazy=lazy)
        elif isinstance(statement, ast.ClassDef):
            yield from statement.decorator_list
            yield from statement.bases
            yield from (keyword.value for keyword in statement.keywords)
            yield _Scope(
                nodes=tuple(_evaluated(statement.body, lazy=lazy)), bound=_bound(statement.body)
            )
        elif isinstance(statement, ast.AnnAssign):
            yield from [] if lazy else [statement.annotation]
            yield from [] if statement.value is None else [statement.value]
        else:
            yield from expressions(statement)


class _Scope(ast.AST):
    """Expressions of a class body, in which the names that it binds are known."""

    def __init__(self, *, nodes: tuple[ast.AST, ...], bound: frozenset[str]) -> None:
        super().__init__()
        self.nodes = nodes
        self.bound = bound


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, *, lazy: bool) -> Iterator[ast.AST]:
    yield from node.decorator_list
    arguments = node.args
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)
    if lazy:
        return
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    yield from (each.annotation for each in every if each.annotation is not None)
    if node.returns is not None:
        yield node.returns


def _bound(body: list[ast.stmt]) -> frozenset[str]:
    names: set[str] = set()
    for statement, _ in statements(body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.split(".")[0] for alias in statement.names}
        else:
            names |= {name for name, _ in stored(statement)}
    return frozenset(names)


class _Free(ast.NodeVisitor):
    """Collects the names that an expression reads from the scopes around it.

    A lambda's body is left out: it runs later.
    """

    def __init__(self) -> None:
        self.names: list[ast.Name] = []
        self.local: frozenset[str] = frozenset()

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, _Scope):
            self.inside(node.bound, node.nodes)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            targets = (each for one in node.generators for each in ast.walk(one.target))
            bound = frozenset(each.id for each in targets if isinstance(each, ast.Name))
            self.inside(bound, tuple(ast.iter_child_nodes(node)))
        else:
            super().visit(node)

    def inside(self, bound: frozenset[str], nodes: tuple[ast.AST, ...]) -> None:
        outer = self.local
        self.local = outer | bound
        for node in nodes:
            self.visit(node)
        self.local = outer

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id not in self.local:
            self.names.append(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
