"""Facts: the named values of a source.

Nothing heavy is imported here: `dgpin check` reads cached facts when it starts.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from dgpin import cache
from dgpin.verdict import Place

# Scalar facts have one value; list facts a tuple of them, in the source's own order.
Value = str | tuple[str, ...]

# Part of every cache entry: a change of what is derived, or of how it is written, needs a new one.
SCHEMA = 1


class Fact(NamedTuple):
    """One value of a source, and the lines from which it was read."""

    name: str
    value: Value
    origin: tuple[Place, ...] = ()


class Facts(NamedTuple):
    """Every fact of a source at a commit.

    `unknown` names the facts that are absent or may lack items, each with the reason. `missing`
    holds the submodules whose files were not at hand; such facts are not cached.
    """

    commit: str
    facts: Mapping[str, Fact]
    unknown: Mapping[str, str] = MappingProxyType({})
    missing: tuple[str, ...] = ()

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

    def place(self, name: str, item: str) -> Place | None:
        """Return the line that one item of a list fact was read from, where it is known."""
        items, origin = self.items(name), self.origin(name)
        return origin[items.index(item)] if item in items and len(items) == len(origin) else None


def load(commit: str) -> Facts | None:
    """Return the cached facts of a commit, or None."""
    if _FULL.fullmatch(commit) is None:
        return None
    try:
        facts = from_json(cache.read_json(_entry(commit)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return facts if facts.commit == commit else None


def store(facts: Facts) -> None:
    """Keep the facts of a commit, unless they would be others with all submodules at hand."""
    if _FULL.fullmatch(facts.commit) and not facts.missing:
        cache.write_json(_entry(facts.commit), to_json(facts))


def to_json(facts: Facts) -> dict[str, Any]:
    """Return the facts as JSON has them; a place is `[path, line]`."""
    return {
        "schema": SCHEMA,
        "commit": facts.commit,
        "facts": {
            name: {
                "value": fact.value if isinstance(fact.value, str) else list(fact.value),
                "origin": [[place.path, place.line] for place in fact.origin],
            }
            for name, fact in facts.facts.items()
        },
        "unknown": dict(facts.unknown),
        "missing": list(facts.missing),
    }


def from_json(value: Any) -> Facts:  # noqa: ANN401 - the border: what JSON gave
    """Return the facts that `to_json` wrote.

    Raises:
        ValueError: another schema. AttributeError, KeyError, TypeError: no such value at all.
    """
    if value["schema"] != SCHEMA:
        raise ValueError(value["schema"])
    return Facts(
        commit=str(value["commit"]),
        facts={name: _fact(name, entry) for name, entry in value["facts"].items()},
        unknown={str(name): str(why) for name, why in value["unknown"].items()},
        missing=tuple(map(str, value["missing"])),
    )


_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def _entry(commit: str) -> str:
    return f"facts/{SCHEMA}/{commit}.json"


def _fact(name: str, entry: Any) -> Fact:  # noqa: ANN401 - the border: what JSON gave
    value = entry["value"]
    return Fact(
        name=name,
        value=value if isinstance(value, str) else tuple(map(str, value)),
        origin=tuple(Place(str(path), int(line)) for path, line in entry["origin"]),
    )
