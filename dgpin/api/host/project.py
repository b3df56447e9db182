"""All parsed modules of a host, by the names under which they import each other."""

import ast
from collections.abc import Iterable

from dgpin.api.host.module import Module, Scope
from dgpin.api.host.values import LIBRARY, library


class Project:
    """The parsed modules and their calls."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self.modules = list(modules)
        self._by_name: dict[str, Module] = {}
        for module in self.modules:
            for name in module.names:
                self._by_name.setdefault(name, module)
        self.calls: dict[str, list[tuple[ast.Call, Scope]]] = {}
        for module in self.modules:
            for call, scope in module.calls:
                name = called_name(call)
                if name:
                    self.calls.setdefault(name, []).append((call, scope))

    def library(self, dotted: str) -> str | None:
        """Return the path in the API of a dotted name; None for a module that the host wrote.

        A host may keep a wrapper where others keep a copy of the library.
        """
        path = library(dotted)
        if path is None or path == dotted:
            return path
        return None if dotted.removesuffix(path) + LIBRARY in self._by_name else path

    def module(self, dotted: str) -> Module | None:
        """Return the module of an absolute name, if it is one of the parsed ones."""
        return self._by_name.get(dotted)


def called_name(call: ast.Call) -> str:
    """Return the last name of what is called."""
    func = call.func
    if isinstance(func, ast.Name):
        return func.id
    return func.attr if isinstance(func, ast.Attribute) else ""


def module_names(path: str, packages: frozenset[str]) -> tuple[str, ...]:
    """Return the dotted names under which a file can be imported, the longest first.

    `packages` are the directories that have an `__init__.py`. Directories above the topmost
    package may be on the import path, so each suffix that starts there or above is a name.
    """
    stem = path.removesuffix(".py")
    parts = stem.split("/")
    if parts[-1] == "__init__":
        parts = parts[:-1]
    if not all(part.isidentifier() for part in parts[-1:]):
        return ()
    folders = path.split("/")[:-1]
    top = next(
        (i for i in range(len(folders)) if "/".join(folders[: i + 1]) in packages), len(folders)
    )
    names = [".".join(parts[start:]) for start in range(top + 1) if parts[start:]]
    return tuple(name for name in names if all(part.isidentifier() for part in name.split(".")))
