"""A build and the source it was made from, held against each other: they must agree."""

import re
from dataclasses import dataclass

from dgpin.api import spelling
from dgpin.api.signature import Signature
from dgpin.api.surface import Kind, Surface, Symbol

_HELD = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.METHOD, Kind.OPERATOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How many symbols and parameters were held against each other, and which do not agree."""

    symbols: int
    parameters: int
    agreeing_symbols: int
    agreeing_parameters: int
    disagreements: tuple[str, ...]


def hold(loaded: Surface, text: Surface) -> Agreement:
    """Hold every callable of a loaded build against what its source's text says of it."""
    symbols = parameters = right = right_parameters = 0
    differing: list[str] = []
    for symbol in loaded.symbols:
        if symbol.kind not in _HELD:
            continue
        symbols += 1
        other = text.by_path.get(symbol.path)
        if other is None:
            differing.append(f"{symbol.path} is in the build and not in the source")
            parameters += _count(symbol)
            continue
        same = _bare(symbol) == _bare(other)
        right += same
        parameters += _count(symbol)
        right_parameters += _shared(symbol, other)
        if not same:
            differing.append(
                f"{symbol.path}: the build has {_told(symbol)}, the source {_told(other)}"
            )
    return Agreement(
        symbols=symbols,
        parameters=parameters,
        agreeing_symbols=right,
        agreeing_parameters=right_parameters,
        disagreements=tuple(differing),
    )


def _count(symbol: Symbol) -> int:
    return sum(len(s.parameters) for s in symbol.signatures)


def _bare(symbol: Symbol) -> list[list[tuple[str, str, str | None]]]:
    return [_parameters(s) for s in symbol.signatures]


def _parameters(signature: Signature) -> list[tuple[str, str, str | None]]:
    """Return what both readings spell alike: types they do not."""
    return [(p.name, p.kind.value, _default(p.default)) for p in signature.parameters]


def _default(text: str | None) -> str | None:
    """Return a default as both readings have it; what C++ makes when it runs is only there."""
    if text is None:
        return None
    plain = spelling.is_literal(text) or re.fullmatch(r"[\w.]+", text)
    return spelling.default_of(text) if plain else "..."


def _shared(one: Symbol, other: Symbol) -> int:
    pairs = zip(_bare(one), _bare(other), strict=False)
    return sum(a == b for mine, theirs in pairs for a, b in zip(mine, theirs, strict=False))


def _told(symbol: Symbol) -> str:
    return "; ".join(map(str, symbol.signatures)) or "no signature"
