"""The pure Python half of a source: what `deep_gemm` exports, and what its import would trip over.

Files are parsed, nothing of them is run.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from dgpin.pin import python_text
from dgpin.source.tree import Tree
from dgpin.verdict import Place

PACKAGE = "deep_gemm"
# Modules that the build makes: the binding, and the environment's defaults.
GENERATED = frozenset({"_C", "_C_extension", "envs"})


def is_generated(module: str) -> bool:
    """Return whether the build makes a module, or a module around it (`deep_gemm._C.epilogue`)."""
    return module.split(".")[1:2] != [] and module.split(".")[1] in GENERATED


@dataclass(frozen=True, slots=True)
class RelativeImport:
    """`from .module import name` at a module's top level; name "*" takes everything.

    `module` is dotted and absolute; `guarded` means that an `except` catches its failure.
    """

    module: str
    name: str
    bound: str
    line: int
    guarded: bool


@dataclass(slots=True)
class Module:
    """A module's top level: the names that it binds, and where."""

    name: str
    path: str
    tree: ast.Module
    bound: dict[str, int] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)  # by def, class or assignment
    imports: list[RelativeImport] = field(default_factory=list)
    foreign_star: bool = False  # `from torch import *`: it may bind anything
    public: tuple[str, ...] | None = None  # __all__


class Package:
    """Every module of `deep_gemm` in a source, by its dotted name."""

    def __init__(self, tree: Tree) -> None:
        self.modules: dict[str, Module] = {}
        self.broken: dict[str, SyntaxError] = {}
        for path in sorted(tree.paths()):
            if path.startswith(f"{PACKAGE}/") and path.endswith(".py"):
                name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                try:
                    parsed = python_text.parse(tree.read(path), path=path)
                except SyntaxError as error:
                    self.broken[path] = error
                    continue
                self.modules[name] = _module(name, path, parsed)

    def has(self, module: str) -> bool:
        """Return whether the source has a module, or will have it once it is built."""
        return module in self.modules or is_generated(module)

    def names(self, module: str, *, seen: frozenset[str] = frozenset()) -> dict[str, int] | None:
        """Return the names that a module binds and their lines; None where that cannot be told.

        Names that a star import brings have the line of that import.
        """
        if module not in self.modules or module in seen or self.modules[module].foreign_star:
            return None
        here = self.modules[module]
        names = dict(here.bound)
        for each in here.imports:
            if each.name == "*":
                brought = self.public(each.module, seen=seen | {module})
                if brought is None:
                    return None
                names.update((name, each.line) for name in brought)
        return names

    def public(self, module: str, *, seen: frozenset[str] = frozenset()) -> tuple[str, ...] | None:
        """Return the names that `from module import *` brings; None where that cannot be told."""
        names = self.names(module, seen=seen)
        if names is None:
            return None
        listed = self.modules[module].public
        return listed if listed is not None else tuple(n for n in names if not n.startswith("_"))

    def exports(self) -> dict[str, Place]:
        """Return the public names of `deep_gemm` and the lines that bring them.

        A library that its `__init__` imports for itself (`import os`) is no export; what cannot
        be told (an absolute star import) is left out.
        """
        top = self.modules.get(PACKAGE)
        if top is None:
            return {}
        names = {name: top.bound[name] for name in top.defined}
        for each in top.imports:
            if each.name == "*":
                own = self.modules.get(each.module)
                brought = self.public(each.module) or ()
                names |= {name: each.line for name in brought if own and self._is_own(own, name)}
            elif each.module != f"{PACKAGE}.envs":  # defaults of the environment, no API
                names[each.bound] = each.line
        return {
            name: Place(top.path, names[name]) for name in sorted(names) if not name.startswith("_")
        }

    def unread_star(self) -> Place | None:
        """Return the line of a star import of `__init__` whose names cannot be told."""
        top = self.modules.get(PACKAGE)
        for each in top.imports if top is not None else ():
            if each.name == "*" and self.public(each.module) is None:
                return Place(f"{PACKAGE}/__init__.py", each.line)
        return None

    def reached(self) -> frozenset[str]:
        """Return the modules and subpackages of `deep_gemm` that importing or using it imports."""
        seen: set[str] = set()
        queue = [PACKAGE]
        while queue:
            name = queue.pop()
            if name in seen or name not in self.modules:
                continue
            seen.add(name)
            here = self.modules[name]
            for node in ast.walk(here.tree):
                if isinstance(node, ast.ImportFrom):
                    base = _absolute(here, node)
                    queue += [base, *(f"{base}.{alias.name}" for alias in node.names)]
                elif isinstance(node, ast.Import):
                    queue += [alias.name for alias in node.names]
        return frozenset({"__init__", *(name.split(".")[1] for name in seen if "." in name)})

    def _is_own(self, module: Module, name: str) -> bool:
        """Return whether a name is the package's, not of a library that a module imports."""
        relative = {each.bound for each in module.imports}
        if name in module.defined or name in relative:
            return True
        for each in module.imports:
            if each.name == "*" and name in (self.public(each.module) or ()):
                source = self.modules.get(each.module)
                return source is not None and self._is_own(source, name)
        return False


