"""The probe's answer becomes a surface."""

from collections.abc import Mapping, Sequence
from typing import Any

from dgpin.api import docstring, schema
from dgpin.api.signature import Parameter, ParameterKind, Signature
from dgpin.api.surface import (
    Binding,
    Identity,
    Kind,
    Origin,
    Surface,
    Symbol,
    Unreadable,
)

_CALLABLE = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.METHOD, Kind.OPERATOR})


def surface(value: Mapping[str, Any], *, label: str, digest: str) -> Surface:
    """Return the surface of a build that loaded.

    Raises:
        KeyError, TypeError, ValueError: the answer has another shape.
    """
    unreadable = [
        Unreadable(path=str(u["path"]), reason=str(u["reason"])) for u in value["unreadable"]
    ]
    symbols: list[Symbol] = []
    for row in value["symbols"]:
        symbol, why = _symbol(row)
        symbols.append(symbol)
        if why:
            unreadable.append(Unreadable(path=symbol.path, reason=why))
    return Surface(
        build=Identity(
            label=label,
            digest=digest,
            version=str(value["version"]),
            toolchain={str(k): str(v) for k, v in value["toolchain"].items()},
        ),
        symbols=tuple(sorted(symbols, key=lambda s: s.path)),
        unreadable=tuple(sorted(unreadable, key=lambda u: u.path)),
        notes=tuple(str(note) for note in value["notes"]),
    )


def _symbol(row: Mapping[str, Any]) -> tuple[Symbol, str]:
    """Return the symbol of one row, and why its signature could not be read."""
    kind = Kind(row["kind"])
    signatures, origin, binding, why = _signatures(row, kind)
    return Symbol(
        path=str(row["path"]),
        kind=kind,
        binding=binding,
        identity=str(row["group"]),
        canonical=str(row.get("canonical", "")),
        origin=origin,
        signatures=signatures,
        value=str(row.get("value", "")),
        traits=tuple(sorted(str(t) for t in row.get("traits", ()))),
    ), why


_Read = tuple[tuple[Signature, ...], Origin, Binding, str]


def _signatures(row: Mapping[str, Any], kind: Kind) -> _Read:
    if "schemas" in row:
        return _schemas(row["schemas"])
    if kind is Kind.PROPERTY:
        returns = docstring.returned(str(row.get("doc", "")))
        return (Signature(returns=returns),), Origin.DOCSTRING, Binding.PYTHON, ""
    native = docstring.parse(str(row.get("doc", "")), method=bool(row.get("method")))
    if native:
        return native, Origin.DOCSTRING, Binding.PYBIND11, ""
    if "parameters" in row:
        return (_inspected(row),), Origin.INSPECT, Binding.PYTHON, ""
    binding = Binding.PYBIND11 if "doc" in row else Binding.PYTHON
    why = ""
    if kind in _CALLABLE and "no_signature" not in row:
        why = "the docstring of this compiled function has no signature"
        why = why if "doc" in row else str(row.get("why", "it has no signature"))
    return (), Origin.NONE, binding, why


def _schemas(texts: Sequence[str]) -> _Read:
    parsed = [schema.parse(str(text)) for text in texts]
    found = tuple(p.signature for p in parsed if p is not None)
    if len(found) < len(parsed) or not found:
        return (), Origin.NONE, Binding.TORCH, "the op's schema could not be read"
    return found, Origin.SCHEMA, Binding.TORCH, ""


def _inspected(row: Mapping[str, Any]) -> Signature:
    parameters = [
        Parameter(
            name=str(p["name"]),
            kind=ParameterKind(str(p["kind"]).lower().replace("_", "-")),
            default=None if p["default"] is None else str(p["default"]),
            type=str(p["type"]),
        )
        for p in row["parameters"]
    ]
    if row.get("bound") and parameters and parameters[0].kind is not ParameterKind.KEYWORD_ONLY:
        parameters = parameters[1:] if "static" not in row.get("traits", ()) else parameters
    return Signature(parameters=tuple(parameters), returns=str(row.get("returns", "")))
