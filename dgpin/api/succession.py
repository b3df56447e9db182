"""Where a name that is gone lives on, and what that rests on. Likeness of names is no evidence."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from dgpin.api import spelling
from dgpin.api.change import Evidence, Successor
from dgpin.api.signature import Signature
from dgpin.api.surface import TARGET, Kind, Origin, Surface, Symbol, is_private

# Below these, a name and a signature together may still be a coincidence.
_LEAST_PARAMETERS = 2
_LEAST_LIKENESS = 0.6
_FOLLOWED = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.OPERATOR, Kind.MODULE, Kind.ENUM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Heir:
    """What a name that is gone became; `paths` are the new paths that this accounts for."""

    rule: str
    detail: str
    successor: Successor
    paths: tuple[str, ...] = ()

    @property
    def is_likeness(self) -> bool:
        """Whether another name is said to be its name, and nothing but the two look alike."""
        likeness = self.successor.evidence is Evidence.NAME_AND_SIGNATURE
        return likeness and self.rule == "symbol-renamed"


def heir(group: tuple[Symbol, ...], a: Surface, b: Surface, new: Sequence[Symbol]) -> Heir | None:
    """Return what became of an object's name, by the strongest evidence there is."""
    first = group[0]
    if first.kind is Kind.CONSTANT:
        return _moved(first, a, b, new)
    if first.kind not in _FOLLOWED:
        return None
    return _same_object(group, a, b) or _moved(first, a, b, new) or _twin(first, new)


def _rank(path: str) -> tuple[bool, int, str]:
    return is_private(path), path.count("."), path


def _same_object(group: tuple[Symbol, ...], a: Surface, b: Surface) -> Heir | None:
    """Follow the other names that the object had in A and that B still has."""
    first = group[0]
    gone = {s.path for s in group}
    alive = [s for s in a.names(first) if s.path not in gone and s.path in b.by_path]
    if not first.is_private:
        # A name that only `_C` still bears is not one to send anybody to, if there is a better.
        alive = [s for s in alive if not s.is_private] or alive
    same = [s for s in alive if s.name == first.name]
    if same and first.is_private and not same[0].is_private:
        return None
    if same:
        best = min(same, key=lambda s: _rank(s.path))
        return Heir(
            rule="symbol-moved",
            detail=f"is left as {best.path}",
            successor=Successor(name=best.path, evidence=Evidence.SAME_OBJECT),
        )
    if not alive:
        return None
    # Only proven names are ranked here, so likeness picks the one that people would look for.
    best = max(alive, key=lambda s: (_likeness(s.name, first.name), [-ord(c) for c in s.path]))
    is_alias = first.canonical.rpartition("::")[2] not in {"", first.name}
    return Heir(
        rule="alias-removed" if is_alias else "symbol-renamed",
        detail=f"the same object is {best.path}",
        successor=Successor(name=best.path, evidence=Evidence.SAME_OBJECT),
    )


def _likeness(one: str, other: str) -> tuple[float, float]:
    words, others = set(one.split("_")), set(other.split("_"))
    shared = len(words & others) / max(len(words | others), 1)
    return shared, difflib.SequenceMatcher(None, one, other).ratio()


def _moved(first: Symbol, a: Surface, b: Surface, new: Sequence[Symbol]) -> Heir | None:
    """Find the same name at a new place."""
    places = [s for s in new if s.name == first.name and s.kind is first.kind and _alike(first, s)]
    places = [s for s in places if s.path not in a.by_path]
    if not places or first.kind is Kind.MODULE:
        return None
    best = min(places, key=lambda s: _rank(s.path))
    paths = tuple(s.path for s in b.names(best) if s.path in {p.path for p in new})
    return Heir(
        rule="symbol-moved",
        detail=f"is now {best.path}",
        successor=Successor(name=best.path, evidence=Evidence.NAME_AND_SIGNATURE),
        paths=paths,
    )


def _alike(old: Symbol, new: Symbol) -> bool:
    if old.kind is Kind.CONSTANT:
        return old.value == new.value
    return _shape(old.signatures) == _shape(new.signatures)


def _twin(first: Symbol, new: Sequence[Symbol]) -> Heir | None:
    """Find a new name for the same C++ function, schema, or name-and-signature together."""
    rivals = [s for s in new if s.kind is first.kind and s.is_private == first.is_private]
    if not first.signatures:
        return None
    for evidence, found in (
        (Evidence.SAME_TARGET, [s for s in rivals if _same_target(first, s)]),
        (Evidence.SAME_SCHEMA, [s for s in rivals if _same_schema(first, s)]),
        (Evidence.NAME_AND_SIGNATURE, [s for s in rivals if _same_call(first, s)]),
    ):
        names = {s.name for s in found}
        if len(names) == 1:
            return _renamed(first, found, evidence)
    return None


def _renamed(first: Symbol, found: list[Symbol], evidence: Evidence) -> Heir:
    best = min(found, key=lambda s: _rank(s.path))
    sure = evidence is Evidence.SAME_TARGET
    confidence = 1.0 if sure else round(_likeness(best.name, first.name)[1], 2)
    return Heir(
        rule="symbol-renamed",
        detail=f"is now {best.path}",
        successor=Successor(name=best.path, evidence=evidence, confidence=confidence),
        paths=tuple(s.path for s in found),
    )


def _same_target(old: Symbol, new: Symbol) -> bool:
    return bool({t for t in old.traits if t.startswith(TARGET)} & set(new.traits))


def _same_schema(old: Symbol, new: Symbol) -> bool:
    schemas = old.origin is new.origin and old.origin in {Origin.SCHEMA, Origin.BINARY}
    return schemas and _same_call(old, new)


def _same_call(old: Symbol, new: Symbol) -> bool:
    shape = _shape(old.signatures)
    long = len(old.signatures[0].parameters) >= _LEAST_PARAMETERS
    like = _likeness(old.name, new.name)[1] >= _LEAST_LIKENESS
    return long and like and shape == _shape(new.signatures)


def _shape(signatures: tuple[Signature, ...]) -> tuple[object, ...]:
    return tuple(
        (
            *(
                (p.name, p.kind, spelling.default_of(p.default or ""), p.default is None)
                for p in s.parameters
            ),
            *(spelling.type_of(p.type) for p in s.parameters),
        )
        for s in signatures
    )
