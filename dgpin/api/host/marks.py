"""Which names may carry something of the API: a quick look that spares most of the slow one.

It says too much rather than too little: names are followed by their text, and order is ignored.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence

from dgpin.api.host.module import Binding, How, Module, Scope
from dgpin.api.host.project import Project, called_name

Key = tuple[object, str]  # (function scope, local name), or (None, any other name)
Head = tuple[Key, bool]  # what an expression reads, and whether it calls it
_HANDLE, _RESULT = 2, 1
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_STARS = 3  # files that hand on with `*` what they got with it
_BASES = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_SEEDS = frozenset({"import_module", "importorskip", "__import__", "find_spec", "modules", "ops"})
# Calls that give back, in some form, what they are given.
_PASSING = frozenset(
    {"getattr", "partial", "cast", "signature", "reload", "cache", "lru_cache", "next", "iter"}
    | {"staticmethod", "dir", "vars", "set", "frozenset", "keys", "getfullargspec"}
    | {"dict", "list", "tuple", "sorted", "wraps", "items", "values", "get", "bool", "callable"}
)


class Marks:
    """The names that may carry a handle (or the result of a call) of the API."""

    def __init__(self, project: Project) -> None:
        self._library = project.library
        self._marked: dict[Key, int] = {}
        self._readers: dict[Key, list[tuple[Key, bool]]] = {}
        self._tiers: dict[ast.expr, int] = {}
        self._names: set[str] = set()  # of the marked keys
        self._handle_names: set[str] = set()
        self._parameters: dict[str, list[Scope]] = {}
        for module in project.modules:
            for scope in module.scopes.values():
                if scope.is_function and scope.name:
                    name = scope.name.split(".")[-1]
                    if name == "__init__" and scope.owner is not None:
                        name = scope.owner.name.rpartition(".")[2]
                    self._parameters.setdefault(name, []).append(scope)
        self._todo: list[Key] = []
        for module in project.modules:
            self._module(module)
        for name, functions in self._parameters.items():
            for call, scope in project.calls.get(name, ()):
                self._call(call, scope, functions)
        for name in (*_SEEDS, *_from_stars(project)):
            self._mark((None, name), _HANDLE)
        self._spread()

    def _spread(self) -> None:
        while self._todo:
            key = self._todo.pop()
            for reader, calls in self._readers.get(key, ()):
                tier = self._marked[key]
                self._mark(reader, min(tier, _RESULT) if calls else tier)

    def _mark(self, key: Key, tier: int) -> None:
        if self._marked.get(key, 0) < tier:
            self._marked[key] = tier
            self._names.add(key[1])
            if tier == _HANDLE:
                self._handle_names.add(key[1])
            self._todo.append(key)

    def carries(self, node: ast.expr, scope: Scope, *, result: bool = False) -> bool:
        """Whether an expression may stand for a handle; or, with `result`, for a result."""
        if isinstance(node, ast.Name):  # most are asked for, and say no
            if node.id not in (self._names if result else self._handle_names):
                return False
        elif type(node) not in _CARRYING:
            return False
        return self._tier(node, scope) >= (_RESULT if result else _HANDLE)

    def calls(self, call: ast.Call, scope: Scope) -> bool:
        """Whether a call may be one of a handle or of a result, or may give a handle."""
        if self.carries(call.func, scope, result=True):
            return True
        name = called_name(call)
        known = name in _PASSING or name in _SEEDS or f"{name}()" in self._names
        return known and self.carries(call, scope)

    def _tier(self, node: ast.expr, scope: Scope) -> int:
        """Return what an expression may stand for; it is what the best of its heads is."""
        own = 0
        while isinstance(node, ast.Attribute):
            if node.attr in self._names:
                own = max(own, self._marked.get((None, node.attr), 0))
            node = node.value
            if not isinstance(node, _BASES):
                return own
        if isinstance(node, ast.Name):
            below = self._marked.get(_key(node.id, scope), 0) if node.id in self._names else 0
            return max(own, below)
        known = self._tiers.get(node)
        if known is None:
            known = self._tiers[node] = self._composed(node, scope)
        return max(own, known)

    def _composed(self, node: ast.expr, scope: Scope) -> int:
        if isinstance(node, ast.Call):
            return self._called(node, scope)
        if isinstance(node, ast.Lambda):
            return self._tier(node.body, scope.module.scopes[node])
        parts = (part for name in _FIELDS.get(type(node), ()) for part in _items(node, name))
        return max((self._tier(part, scope) for part in parts), default=0)

    def _called(self, call: ast.Call, scope: Scope) -> int:
        """Return the same for a call; `_call_heads` says what its heads are."""
        name = called_name(call)
        given = f"{name}()"
        own = 0
        if given in self._names:
            own = self._marked.get((None, given), 0)
            local = _key(name, scope)[0] if isinstance(call.func, ast.Name) else None
            if local is not None:
                own = max(own, self._marked.get((local, given), 0))
        if name in _SEEDS:
            return max(own, self._marked.get((None, name), 0))
        if name not in _PASSING:
            return max(own, min(self._tier(call.func, scope), _RESULT))
        parts = [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
        return max([own, *(self._tier(part, scope) for part in parts)])

    def reached(self, functions: Iterable[str]) -> frozenset[str]:
        """Return the names that may stand for a handle, for what gives one, or for one of the
        functions. What `carries` has answered before holds no more."""
        self._tiers.clear()
        given = [name for name in self._handles() if name.endswith("()")]
        for name in (*functions, *(name.removesuffix("()") for name in given)):
            self._mark((None, name), _HANDLE)
        self._spread()
        return frozenset(self._handles())

    def _handles(self) -> Iterator[str]:
        for (scope, name), tier in self._marked.items():
            if scope is None and tier == _HANDLE:
                yield name

    # Who reads what ---------------------------------------------------------------------------

    def _module(self, module: Module) -> None:
        for scope in module.scopes.values():
            where = scope if scope.is_function else None
            for name, bindings in scope.bindings.items():
                for binding in bindings:
                    self._binding((where, name), binding)
            for name, bindings in scope.attributes.items():
                for binding in bindings:
                    self._binding((None, name), binding)
            if scope.returns:
                self._returned(scope)
            if isinstance(scope.node, ast.Lambda):
                parent = module.parent(scope.node)[0]
                if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
                    self._reads((None, f"{parent.targets[0].id}()"), scope.node.body, scope)

    def _returned(self, scope: Scope) -> None:
        name, node = _own_name(scope), scope.node
        marks = node.decorator_list if isinstance(node, _Function) else []
        is_property = bool(marks) and any(map(_is_property, marks))
        for statement in scope.returns:
            if statement.value is not None:
                self._reads((None, f"{name}()"), statement.value, scope)
                if is_property and _may_be_handle(statement.value):
                    self._reads((None, name), statement.value, scope)

    def _binding(self, key: Key, binding: Binding) -> None:
        if binding.value is not None:
            self._reads(key, binding.value, binding.scope)
            return
        if binding.how is not How.IMPORTED:
            return
        where, name = key
        full = f"{binding.module}.{binding.attribute}" if binding.attribute else binding.module
        if self._library(full) is not None or self._library(binding.module) is not None:
            self._mark(key, _HANDLE)
        elif binding.attribute:
            for suffix in ("", "()"):
                source: Key = (None, binding.attribute + suffix)
                self._readers.setdefault(source, []).append(((where, name + suffix), False))
        elif isinstance(binding.node, ast.Import):
            self._whole_module(binding.node)

    def _whole_module(self, node: ast.Import) -> None:
        for alias in node.names:
            if self._library(alias.name) is not None:
                self._mark((None, alias.name.rpartition(".")[2]), _HANDLE)

    def _reads(self, key: Key, value: ast.expr, scope: Scope) -> None:
        for head, calls in self._heads(value, scope):
            self._readers.setdefault(head, []).append((key, calls))

    def _call(self, call: ast.Call, scope: Scope, functions: list[Scope]) -> None:
        """Note what a call may hand on to the host's functions of that name."""
        for index, arg in enumerate(call.args):
            heads = [head for head, calls in self._heads(arg, scope) if not calls]
            for function in functions if heads else ():
                for name in _places(function, index):
                    for head in heads:
                        self._readers.setdefault(head, []).append(((function, name), False))
        for keyword in call.keywords:
            heads = [head for head, calls in self._heads(keyword.value, scope) if not calls]
            for function in functions if heads and keyword.arg else ():
                for head in heads:
                    reader = (function, keyword.arg or "")
                    self._readers.setdefault(head, []).append((reader, False))

    def _heads(self, node: ast.expr, scope: Scope) -> Sequence[Head]:
        """Return what may make an expression carry something, and whether by a call of it."""
        if isinstance(node, ast.Name):
            return ((_key(node.id, scope), False),)
        if isinstance(node, ast.Call):
            return list(self._call_heads(node, scope))
        found: list[Head] = []
        while isinstance(node, ast.Attribute):
            found.append(((None, node.attr), False))
            node = node.value
            if not isinstance(node, _BASES):
                return found
        if found:
            return [*found, *self._heads(node, scope)]
        if isinstance(node, ast.Lambda):
            return self._heads(node.body, scope.module.scopes[node])
        for name in _FIELDS.get(type(node), ()):
            for part in _items(node, name):
                found += self._heads(part, scope)
        return found

    def _call_heads(self, node: ast.Call, scope: Scope) -> Iterator[Head]:
        name = called_name(node)
        yield (None, f"{name}()"), False
        if isinstance(node.func, ast.Name):
            local, _ = _key(name, scope)
            if local is not None:
                yield (local, f"{name}()"), False
        if name in _SEEDS:
            yield (None, name), False
        elif name in _PASSING:
            for arg in node.args:
                yield from self._heads(arg, scope)
            if isinstance(node.func, ast.Attribute):
                yield from self._heads(node.func.value, scope)
        else:
            for head, _ in self._heads(node.func, scope):
                yield head, True


