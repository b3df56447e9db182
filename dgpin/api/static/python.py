"""What the Python half of a source exports, read as text: every module's names, followed to the
objects that they are bound to."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from dgpin.api.static import python_class
from dgpin.api.static.python_class import Function
from dgpin.api.surface import PACKAGE

_MOST_HOPS = 20  # re-exports in a row; more is a circle
_DYNAMIC = ("globals().update", "globals()[", "setattr(sys.modules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """What a name is bound to. `key` is the same for one object's names."""

    key: str
    kind: str  # module, function, class, constant, native (of `_C`), op
    function: Function | None = None
    node: ast.ClassDef | None = None
    module: str = ""
    value: str = ""
    path: str = ""  # of a module, or below the extension


@dataclass(slots=True)
class Module:
    """One module's text and what its top level binds."""

    name: str
    path: str
    tree: ast.Module
    names: dict[str, Object | None] = field(default_factory=dict)
    stars: dict[str, int] = field(default_factory=dict)  # base: how many names were bound before
    listed: tuple[str, ...] | None = None
    dynamic: str = ""


@lru_cache(maxsize=256)  # two commits have most of their files in common; no tree is changed
def _parse(source: bytes) -> ast.Module:
    return ast.parse(source)


class Half:
    """The Python half. `native` tells what the extension has, by path below `_C`."""

    def __init__(
        self, files: Mapping[str, bytes], native: Mapping[str, str], ops: Sequence[str]
    ) -> None:
        self.native = native
        self.ops = frozenset(ops)
        self.modules: dict[str, Module] = {}
        self.broken: dict[str, str] = {}
        for path, source in sorted(files.items()):
            name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            try:
                tree = _parse(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                self.broken[name] = f"{type(error).__name__}: {error}"
                continue
            self.modules[name] = Module(name=name, path=path, tree=tree)
        self._generate()
        for module in self.modules.values():
            self._read(module)
        self.reached = self._reached()

    def _generate(self) -> None:
        """Stand in for the module that the build writes: the environment's defaults."""
        name = f"{PACKAGE}.envs"
        if PACKAGE not in self.modules or name in self.modules:
            return
        wanted = [
            alias.name
            for node in ast.walk(self.modules[PACKAGE].tree)
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module == "envs"
            for alias in node.names
        ]
        if wanted:
            tree = ast.parse("\n".join(f"{each} = made_by_the_build()" for each in wanted))
            self.modules[name] = Module(name=name, path=f"{PACKAGE}/envs.py", tree=tree)

    def _reached(self) -> frozenset[str]:
        """Return the modules that importing the package imports: they are bound in their parents
        when a star import looks."""
        seen: set[str] = set()
        queue = [PACKAGE]
        while queue:
            name = queue.pop()
            if name in seen or name not in self.modules:
                continue
            seen.add(name)
            here = self.modules[name]
            for statement, _ in _statements(here.tree.body):
                if isinstance(statement, ast.ImportFrom):
                    base = _absolute(here, statement)
                    queue += [base, *(f"{base}.{alias.name}" for alias in statement.names)]
        return frozenset(seen)

    def children(self, module: str) -> dict[str, Object]:
        """Return a package's own modules, by name."""
        prefix = f"{module}."
        inner = (n for n in self.modules if n.startswith(prefix) and "." not in n[len(prefix) :])
        return {n[len(prefix) :]: Object(key=n, kind="module", path=n) for n in inner}

    def _read(self, module: Module) -> None:
        left: set[ast.Try] = set()  # by a name that could not be imported
        for statement, guards in _statements(module.tree.body, left):
            if left.intersection(guards):
                continue
            if isinstance(statement, ast.ImportFrom):
                if not self._import(module, statement) and guards:
                    left.add(guards[-1])
            else:
                self._bind(module, statement)

    def _bind(self, module: Module, statement: ast.stmt) -> None:
        """Take what a statement other than `from … import …` binds."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.split(".")[0]
                module.names.setdefault(bound, None)  # a library of its own
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            module.names[statement.name] = _defined(module, statement)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self._assign(module, statement)
        elif isinstance(statement, ast.Expr) and ast.unparse(statement).startswith(_DYNAMIC):
            module.dynamic = f"line {statement.lineno} puts names there when it runs"

    def _import(self, module: Module, node: ast.ImportFrom) -> bool:
        """Bind what an import names, up to the first name that is not there; tell whether all
        were."""
        base = _absolute(module, node)
        if base.split(".")[0] != PACKAGE:
            for alias in node.names:
                module.names.setdefault(alias.asname or alias.name, None)
            return True
        for alias in node.names:
            if alias.name == "*":
                module.stars[base] = len(module.names)
                continue
            value = self._named(base, alias.name)
            if value is None:
                return False
            module.names[alias.asname or alias.name] = value
        return True

    def _named(self, base: str, name: str) -> Object | None:
        """Return what an import names; a module's own names are followed when they are asked."""
        child = f"{base}.{name}"
        if child == f"{PACKAGE}._C" and child not in self.modules:
            return self._native(base, name)
        if base in self.modules or child in self.modules:
            return Object(key=f"{base}:{name}", kind="later", module=base, path=name)
        return self._native(base, name)

    def _native(self, base: str, name: str) -> Object | None:
        if base == PACKAGE and name == "_C":
            return Object(key=f"{PACKAGE}._C", kind="module", path=f"{PACKAGE}._C")
        extension = f"{PACKAGE}._C"
        if base != extension and not base.startswith(f"{extension}."):
            return None
        path = f"{base}.{name}".removeprefix(f"{extension}.")
        if path not in self.native:
            return None
        kind = "module" if self.native[path] == "module" else "native"
        where = f"{extension}.{path}" if kind == "module" else path
        return Object(key=f"{extension}.{path}", kind=kind, path=where)

    def _assign(self, module: Module, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        pairs = [pair for target in targets for pair in _unpacked(target, node.value)]
        for target, value in pairs:
            if target.id == "__all__":
                module.listed = _literal_names(value)
            known = self._bound(module, value)
            if known is not None or not self._is_absent(module, value):
                module.names[target.id] = known or _constant(module, target.id, value)

    def _bound(self, module: Module, value: ast.expr) -> Object | None:
        """Return the object that an expression stands for, if it is a name of the build."""
        if isinstance(value, ast.Lambda):
            made = python_class.anonymous(value, _values(module))
            key = f"{module.name}:<lambda>:{value.lineno}"
            return Object(key=key, kind="function", function=made, module=module.name)
        source = ast.unparse(value)
        if isinstance(value, ast.Name):
            return module.names.get(value.id)
        if isinstance(value, ast.Attribute):
            if source.startswith("torch.ops."):
                return self._op(value.attr)
            base = source.removesuffix(f".{value.attr}")
            owner = module.names.get(base.split(".")[0])
            if owner is not None and owner.kind == "module":
                return self._native(".".join([owner.path, *base.split(".")[1:]]), value.attr)
        if isinstance(value, ast.Call):
            # A wrapper that is made from an op's name, or getattr of the ops' namespace.
            names = [a.value for a in value.args if isinstance(a, ast.Constant)]
            wanted = [n for n in names if isinstance(n, str)]
            return self._op(wanted[0]) if len(wanted) == 1 else None
        return None

    def _is_absent(self, module: Module, value: ast.expr) -> bool:
        """Tell whether a value is asked of the extension, which is known and does not have it."""
        match value:
            case ast.Attribute(value=ast.Name(id=name)):
                owner = module.names.get(name)
                return bool(self.native) and owner is not None and owner.path == f"{PACKAGE}._C"
            case _:
                return False

    def _op(self, name: str) -> Object | None:
        found = [op for op in self.ops if op.partition("::")[2] == name]
        return Object(key=f"op:{found[0]}", kind="op", path=found[0]) if found else None

    def exports(self, module: str) -> dict[str, Object]:
        """Return every public name of a module, with the object behind it."""
        names = {**self.children(module), **self._names(module, hops=0)}
        kept = {"__version__"} if module == PACKAGE else set()
        return {n: value for n, value in names.items() if _is_public(n) or n in kept}

    def _names(self, module: str, *, hops: int) -> dict[str, Object]:
        here = self.modules[module]
        names: dict[str, Object] = {}
        stars = list(here.stars.items())
        for index, (name, value) in enumerate([*here.names.items(), ("", None)]):
            # What is bound later wins, as when it runs.
            while stars and stars[0][1] <= index:
                names.update(self._starred(stars.pop(0)[0], hops=hops + 1))
            resolved = self.resolve(value)
            if resolved is not None:
                names[name] = resolved
        return names

    def _starred(self, base: str, *, hops: int) -> dict[str, Object]:
        if base not in self.modules or hops > _MOST_HOPS:
            return {}
        bound = {n: v for n, v in self.children(base).items() if v.path in self.reached}
        names = {**bound, **self._names(base, hops=hops)}
        listed = self.modules[base].listed
        return {n: v for n, v in names.items() if (n in listed if listed else _is_public(n))}

    def resolve(self, value: Object | None) -> Object | None:
        """Return the object at the end of a chain of re-exports; None for one of a library."""
        for _ in range(_MOST_HOPS):
            if value is None or value.kind != "later":
                return value
            base, name = value.module, value.path
            if f"{base}.{name}" in self.modules:
                child = f"{base}.{name}"
                return Object(key=child, kind="module", path=child)
            here = self.modules[base]
            if name not in here.names:
                return self._starred_one(here, name)
            value = here.names[name]
        return None

    def _starred_one(self, module: Module, name: str) -> Object | None:
        found = (self._starred(star, hops=1).get(name) for star in module.stars)
        return next((value for value in found if value is not None), None)


def _unpacked(target: ast.expr, value: ast.expr | None) -> list[tuple[ast.Name, ast.expr]]:
    """Return the names that an assignment binds, each with its own value."""
    if value is None:
        return []
    if isinstance(target, ast.Name):
        return [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return [(name, part) for name, part in pairs if isinstance(name, ast.Name)]
    return []


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _defined(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Object:
    key = f"{module.name}:{node.name}"
    if isinstance(node, ast.ClassDef):
        return Object(key=key, kind="class", node=node, module=module.name)
    function = python_class.function(node, _values(module))
    return Object(key=key, kind="function", function=function, module=module.name)


def _values(module: Module) -> dict[str, str]:
    """Return the constants that are known so far: defaults may name them."""
    return {n: o.value for n, o in module.names.items() if o is not None and o.kind == "constant"}


def _constant(module: Module, name: str, value: ast.expr) -> Object:
    text = python_class.spelled(value, _values(module))
    return Object(key=f"constant:{name}:{text}", kind="constant", value=text, module=module.name)


def _literal_names(node: ast.expr) -> tuple[str, ...] | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):  # a key that cannot be one, say
        return None
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else None


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    depth = node.level - (1 if module.path.endswith("/__init__.py") else 0)
    parts = parts[: len(parts) - depth] if depth else parts
    return ".".join([*parts, *([node.module] if node.module else [])])


def _statements(
    body: Sequence[ast.stmt], left: Collection[ast.Try] = (), *, guards: tuple[ast.Try, ...] = ()
) -> Iterator[tuple[ast.stmt, tuple[ast.Try, ...]]]:
    """Yield what an import runs, with the try statements around it that catch its failure.

    `left` is asked after the body of each: the handlers of those that were left run, else none.
    """
    for statement in body:
        yield statement, guards
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(statement, ast.Try):
            inner = (*guards, statement) if statement.handlers else guards
            yield from _statements(statement.body, left, guards=inner)
            after = _handling(statement) if statement in left else statement.orelse
            for block in (after, statement.finalbody):
                yield from _statements(block, left, guards=guards)
            continue
        for name in ("body", "orelse"):
            yield from _statements(getattr(statement, name, []), left, guards=guards)


def _handling(statement: ast.Try) -> Sequence[ast.stmt]:
    """Return what runs when an import in a try statement fails."""
    for handler in statement.handlers:
        caught = "" if handler.type is None else ast.unparse(handler.type)
        if not caught or any(name in caught for name in ("ImportError", "Exception")):
            return handler.body
    return ()
