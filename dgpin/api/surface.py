"""Surfaces: every public name of a build, with its signatures and where they came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from dgpin.api import signature as signatures
from dgpin.api.signature import Signature

PACKAGE = "deep_gemm"
TARGET = "target:"  # the trait that names the C++ function, where the source was read
FORMAT = 1


class Kind(str, Enum):
    """What a name stands for."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    ENUM = "enum"
    METHOD = "method"
    PROPERTY = "property"
    ATTRIBUTE = "attribute"  # set on an instance by __init__, or a value on the class
    MEMBER = "member"  # of an enum
    CONSTANT = "constant"
    OPERATOR = "operator"  # a torch op, under torch.ops.NAMESPACE


class Binding(str, Enum):
    """Who matches the arguments of a call, and so which exception a bad one raises."""

    PYTHON = "python"  # TypeError
    PYBIND11 = "pybind11"  # TypeError
    TORCH = "torch"  # RuntimeError


class Origin(str, Enum):
    """Where a signature was read, most trustworthy first."""

    INSPECT = "inspect"  # inspect.signature of the loaded Python object
    DOCSTRING = "docstring"  # what pybind11 wrote for the loaded function
    SCHEMA = "schema"  # the schema of the loaded torch op
    BINARY = "binary"  # schema text in a .so, not loaded
    PYTHON_SOURCE = "python-source"
    CPP_SOURCE = "cpp-source"
    NONE = "none"  # the symbol cannot be called, or its signature could not be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """One name of the surface.

    `path` is dotted and full: `deep_gemm.utils.layout.get_tma_aligned_size`,
    `deep_gemm.SymmBuffer.destroy`, `torch.ops.deep_gemm.fp8_gemm_nt`. Names of one object have
    one `identity`; `canonical` is the name that the object itself bears and that its error
    messages show. `signatures` are the overloads, in the order in which they are tried.
    `value` is the text of a constant, an enum member or a class attribute. `traits` are what
    else a caller relies on: `async`, `static`, `classmethod`, `base:NAME`; `target:NAME` is not
    one of them, it is the C++ function behind the symbol.
    """

    path: str
    kind: Kind
    binding: Binding
    identity: str
    canonical: str = ""
    origin: Origin = Origin.NONE
    signatures: tuple[Signature, ...] = ()
    value: str = ""
    traits: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    @property
    def parent(self) -> str:
        """The path of the module or class that holds the name."""
        return self.path.rpartition(".")[0]

    @property
    def is_private(self) -> bool:
        """Whether it is reached through a name that starts with an underscore, or is a raw op."""
        return is_private(self.path)


def is_private(path: str) -> bool:
    """Whether a path leads through `_C` or the like; raw torch ops count as such."""
    parts = path.split(".")
    hidden = any(p.startswith("_") and not p.endswith("__") for p in parts)
    return hidden or parts[0] != PACKAGE


def base_of(trait: str) -> str:
    """Return the class that a trait says is a base; "" for another trait."""
    return trait.removeprefix("base:") if trait.startswith("base:") else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A module, symbol or signature that is there and could not be read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which build a surface is of.

    `label` is what the user called it, `digest` the hash of its `_C*` and Python files (the
    version does not identify a build). `toolchain` holds what spells types and defaults: python,
    torch, pybind11, cuda.
    """

    label: str
    digest: str
    version: str = ""
    toolchain: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Surface:
    """The API of one build.

    `static` tells that nothing was loaded; `notes` are what the reader must know about how it was
    read (a lazy load, output at import).
    """

    build: Identity
    symbols: tuple[Symbol, ...]
    unreadable: tuple[Unreadable, ...] = ()
    static: bool = False
    notes: tuple[str, ...] = ()

    @cached_property
    def by_path(self) -> Mapping[str, Symbol]:
        """The symbols by their full path."""
        return {symbol.path: symbol for symbol in self.symbols}

    @cached_property
    def by_identity(self) -> Mapping[str, tuple[Symbol, ...]]:
        """The names of each object."""
        groups: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            groups.setdefault(symbol.identity, []).append(symbol)
        return {key: tuple(group) for key, group in groups.items()}

    @cached_property
    def bases(self) -> Mapping[str, frozenset[str]]:
        """The bases of each class that has some, by their full names."""
        found = {s.path: frozenset(base_of(t) for t in s.traits) - {""} for s in self.symbols}
        return {path: bases for path, bases in found.items() if bases}

    def find(self, name: str) -> Symbol | None:
        """Return a symbol by its dotted name, with or without the leading `deep_gemm.`."""
        return self.by_path.get(name) or self.by_path.get(f"{PACKAGE}.{name}")

    def names(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return every name of the object that a symbol is bound to, itself among them."""
        return self.by_identity[symbol.identity]

    def members(self, path: str) -> tuple[Symbol, ...]:
        """Return what lies directly under a module or class, by its full path."""
        return tuple(symbol for symbol in self.symbols if symbol.parent == path)

    def is_unreadable(self, path: str) -> str:
        """Return why a path, or a module above it, could not be read; "" when it could."""
        for item in self.unreadable:
            if path == item.path or path.startswith(f"{item.path}."):
                return item.reason
        return ""


def to_json(surface: Surface) -> dict[str, Any]:
    """Return the surface as JSON values, for the cache and for `-o json`."""
    return {
        "format": FORMAT,
        "build": {
            "label": surface.build.label,
            "digest": surface.build.digest,
            "version": surface.build.version,
            "toolchain": dict(surface.build.toolchain),
        },
        "static": surface.static,
        "notes": list(surface.notes),
        "unreadable": [{"path": u.path, "reason": u.reason} for u in surface.unreadable],
        "symbols": [_symbol_to_json(symbol) for symbol in surface.symbols],
    }


def _symbol_to_json(symbol: Symbol) -> dict[str, Any]:
    return {
        "path": symbol.path,
        "kind": symbol.kind.value,
        "binding": symbol.binding.value,
        "identity": symbol.identity,
        "canonical": symbol.canonical,
        "origin": symbol.origin.value,
        "signatures": [signatures.to_json(s) for s in symbol.signatures],
        "value": symbol.value,
        "traits": list(symbol.traits),
    }


def from_json(value: Mapping[str, Any]) -> Surface:
    """Return the surface that `to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: it is of another shape or format.
    """
    if value["format"] != FORMAT:
        raise ValueError(value["format"])
    build = value["build"]
    return Surface(
        build=Identity(
            label=str(build["label"]),
            digest=str(build["digest"]),
            version=str(build["version"]),
            toolchain={str(k): str(v) for k, v in build["toolchain"].items()},
        ),
        static=bool(value["static"]),
        notes=tuple(str(note) for note in value["notes"]),
        unreadable=tuple(
            Unreadable(path=str(u["path"]), reason=str(u["reason"])) for u in value["unreadable"]
        ),
        symbols=tuple(_symbol_from_json(item) for item in value["symbols"]),
    )


def _symbol_from_json(item: Mapping[str, Any]) -> Symbol:
    return Symbol(
        path=str(item["path"]),
        kind=Kind(item["kind"]),
        binding=Binding(item["binding"]),
        identity=str(item["identity"]),
        canonical=str(item["canonical"]),
        origin=Origin(item["origin"]),
        signatures=tuple(signatures.from_json(s) for s in item["signatures"]),
        value=str(item["value"]),
        traits=tuple(str(trait) for trait in item["traits"]),
    )
