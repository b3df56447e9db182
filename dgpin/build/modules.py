"""The modules that a package's own files import, as far as its files tell."""

import ast
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from dgpin.verdict import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """A module of the package that a file of it imports and that is not there."""

    module: str
    place: Place


def absent(
    python: Collection[str], files: Collection[str], read: Callable[[str], bytes]
) -> tuple[Absent, ...]:
    """Return what importing the package would not find, reached from its `__init__.py`.

    `python` are the package's modules, `files` all its files. An import inside `try` that an
    `except ImportError` catches, or inside a function, is none that importing the package needs.
    """
    found: dict[str, Absent] = {}
    trees: dict[str, ast.Module] = {}

    def tree(path: str) -> ast.Module:
        if path not in trees:
            trees[path] = _parse(read(path)) if path in python else ast.Module([], [])
        return trees[path]

    queue, seen = ["__init__.py"], {"__init__.py"}
    while queue:
        path = queue.pop()
        for base, name, line in _imports(tree(path), path):
            module = f"{base}/{name}".strip("/") if name else base
            target = next((place for place in _places(module) if place in files), None)
            if target is not None:
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
            elif not _is_compiled(module, files) and not _is_value(name, tree(_init(base))):
                spelled = module.replace("/", ".")
                found.setdefault(spelled, Absent(module=spelled, place=Place(path, line)))
    return tuple(found[name] for name in sorted(found))


def _parse(text: bytes) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _init(base: str) -> str:
    return f"{base}/__init__.py" if base else "__init__.py"


def _places(module: str) -> tuple[str, ...]:
    return (f"{module}.py", f"{module}/__init__.py") if module else ("__init__.py",)


def _is_compiled(module: str, files: Collection[str]) -> bool:
    # An extension holds modules of its own: `_C.epilogue` is in `_C.<tag>.so`.
    steps = module.split("/")
    stems = ["/".join(steps[:count]) for count in range(1, len(steps) + 1)]
    return any(
        name.endswith(".so") and name.startswith(f"{stem}.") for name in files for stem in stems
    )


def _imports(tree: ast.Module, path: str) -> Iterator[tuple[str, str, int]]:
    """Yield each relative import as base, name and line; the name is empty for `from .base …`."""
    for node in _unguarded(tree.body):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        parents = PurePosixPath(path).parents
        if node.level > len(parents):
            continue  # it leads out of the package
        above = str(parents[node.level - 1])
        base = "" if above == "." else above
        if node.module:
            inner = node.module.replace(".", "/")
            yield (f"{base}/{inner}" if base else inner), "", node.lineno
        else:
            yield from ((base, alias.name, node.lineno) for alias in node.names)


def _is_value(name: str, init: ast.Module) -> bool:
    """Whether `from . import name` may mean something that the package's `__init__` has bound."""
    # A module's `__getattr__` may know any name.
    return name == "*" or not {name, "*", "__getattr__"}.isdisjoint(_bound(init))


def _bound(init: ast.Module) -> Iterator[str]:
    """Yield the names that a module may bind when it is imported, under conditions or not."""
    stack: list[ast.AST] = [*init.body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        # `from . import x` binds x only if x is there, which is the question.
        elif isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        else:
            stack.extend(ast.iter_child_nodes(node))


def _unguarded(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.Try):
            if not any(_catches_import(handler) for handler in node.handlers):
                yield from _unguarded(node.body)
            yield from _unguarded(node.orelse)
        elif isinstance(node, ast.With):
            yield from _unguarded(node.body)
        else:
            yield node


def _catches_import(handler: ast.ExceptHandler) -> bool:
    text = ast.unparse(handler.type) if handler.type is not None else "BaseException"
    return any(name in text for name in ("ImportError", "ModuleNotFoundError", "Exception"))