def _module(name: str, path: str, tree: ast.Module) -> Module:
    module = Module(name=name, path=path, tree=tree)
    for statement, guarded in statements(tree.body):
        if isinstance(statement, ast.ImportFrom):
            _import_from(module, statement, guarded=guarded)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.split(".")[0]
                module.bound.setdefault(bound, statement.lineno)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            _define(module, statement.name, statement.lineno)
        else:
            _assign(module, statement)
    return module


def _import_from(module: Module, node: ast.ImportFrom, *, guarded: bool) -> None:
    base = _absolute(module, node)
    own = base.split(".")[0] == PACKAGE
    for alias in node.names:
        if own:
            bound = alias.asname or alias.name
            line = alias.lineno if alias.name != "*" else node.lineno
            module.imports.append(RelativeImport(base, alias.name, bound, line, guarded))
        if alias.name == "*":
            module.foreign_star |= not own
        else:
            module.bound.setdefault(alias.asname or alias.name, alias.lineno)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    """Return the dotted name of the module that an import names, relative or not."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    # A package's own file counts as one level less than a module in it.
    depth = node.level - (1 if module.path.endswith("/__init__.py") else 0)
    parts = parts[: len(parts) - depth] if depth else parts
    return ".".join([*parts, *([node.module] if node.module else [])])


def _define(module: Module, name: str, line: int) -> None:
    module.bound.setdefault(name, line)
    module.defined.add(name)


def _assign(module: Module, statement: ast.stmt) -> None:
    if isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "__all__" for target in statement.targets
    ):
        module.public = _literal_names(statement.value)
    direct = isinstance(statement, ast.Assign | ast.AnnAssign)
    for name, line in stored(statement):
        if direct:
            _define(module, name, line)
        else:
            module.bound.setdefault(name, line)
    if isinstance(statement, ast.Try):
        for handler in statement.handlers:
            if handler.name:
                module.bound.setdefault(handler.name, handler.lineno)


def _literal_names(node: ast.expr) -> tuple[str, ...] | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):  # no literal, or one that cannot be: `{[]: 1}`
        return None
    return tuple(map(str, value)) if isinstance(value, list | tuple) else None


def statements(body: list[ast.stmt], *, guarded: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements that an import runs, those in if, try, with and loops included.

    With each: whether an `except` around it catches a failed import.
    """
    for statement in body:
        yield statement, guarded
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        inner = guarded or (isinstance(statement, ast.Try) and _catches_import(statement))
        for block, covered in (
            (getattr(statement, "body", []), inner),
            (getattr(statement, "orelse", []), guarded),
            (getattr(statement, "finalbody", []), guarded),
        ):
            yield from statements(block, guarded=covered)
        for handler in getattr(statement, "handlers", []):
            yield from statements(handler.body, guarded=guarded)
        for case in getattr(statement, "cases", []):
            yield from statements(case.body, guarded=guarded)


def _catches_import(statement: ast.Try) -> bool:
    names = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    for handler in statement.handlers:
        if handler.type is None or names & {
            node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)
        }:
            return True
    return False


def stored(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """Yield the names that a statement's own expressions and patterns bind, and their lines."""
    for node in expressions(statement):
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id, each.lineno
            elif isinstance(each, ast.MatchAs | ast.MatchStar) and each.name is not None:
                yield each.name, each.lineno
            elif isinstance(each, ast.MatchMapping) and each.rest is not None:
                yield each.rest, each.lineno


def expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of a statement that are no statements themselves."""
    for node in ast.iter_child_nodes(statement):
        if not isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield node
        elif isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield node.type
        elif isinstance(node, ast.match_case):
            yield node.pattern
            if node.guard is not None:
                yield node.guard
