"""The two halves of a source, joined to one surface."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from dgpin.api import schema as schemas_text
from dgpin.api.signature import Signature
from dgpin.api.static import python_class
from dgpin.api.static.cpp import Extension, Reader, Registered
from dgpin.api.static.python import Half, Object
from dgpin.api.static.python_class import Class
from dgpin.api.surface import (
    PACKAGE,
    TARGET,
    Binding,
    Identity,
    Kind,
    Origin,
    Surface,
    Symbol,
    Unreadable,
)

_C = f"{PACKAGE}._C"
_NESTED = "it is nested too deeply to be read"
_BASES = "the registration of one of its bases was not found"
Schemas = tuple[tuple[str, str], ...]


def surface(
    python: Mapping[str, bytes],
    native: Mapping[str, bytes],
    *,
    identity: Identity,
    schemas: Schemas = (),
    unreadable: tuple[Unreadable, ...] = (),
) -> Surface:
    """Return the surface of two sets of files, by path; `schemas` were read from a binary."""
    extension = _extension(tuple(sorted(native.items())))
    ops = _ops((*extension.schemas, *schemas), Origin.BINARY if schemas else Origin.CPP_SOURCE)
    compiled, unread = _compiled(extension)
    unread += [Unreadable(path=path, reason=_NESTED) for path in extension.nested]
    unread += [Unreadable(path=f"{_C}.{path}", reason=_BASES) for path in extension.unknown]
    kinds = {s.path.removeprefix(f"{_C}."): s.kind.value for s in compiled}
    half = Half(python, kinds, [op.canonical for op in ops])
    joined = _Join(half, compiled, ops)
    symbols = [*joined.symbols(), *ops]
    unread += [Unreadable(path=name, reason=why) for name, why in half.broken.items()]
    unread += [
        Unreadable(path=m.name, reason=m.dynamic) for m in half.modules.values() if m.dynamic
    ]
    version = half.modules[PACKAGE].names.get("__version__") if PACKAGE in half.modules else None
    return Surface(
        build=replace(identity, version=version.value.strip("'\"") if version else ""),
        symbols=tuple(sorted({s.path: s for s in symbols}.values(), key=lambda s: s.path)),
        unreadable=(*unreadable, *sorted(unread, key=lambda u: u.path)),
        static=True,
        notes=("read as text: nothing was loaded",),
    )


@lru_cache(maxsize=2)  # of two commits often the Python half alone differs
def _extension(native: tuple[tuple[str, bytes], ...]) -> Extension:
    return Reader(dict(native)).read() if native else Extension()


def _ops(texts: Schemas, origin: Origin) -> list[Symbol]:
    found: dict[str, list[Signature]] = {}
    for namespace, text in texts:
        parsed = schemas_text.parse(text)
        if parsed is not None:
            name = f"{parsed.namespace or namespace}::{parsed.name}"
            found.setdefault(name, []).append(parsed.signature)
    return [
        Symbol(
            path=f"torch.ops.{name.replace('::', '.')}",
            kind=Kind.OPERATOR,
            binding=Binding.TORCH,
            identity=f"op:{name}",
            canonical=name,
            origin=origin,
            signatures=tuple(signatures),
        )
        for name, signatures in found.items()
    ]


def _compiled(extension: Extension) -> tuple[list[Symbol], list[Unreadable]]:
    """Return the extension's own symbols, aliases among them."""
    rows: dict[str, list[Registered]] = {}
    for row in extension.rows:
        known = rows.setdefault(row.path, [])
        if not (row.alternative and known):  # the same name in both branches of an #if
            known.append(row)
    symbols: dict[str, Symbol] = {}
    unread: list[Unreadable] = []
    for path, group in rows.items():
        first = group[0]
        if first.kind in {"alias", "init"}:
            continue
        made = rows.get(f"{path}.__init__", []) if first.kind == "class" else group
        if first.kind in {"function", "method"} and any(r.parameters is None for r in group):
            why = f"the definition of {first.target or 'what it binds'} was not found"
            unread.append(Unreadable(path=f"{_C}.{path}", reason=why))
        symbols[path] = _compiled_one(path, first, made)
    for path, group in rows.items():
        target = symbols.get(group[0].alias)
        if group[0].kind == "alias" and target is not None:
            symbols[path] = replace(target, path=f"{_C}.{path}")
    if symbols:
        symbols[""] = Symbol(path=_C, kind=Kind.MODULE, binding=Binding.PYTHON, identity=_C)
    return list(symbols.values()), unread


def _compiled_one(path: str, first: Registered, made: list[Registered]) -> Symbol:
    kind = Kind(first.kind)
    known = [r for r in made if r.parameters is not None]
    signatures = tuple(Signature(parameters=r.parameters or (), returns=r.returns) for r in known)
    callable_ = kind in {Kind.FUNCTION, Kind.METHOD, Kind.CLASS}
    bases = (f"base:{_C}.{base}" for base in first.bases)
    target = (f"{TARGET}{first.target}",) if first.target else ()
    return Symbol(
        path=f"{_C}.{path}",
        kind=kind,
        binding=Binding.PYBIND11 if callable_ else Binding.PYTHON,
        identity=f"{_C}:{path}",
        canonical=path.rpartition(".")[2],
        origin=Origin.CPP_SOURCE if signatures and callable_ else Origin.NONE,
        signatures=signatures if callable_ else (),
        traits=(*first.traits, *bases, *target),
        value=first.value,
    )