def _is_property(mark: ast.expr) -> bool:
    name = mark.attr if isinstance(mark, ast.Attribute) else getattr(mark, "id", "")
    return name in {"property", "cached_property"}


def _may_be_handle(node: ast.expr) -> bool:
    """Whether a property that gives this may give a handle; `self.config.size` is none."""
    depth = 0
    while isinstance(node, ast.Attribute):
        node, depth = node.value, depth + 1
    own = isinstance(node, ast.Name) and node.id == "self"
    return isinstance(node, (ast.Name, ast.Call)) and (depth <= 1 or not own)


def _from_stars(project: Project) -> Iterator[str]:
    """Yield the names that `from deep_gemm import *` may have brought, into other files too."""
    starred: set[str] = set()
    for _ in range(_STARS):
        before = len(starred)
        for module in project.modules:
            sources = {b.module for b in module.top.bindings.get("*", ())}
            if sources & starred or any(project.library(source) is not None for source in sources):
                starred.update(module.names)
        if len(starred) == before:
            break
    for module in project.modules if starred else ():
        if starred.intersection(module.names):
            bound = {name for scope in module.scopes.values() for name in scope.bindings}
            names = {n.id for n in ast.walk(module.tree) if isinstance(n, ast.Name)}
            yield from names - bound
        for node, _ in module.imports:
            if isinstance(node, ast.ImportFrom) and module.absolute(node) in starred:
                yield from (alias.name for alias in node.names)


