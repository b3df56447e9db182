"""Which values pass for which types, and which calls by place go through as something else."""

from collections.abc import Mapping

from dgpin.api import spelling, split
from dgpin.api.signature import NAMED, Parameter, ParameterKind, Signature

_ANYTHING = frozenset({"object", "Any"})
_NUMBERS = frozenset({"int", "bool", "float"})
_LISTS = frozenset({"Sequence", "list"})


def accepts(type_b: str, type_a: str) -> bool:
    """Whether a value for one type may pass as the other; unknown types may."""
    if not type_a or not type_b:
        return True
    have, want = (spelling.alternatives(spelling.type_of(t)) for t in (type_a, type_b))
    return any(_passes(one, other) for one in have for other in want)


def _passes(have: str, want: str) -> bool:
    if have == want or want in _ANYTHING:
        return True
    if want == "bool":  # both bindings ask a value whether it is true; of a text they do not
        return have in _NUMBERS or have == "None"
    if want in _NUMBERS:
        return have in _NUMBERS and not (have == "float" and want == "int")
    return _holds(have, want)


def _holds(have: str, want: str) -> bool:
    """Whether one container may pass as another. The converters take any sequence for a list."""
    (one, ours), (other, theirs) = (_parts(text) for text in (have, want))
    if not ours or not theirs:
        return bool(ours) and one == other  # `list[int]` passes as `list`
    endless = other in _LISTS or theirs[-1] == "..."
    if endless and (one in _LISTS or one == "tuple"):
        return all(_all(each, theirs[0]) for each in ours if each != "...")
    same = one == other and len(ours) == len(theirs) and "..." not in ours
    return same and all(map(_all, ours, theirs))


def _all(have: str, want: str) -> bool:
    return all(accepts(want, one) for one in spelling.alternatives(have))


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    head, bracket, rest = text.partition("[")
    return head, split.pieces(rest[:-1]) if bracket else ()


def misread(
    a: Signature, b: Signature, renamed: Mapping[str, str], at: int, *, enforced: bool
) -> bool:
    """Whether a call of A that passes the argument `at` a place goes through in B.

    What A requires behind the arguments by place is passed by name. `enforced` tells that the
    binding refuses arguments of another type.
    """
    mine, theirs = a.positional, b.positional
    for count in range(at + 1, min(len(mine), len(theirs)) + 1):
        pairs = zip(mine[:count], theirs[:count], strict=True)
        if enforced and not all(_as(p, q, renamed) for p, q in pairs):
            return False
        if _is_filled(a, b, renamed, count):
            return True
    return False


def _as(old: Parameter, new: Parameter, renamed: Mapping[str, str]) -> bool:
    same = renamed.get(old.name, old.name) == new.name
    return same or accepts(new.type, old.type)


def _is_filled(a: Signature, b: Signature, renamed: Mapping[str, str], count: int) -> bool:
    """Whether B has all that it needs from a call with so many arguments by place."""
    placed = a.positional[:count]
    rest = [p for p in a.parameters if p not in placed]
    by_name = {renamed.get(p.name, p.name) for p in rest if p.is_required}
    possible = {renamed.get(p.name, p.name) for p in rest if p.kind in NAMED}
    taken = {p.name for p in b.positional[:count]}
    free = set(b.named) - taken
    known = by_name <= free or (b.has(ParameterKind.VAR_KEYWORD) and not by_name & taken)
    return known and {p.name for p in b.required} - taken <= possible
