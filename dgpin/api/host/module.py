"""One parsed file: its scopes, what each name is bound to, and the places worth a look."""

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from dgpin.api.uses import Skipped
from dgpin.verdict import Place

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)  # what stands on lines of its own
_STARTS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)


class How(Enum):
    """How a name came to its value."""

    ASSIGNED = "assigned"
    IMPORTED = "imported"
    DEFINED = "defined"
    PARAMETER = "parameter"
    LOOPED = "looped"
    OTHER = "other"


@dataclass(slots=True, eq=False)
class Binding:
    """One binding of a name.

    `value` is the expression, `index` the place in it of an unpacked item. For imports, `module`
    is the absolute module and `attribute` the name in it, "" for the module itself.
    """

    how: How
    node: ast.AST
    scope: "Scope"
    value: ast.expr | None = None
    index: int | None = None
    module: str = ""
    attribute: str = ""


@dataclass(slots=True, eq=False)
class Scope:
    """A module, a class or a function. `outer` is the next one that names are looked up in."""

    module: "Module"
    node: ast.AST
    name: str
    outer: "Scope | None" = None
    owner: "Scope | None" = None  # the class of a method
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)  # declared global or nonlocal
    returns: list[ast.Return] = field(default_factory=list)
    changes: dict[str, list[ast.AST]] = field(default_factory=dict)  # d["k"] = v, del d["k"], d.f()
    attributes: dict[str, list[Binding]] = field(default_factory=dict)  # of a class: self.x = v
    is_function: bool = field(init=False)  # it runs when it is called, not at the import
    is_class: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_function = isinstance(self.node, FunctionNode)
        self.is_class = isinstance(self.node, ast.ClassDef)

    def enclosing(self) -> Iterator["Scope"]:
        """Yield this scope and those around it, to the module."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


@dataclass(slots=True, eq=False)
class Module:
    """A file of the host. `names` are the dotted names by which it can be imported."""

    path: str
    names: tuple[str, ...]
    text: str
    tree: ast.Module
    is_package: bool
    top: Scope = field(init=False)
    _lines: list[str] = field(default_factory=list)
    scopes: dict[ast.AST, Scope] = field(default_factory=dict)
    # Of statements, as they stand, and of what `parent` was asked for.
    parents: dict[ast.AST, tuple[ast.AST, str]] = field(default_factory=dict)
    statements: list[ast.stmt | ast.ExceptHandler | ast.match_case] = field(default_factory=list)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    reads: list[tuple[ast.Attribute | ast.Subscript, Scope]] = field(default_factory=list)
    compares: list[tuple[ast.Compare, Scope]] = field(default_factory=list)
    imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = field(default_factory=list)
    tested: list[tuple[ast.Name, Scope]] = field(default_factory=list)  # is it true?
    around: dict[ast.AST, tuple[tuple[ast.AST, str], ...]] = field(default_factory=dict)

    def place(self, node: ast.AST) -> Place:
        """Return where a node begins."""
        return Place(self.path, getattr(node, "lineno", 0))

    def line(self, number: int) -> str:
        """Return a source line, stripped."""
        if not self._lines:  # half of the files have no use
            # As Python counts: to `str.splitlines` a form feed ends a line too.
            plain = "\r" not in self.text
            self._lines += self.text.split("\n") if plain else _LINE_END.split(self.text)
        return self._lines[number - 1].strip() if 0 < number <= len(self._lines) else ""

    def above(self, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        """Yield each ancestor with the field through which it is reached, nearest first."""
        parent, name = self.parent(node)
        while parent is not None:
            yield parent, name
            parent, name = self.parent(parent)

    def parent(self, node: ast.AST) -> tuple[ast.AST | None, str]:
        """Return a node's parent and the field through which it is reached; None for the tree.

        Few are asked for: to note those of all expressions would take as long as to visit them.
        """
        if node not in self.parents and hasattr(node, "lineno"):
            self._look_below_statements(node)
        return self.parents.get(node, (None, ""))

    def _look_below_statements(self, node: ast.AST) -> None:
        """Note the parents in the statements around a node, the nearest first, until its own."""
        line = getattr(node, "lineno", 0)
        for index in range(bisect_right(self.statements, line, key=_start) - 1, -1, -1):
            statement = self.statements[index]
            if getattr(statement, "end_lineno", line) >= line:
                self._look_below(statement)
                if node in self.parents:
                    return

    def _look_below(self, statement: ast.AST) -> None:
        stack = [statement]
        while stack:
            here = stack.pop()
            for name in here._fields:
                value = getattr(here, name, None)
                for item in value if isinstance(value, list) else (value,):
                    if isinstance(item, ast.AST) and not isinstance(item, BLOCKS):
                        self.parents[item] = here, name
                        stack.append(item)

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the module that a from-import names, relative ones resolved."""
        if not node.level:
            return node.module or ""
        parts = self.names[0].split(".") if self.names else []
        if not self.is_package:
            parts = parts[:-1]
        base = parts[: len(parts) - (node.level - 1)]
        return ".".join([*base, *([node.module] if node.module else [])])

    def close(self) -> None:
        """Cut the circles that the scopes make, so that the tree goes with its last reader.

        To find them would take the collector nearly as long as the parser took for the tree.
        """
        for scope in self.scopes.values():
            scope.bindings.clear()
            scope.attributes.clear()
            del scope.module

    @property
    def is_test(self) -> bool:
        """Whether it is test code."""
        parts = self.path.split("/")
        name = parts[-1]
        in_tests = any(part in {"test", "tests", "testing"} for part in parts[:-1])
        return in_tests or name.startswith(("test_", "conftest")) or name.endswith("_test.py")