def _key(name: str, scope: Scope) -> Key:
    around: Scope | None = scope
    while around is not None:
        if around.is_function and name in around.bindings and name not in around.outside:
            return around, name
        around = around.outer
    return None, name


# The fields of an expression that can be its value.
_FIELDS: dict[type[ast.expr], tuple[str, ...]] = {
    ast.BoolOp: ("values",),
    ast.IfExp: ("body", "orelse"),
    ast.NamedExpr: ("value",),
    ast.Subscript: ("value",),
    ast.Await: ("value",),
    ast.Starred: ("value",),
    ast.Dict: ("values",),
    ast.DictComp: ("value",),
    ast.List: ("elts",),
    ast.Tuple: ("elts",),
    ast.GeneratorExp: ("elt",),
    ast.ListComp: ("elt",),
}


_CARRYING = frozenset({*_BASES, ast.Lambda, *_FIELDS})


def _items(node: ast.expr, name: str) -> Iterable[ast.expr]:
    value = getattr(node, name)
    return value if isinstance(value, list) else (value,)


def _own_name(scope: Scope) -> str:
    return scope.name.rpartition(".")[2]


def _places(function: Scope, index: int) -> list[str]:
    args = getattr(function.node, "args", None)
    if not isinstance(args, ast.arguments):
        return []
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    # A method may be called with or without its first parameter.
    found = [names[i] for i in (index, index + 1) if i < len(names)]
    return found if function.owner is not None else found[:1]
