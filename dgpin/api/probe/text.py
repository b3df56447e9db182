"""What only a module's text tells: where a name came from, what a class sets on its instances."""

import ast
import inspect
import sys
from types import ModuleType

from . import load


class Module:
    """The text of a loaded module; one without text (an extension) tells nothing."""

    def __init__(self, module: object) -> None:
        self.tree = _parse(module)
        self.name = getattr(module, "__name__", "")
        self._foreign = self._imported_from_outside()
        self.lazy = self._lazy_names()

    def is_foreign(self, name: str) -> bool:
        """Tell whether the name was imported from outside the build."""
        return name in self._foreign

    def _imported_from_outside(self) -> "set[str]":
        outside: set[str] = set()
        inside: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    own = load.belongs(alias.name)
                    (inside if own else outside).add((alias.asname or alias.name).split(".")[0])
            elif isinstance(node, ast.ImportFrom):
                own = node.level > 0 or load.belongs(node.module or "")
                (inside if own else outside).update(a.asname or a.name for a in node.names)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                inside.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                inside.add(node.name)
        return outside - inside

    def _lazy_names(self) -> "set[str]":
        """Return the names that a module's `__getattr__` may know: its texts, and those of the
        tables that it reads."""
        functions = [n for n in self.tree.body if isinstance(n, ast.FunctionDef)]
        hook = next((f for f in functions if f.name == "__getattr__"), None)
        if hook is None:
            return set()
        read = {n.id for n in ast.walk(hook) if isinstance(n, ast.Name)}
        places: list[ast.AST] = [hook]
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            if any(isinstance(t, ast.Name) and t.id in read for t in targets):
                places.append(node)
        texts = (n.value for p in places for n in ast.walk(p) if isinstance(n, ast.Constant))
        return {t for t in texts if isinstance(t, str) and t.isidentifier()}

    def dropped(self, path: str, module: object) -> "list[str]":
        """Return a line for each guarded import that this build breaks off."""
        lines = []
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Try):
                continue
            for block in (n for n in node.body if isinstance(n, ast.ImportFrom) and n.level == 1):
                target = sys.modules.get(f"{self.name}.{block.module}")
                names = [a.name for a in block.names if a.name != "*"]
                missing = [n for n in names if target is not None and not hasattr(target, n)]
                lost = [a.asname or a.name for a in block.names if a.name != "*"]
                lost = [n for n in lost if not hasattr(module, n)]
                if missing and lost:
                    lines.append(
                        f"{path}: the guarded import at line {block.lineno} breaks off, because "
                        f"{block.module} has no {missing[0]}: without {', '.join(lost)}"
                    )
        return lines


def instance_attributes(cls: type) -> "list[str]":
    """Return the public names that making an instance sets on it, and the annotated fields.

    A base of the build makes its part, and so does a method that `__init__` calls.
    """
    names: set[str] = set()
    for owner in cls.__mro__:
        if load.belongs(getattr(owner, "__module__", "") or ""):
            names |= _set_by(owner)
    return sorted(n for n in names if not n.startswith("_"))


def _set_by(cls: type) -> "set[str]":
    node: ast.AST | None = _parse(sys.modules.get(cls.__module__))
    for part in cls.__qualname__.split("."):
        body = getattr(node, "body", [])
        node = next((n for n in body if isinstance(n, ast.ClassDef) and n.name == part), None)
    if not isinstance(node, ast.ClassDef):
        return set()
    names = {
        n.target.id
        for n in node.body
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }
    methods = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
    asked = {"__init__"} & set(methods)
    queue = list(asked)
    while queue:
        method = methods[queue.pop()]
        me = method.args.args[0].arg if method.args.args else ""
        for each in _of_self(method, me):
            if isinstance(each.ctx, ast.Store):
                names.add(each.attr)
            elif each.attr in methods and each.attr not in asked:
                asked.add(each.attr)
                queue.append(each.attr)
    return names


def _of_self(method: ast.FunctionDef, me: str) -> "list[ast.Attribute]":
    return [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == me
    ]


def _parse(module: object) -> ast.Module:
    if not isinstance(module, ModuleType) or not getattr(module, "__file__", None):
        return ast.Module(body=[], type_ignores=[])
    try:
        return ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError, UnicodeError):
        return ast.Module(body=[], type_ignores=[])