class _Join:
    """Walks the Python modules and hangs the extension's symbols where they are re-exported."""

    def __init__(self, half: Half, compiled: list[Symbol], ops: list[Symbol]) -> None:
        self.half = half
        self.compiled = {s.path: s for s in compiled}
        # By each name that it stands under: a search for each re-export would take the square.
        self.below: dict[str, list[Symbol]] = {}
        for path, symbol in self.compiled.items():
            parts = path.split(".")
            for count in range(1, len(parts) + 1):
                self.below.setdefault(".".join(parts[:count]), []).append(symbol)
        self.ops = {s.canonical: s for s in ops}

    def symbols(self) -> Iterator[Symbol]:
        """Yield every symbol of the package."""
        yield from self.compiled.values()
        if PACKAGE in self.half.modules:
            yield from self._module(PACKAGE, PACKAGE, above=())
        if _C in self.half.modules:  # the facade over torch ops
            yield from self._module(_C, _C, above=())

    def _module(self, path: str, name: str, *, above: tuple[str, ...]) -> Iterator[Symbol]:
        if path != PACKAGE:
            yield Symbol(path=path, kind=Kind.MODULE, binding=Binding.PYTHON, identity=name)
        for export, value in self.half.exports(name).items():
            where = f"{path}.{export}"
            if value.kind != "module":
                yield from self._object(where, value)
            elif value.path in self.compiled:
                yield from self._under(value.path, where)
            elif value.path in self.half.modules and value.path not in (*above, name):
                yield from self._module(where, value.path, above=(*above, name))

    def _under(self, source: str, target: str) -> Iterator[Symbol]:
        """Yield a compiled module or class and all below it under another path."""
        for symbol in self.below.get(source, ()):
            yield replace(symbol, path=target + symbol.path.removeprefix(source))

    def _object(self, path: str, value: Object) -> Iterator[Symbol]:
        if value.kind == "native":
            yield from self._under(f"{_C}.{value.path}", path)
        elif value.kind == "op":
            op = self.ops[value.path]
            yield replace(op, path=path, kind=Kind.FUNCTION)
        elif value.kind == "function" and value.function is not None:
            yield _python(
                path, Kind.FUNCTION, value.key, value.function.signature, value.function.traits
            )
        elif value.kind == "class" and value.node is not None:
            yield from self._class(path, value, value.node)
        elif value.kind == "constant":
            yield replace(_python(path, Kind.CONSTANT, value.key, None, ()), value=value.value)

    def _class(self, path: str, value: Object, node: ast.ClassDef) -> Iterator[Symbol]:
        made, traits = self._made(value.module, node, seen=())
        kind = Kind.ENUM if made.is_enum else Kind.CLASS
        yield _python(path, kind, value.key, made.signature, traits)
        for member in made.members:
            symbol = _python(
                f"{path}.{member.name}",
                Kind(member.kind),
                f"{value.key}.{member.name}",
                member.signature,
                member.traits,
            )
            yield replace(symbol, value=member.value)

    def _made(
        self, module: str, node: ast.ClassDef, *, seen: tuple[str, ...]
    ) -> tuple[Class, tuple[str, ...]]:
        """Return a class with what it has from its bases, as far as they are the build's own."""
        known = self.half.modules[module].names
        values = {n: o.value for n, o in known.items() if o is not None and o.kind == "constant"}
        made = python_class.describe(node, values)
        members = {member.name: member for member in made.members}
        signature, traits = made.signature, list[str]()
        for name in made.bases:
            base = self.half.resolve(known.get(name))
            if base is None or base.node is None or base.key in seen:
                continue
            below, further = self._made(base.module, base.node, seen=(*seen, base.key))
            if below.is_enum and not made.is_enum:
                made = python_class.describe(node, values, below_enum=True)
                members |= {member.name: member for member in made.members}
            if made.fields is not None:
                made = _with_fields(made, below)
                signature = made.signature
            signature = signature or below.signature
            members = {**{m.name: m for m in below.members}, **members}
            traits += [f"base:{base.key.replace(':', '.')}", *further]
        whole = replace(made, signature=signature, members=tuple(members.values()))
        return whole, tuple(traits)


def _with_fields(made: Class, below: Class) -> Class:
    """Return a dataclass with the fields of its base in front of its own."""
    fields = {p.name: p for p in (*(below.fields or ()), *(made.fields or ()))}
    listed = tuple(fields.values())
    return replace(made, fields=listed, signature=Signature(parameters=listed))


def _python(
    path: str, kind: Kind, key: str, signature: Signature | None, traits: tuple[str, ...]
) -> Symbol:
    return Symbol(
        path=path,
        kind=kind,
        binding=Binding.PYTHON,
        identity=key,
        canonical=key.rpartition(":")[2].rpartition(".")[2],
        origin=Origin.NONE if signature is None else Origin.PYTHON_SOURCE,
        signatures=() if signature is None else (signature,),
        traits=traits,
    )
