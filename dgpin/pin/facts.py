"""Facts: the named values of a source."""

from collections.abc import Mapping
from dataclasses import dataclass

from dgpin.verdict import Place

# Scalar facts have one value; list facts a tuple of them, in the source's own order.
Value = str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One value of a source, and the lines from which it was read."""

    name: str
    value: Value
    origin: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Every fact of a source at a commit."""

    commit: str
    facts: Mapping[str, Fact]

    def scalar(self, name: str) -> str | None:
        """Return a scalar fact's value, or None when the source does not tell it."""
        fact = self.facts.get(name)
        return fact.value if fact is not None and isinstance(fact.value, str) else None

    def items(self, name: str) -> tuple[str, ...]:
        """Return a list fact's items; empty when the source does not tell it."""
        fact = self.facts.get(name)
        return fact.value if fact is not None and isinstance(fact.value, tuple) else ()

    def origin(self, name: str) -> tuple[Place, ...]:
        """Return the lines that a fact was read from."""
        fact = self.facts.get(name)
        return fact.origin if fact is not None else ()
