"""Hold two surfaces against each other: every difference once, with all the names it shows on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from dgpin.api import pairs, succession
from dgpin.api.change import Change, Comparison, Effect, Incomparable, Level, Successor
from dgpin.api.parameters import Difference
from dgpin.api.rules import BY_ID
from dgpin.api.succession import Heir
from dgpin.api.surface import Kind, Surface, Symbol, Unreadable, is_private

_REMOVED = {
    Kind.MODULE: "module-removed",
    Kind.MEMBER: "enum-member-removed",
    Kind.CONSTANT: "constant-removed",
    Kind.METHOD: "class-member-removed",
    Kind.PROPERTY: "class-member-removed",
    Kind.ATTRIBUTE: "class-member-removed",
}
# What means the same on every function is told once for all of them.
_TOLD_ONCE = frozenset({"binding-changed"})


def compare(a: Surface, b: Surface) -> Comparison:
    """Return all that differs, most severe first."""
    found = _Found()
    gone, new = _only(a, b), _only(b, a)
    taken: set[str] = set()
    groups = list(_groups(gone))
    for group, heir in zip(groups, _heirs(groups, a, b), strict=True):
        taken.update(heir.paths if heir is not None else ())
        found.changes.append(_removed(group, heir))
    for group in _groups([s for s in new if s.path not in taken]):
        found.changes.append(_added(group))
    found.changes += _changed(a, b, found)
    order = {level: i for i, level in enumerate(Level)}
    effects = {effect: i for i, effect in enumerate(Effect)}
    changes = sorted(
        found.changes,
        key=lambda c: (c.private, order[c.level], effects[c.effect], c.path, c.rule, c.parameter),
    )
    return Comparison(
        a=a,
        b=b,
        changes=tuple(changes),
        incomparable=tuple(found.incomparable.values()),
        unreadable=(
            *(("A", u) for u in a.unreadable),
            *(("B", u) for u in b.unreadable),
            *found.untold,
        ),
    )


@dataclass(slots=True)
class _Found:
    changes: list[Change] = field(default_factory=list)
    incomparable: dict[str, Incomparable] = field(default_factory=dict)
    untold: list[tuple[str, Unreadable]] = field(default_factory=list)

    def note(self, reason: str, path: str) -> None:
        """Collect what could not be compared, one item a reason."""
        known = self.incomparable.get(reason)
        names = (*known.names, path) if known is not None else (path,)
        self.incomparable[reason] = Incomparable(what="types", reason=reason, names=names)


def _only(here: Surface, there: Surface) -> list[Symbol]:
    """Return the symbols of one surface alone: the topmost ones, and none that the other side
    could not read."""
    alone = {s.path for s in here.symbols if s.path not in there.by_path}
    return [
        symbol
        for symbol in here.symbols
        if symbol.path in alone
        and symbol.parent not in alone
        and not there.is_unreadable(symbol.path)
        and not there.is_unreadable(_home(symbol))
    ]


def _home(symbol: Symbol) -> str:
    """Return the module that an object was made in: its re-exports go with it."""
    return symbol.identity.partition(":")[0]


def _groups(symbols: Iterable[Symbol]) -> Iterator[tuple[Symbol, ...]]:
    """Yield the symbols of one object and one name together, the best path first."""
    groups: dict[tuple[str, str], list[Symbol]] = {}
    for symbol in symbols:
        groups.setdefault((symbol.identity, symbol.name), []).append(symbol)
    for group in groups.values():
        yield tuple(sorted(group, key=lambda s: rank(s.path)))


def rank(path: str) -> tuple[bool, int, str]:
    """Order paths of one object by how people name it: public first, then short."""
    return is_private(path), path.count("."), path


def _heirs(groups: Sequence[tuple[Symbol, ...]], a: Surface, b: Surface) -> list[Heir | None]:
    """Return what became of each group; likeness names no heir that two objects would have."""
    new = [s for s in b.symbols if s.path not in a.by_path and not a.is_unreadable(s.path)]
    heirs = [succession.heir(group, a, b, new) for group in groups]
    claims: dict[str, set[str]] = {}
    for group, heir in zip(groups, heirs, strict=True):
        if heir is not None and heir.is_likeness:
            claims.setdefault(heir.successor.name, set()).add(group[0].identity)
    return [
        None if h is not None and h.is_likeness and len(claims[h.successor.name]) > 1 else h
        for h in heirs
    ]


def _removed(group: tuple[Symbol, ...], heir: Heir | None) -> Change:
    """Return the change for a name that is gone."""
    first = group[0]
    rule = _REMOVED.get(first.kind, "symbol-removed")
    if heir is not None:
        rule = heir.rule
    signature = str(first.signatures[0]) if first.signatures else first.value
    return Change(
        rule=rule,
        level=BY_ID[rule].level,
        effect=BY_ID[rule].effect,
        path=first.path,
        names=tuple(s.path for s in group),
        detail=heir.detail if heir is not None else f"the {first.kind.value} is gone",
        before=signature,
        private=first.is_private,
        successor=heir.successor if heir is not None else None,
    )


def _added(group: tuple[Symbol, ...]) -> Change:
    first = group[0]
    return Change(
        rule="symbol-added",
        level=Level.ADDED,
        effect=Effect.NONE,
        path=first.path,
        names=tuple(s.path for s in group),
        detail=f"a new {first.kind.value}",
        after=str(first.signatures[0]) if first.signatures else first.value,
        private=first.is_private,
    )


def _changed(a: Surface, b: Surface, found: _Found) -> list[Change]:
    """Return the changes of names that both sides have, folded."""
    folded: dict[tuple[object, ...], Change] = {}
    for path, old in a.by_path.items():
        new = b.by_path.get(path)
        if new is None:
            continue
        unread = bool(a.is_unreadable(path) or b.is_unreadable(path))
        pair = pairs.compare(old, new, a, b, unread=unread)
        for reason in pair.incomparable:
            found.note(reason, path)
        found.untold += [(side, Unreadable(path=path, reason=why)) for side, why in pair.untold]
        for difference in pair.differences:
            rule = BY_ID[difference.rule]
            once = rule.level is Level.COMPATIBLE or rule.id in _TOLD_ONCE
            who = () if once else (old.identity, new.identity, old.name)
            key = (*who, rule.id, difference.parameter, difference.detail)
            known = folded.get(key)
            folded[key] = (
                _change(difference, old, new) if known is None else _with_name(known, old, new)
            )
    return list(folded.values())


def _change(difference: Difference, old: Symbol, new: Symbol) -> Change:
    rule = BY_ID[difference.rule]
    return Change(
        rule=rule.id,
        level=rule.level,
        effect=_effect(difference),
        path=old.path,
        names=(old.path,),
        detail=difference.detail,
        parameter=difference.parameter,
        before=_shown(old),
        after=_shown(new),
        private=old.is_private,
        successor=difference.successor,
    )


def _effect(difference: Difference) -> Effect:
    rule = BY_ID[difference.rule]
    if rule.level is not Level.BREAKING:
        return rule.effect
    if difference.silent:
        return Effect.SILENT
    # The rule's own word is for the worst case; here the types were looked at.
    loud = rule.id in {"parameter-inserted", "parameter-reordered"}
    return Effect.REFUSED if loud else rule.effect


def _with_name(change: Change, old: Symbol, new: Symbol) -> Change:
    names = (*change.names, old.path)
    best = min(names, key=rank)
    if best == change.path:
        return replace(change, names=names)
    return replace(
        change,
        path=best,
        names=(best, *(n for n in names if n != best)),
        private=is_private(best),
        before=_shown(old),
        after=_shown(new),
    )


def _shown(symbol: Symbol) -> str:
    if symbol.signatures:
        return "; ".join(map(str, symbol.signatures))
    return symbol.value


__all__ = ["Successor", "compare", "rank"]