def _start(statement: ast.AST) -> int:
    """Return a statement's first line, that of its first decorator if it has one."""
    first = statement.pattern if isinstance(statement, ast.match_case) else statement
    lines = [each.lineno for each in getattr(first, "decorator_list", ())]
    return int(min([getattr(first, "lineno", 0), *lines]))


def parse(path: str, data: bytes, names: tuple[str, ...]) -> Module | Skipped:
    """Return a file's module, or why there is none."""
    import warnings  # noqa: PLC0415 - only while something is parsed

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a host's invalid escapes are its own affair
            tree = ast.parse(data, filename=path)
    except SyntaxError as error:
        return Skipped(path=path, reason=f"it does not parse: {error.msg}, line {error.lineno}")
    except (UnicodeDecodeError, LookupError, ValueError) as error:
        return Skipped(path=path, reason=f"it cannot be decoded: {error}")
    except (RecursionError, MemoryError):
        return Skipped(path=path, reason="it is nested too deep to be parsed")
    module = Module(
        path=path,
        names=names,
        text=text,
        tree=tree,
        is_package=path.endswith("__init__.py"),
    )
    module.top = Scope(module=module, node=tree, name="")
    module.scopes[tree] = module.top
    from dgpin.api.host.reading import Reader  # noqa: PLC0415 - it needs what stands here

    try:
        Reader(module).run()
    except RecursionError:
        return Skipped(path=path, reason="it is nested too deep to be read")
    return module


def blocks(module: Module, node: ast.AST) -> tuple[tuple[ast.AST, str], ...]:
    """Return the blocks around a node up to its function, outermost first."""
    known = module.around.get(node)
    if known is not None:
        return known
    parent, name = module.parent(node)
    if parent is None:
        found: tuple[tuple[ast.AST, str], ...] = ()
    elif isinstance(parent, _STARTS):
        found = ((parent, name),) if name in _BLOCKS else ()
    else:
        outer = blocks(module, parent)
        found = (*outer, (parent, name)) if name in _BLOCKS else outer
    module.around[node] = found
    return found
