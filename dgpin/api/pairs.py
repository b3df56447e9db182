"""What differs between two symbols of one path."""

from dataclasses import dataclass

from dgpin.api import parameters, spelling
from dgpin.api.change import Level
from dgpin.api.parameters import Comparable, Difference
from dgpin.api.rules import BY_ID
from dgpin.api.signature import VARIADIC, Signature
from dgpin.api.surface import TARGET, Binding, Kind, Origin, Surface, Symbol

# A decorator may add or take these away, which a text does not tell.
_DECORATED = frozenset({"async", "generator"})
_UNBOUND = frozenset({"static", "classmethod"})
_OPEN = "it hands on whatever it gets, so its signature tells nothing"
_MADE = "the text does not tell what it is bound to when it runs"
_CALLED = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.METHOD, Kind.OPERATOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The answer for one path; `incomparable` are reasons.

    `untold` are sides, "A" or "B", with the reason why they do not tell what they have there.
    """

    differences: tuple[Difference, ...]
    incomparable: tuple[str, ...] = ()
    untold: tuple[tuple[str, str], ...] = ()


def compare(old: Symbol, new: Symbol, a: Surface, b: Surface, *, unread: bool) -> Pair:
    """Return what differs. `unread` tells that a signature of the two could not be read."""
    sides = (("A", a, old), ("B", b, new))
    made = [(name, _MADE) for name, side, symbol in sides if side.static and _is_made(symbol)]
    if made:
        return Pair(differences=(), untold=tuple(made) if old.kind is not new.kind else ())
    if old.kind is not new.kind and not {old.kind, new.kind} <= {Kind.FUNCTION, Kind.CLASS}:
        if {old.kind, new.kind} == {Kind.ATTRIBUTE, Kind.PROPERTY} or {
            old.kind,
            new.kind,
        } == {Kind.CLASS, Kind.ENUM}:
            return Pair(differences=())
        detail = f"the {old.kind.value} is now a {new.kind.value}"
        return Pair(differences=(Difference(rule="kind-changed", parameter="", detail=detail),))
    found: list[Difference] = []
    if old.kind is not new.kind:
        detail = f"the {old.kind.value} is now a {new.kind.value}"
        found.append(Difference(rule="callable-kind-changed", parameter="", detail=detail))
    found += _values(old, new, text=a.static or b.static)
    if unread:
        return Pair(differences=tuple(found))
    mixed = a.static is not b.static
    found += _traits(old, new, mixed=mixed)
    if old.binding is not new.binding and old.signatures and new.signatures:
        found.append(_binding(old, new))
    if _is_open(old) is not _is_open(new):
        side = "A" if _is_open(old) else "B"
        return Pair(differences=tuple(found), untold=((side, _OPEN),))
    how, reason = comparable(old, new, a, b)
    if not mixed or (old.signatures and new.signatures):
        # A text does not tell what a base of another library brings.
        found += _signatures(old, new, how)
    return Pair(differences=tuple(found), incomparable=(reason,) if reason else ())


def _is_made(symbol: Symbol) -> bool:
    """Whether a text binds a name to what only a run makes: anything, also a function."""
    return symbol.kind is Kind.CONSTANT and not spelling.is_told(symbol.value)


def _is_open(symbol: Symbol) -> bool:
    """Whether it takes anything, as wrappers do, so that its signature tells nothing."""
    kinds = [{p.kind for p in s.parameters} for s in symbol.signatures]
    return bool(kinds) and all(each == VARIADIC for each in kinds)


def comparable(old: Symbol, new: Symbol, a: Surface, b: Surface) -> tuple[Comparable, str]:
    """Return what can be held against each other, and why the rest cannot."""
    if not old.signatures or not new.signatures:
        return Comparable(), ""
    if old.binding is not new.binding:
        reason = f"types and kinds across {old.binding.value} and {new.binding.value}"
        return Comparable(types=False, kinds=False, literals=True), reason
    enforced = old.binding is not Binding.PYTHON
    if old.origin is not new.origin:
        reason = f"types read from {old.origin.value} and from {new.origin.value}"
        return Comparable(types=False, literals=True), reason
    if a.static and b.static:
        return Comparable(text=True, enforced=enforced, bases=b.bases), ""
    if old.origin is Origin.DOCSTRING and old.kind is not Kind.PROPERTY:
        mine, theirs = (s.build.toolchain.get("pybind11", "") for s in (a, b))
        if mine != theirs:
            reason = f"types spelled by two toolchains: {mine or 'unknown'}, {theirs or 'unknown'}"
            return Comparable(types=False), reason
    return Comparable(enforced=enforced, bases=b.bases), ""


def _values(old: Symbol, new: Symbol, *, text: bool) -> list[Difference]:
    if old.name == "__version__" or not old.value or not new.value:
        return []
    # `<…>` is an object's text, not its value.
    if old.value == new.value or old.value.startswith("<") or new.value.startswith("<"):
        return []
    if text and not (spelling.is_told(old.value) and spelling.is_told(new.value)):
        return []  # another name's value, which only a run tells
    rule = "enum-value-changed" if old.kind is Kind.MEMBER else "constant-changed"
    detail = f"is {new.value}, it was {old.value}"
    return [Difference(rule=rule, parameter="", detail=detail)]


def _traits(old: Symbol, new: Symbol, *, mixed: bool) -> list[Difference]:
    before, after = ({t for t in s.traits if not t.startswith(TARGET)} for s in (old, new))
    if before & _UNBOUND:  # called on the class, and that it still can be
        before, after = before - _UNBOUND if after & _UNBOUND else before, after - _UNBOUND
    else:
        after -= _UNBOUND  # an instance's method that a class has too
    lost, gained = before - after, after - before
    found: list[Difference] = []
    for trait in sorted(lost | gained):
        base = trait.removeprefix("base:")
        if base != trait:
            if mixed:
                continue
            rule = "base-removed" if trait in lost else "base-added"
            how = "no longer derives" if trait in lost else "derives"
            found.append(Difference(rule=rule, parameter=base, detail=f"{how} from {base}"))
        elif trait == "settable":
            rule = "property-read-only" if trait in lost else "property-settable"
            detail = "can no longer be set" if trait in lost else "can be set"
            found.append(Difference(rule=rule, parameter="", detail=detail))
        elif not (mixed and trait in _DECORATED):
            how = "is no longer" if trait in lost else "is now"
            found.append(
                Difference(rule="calling-changed", parameter=trait, detail=f"{how} {trait}")
            )
    return found


def _binding(old: Symbol, new: Symbol) -> Difference:
    raised = {Binding.TORCH: "RuntimeError"}
    before, after = (raised.get(s.binding, "TypeError") for s in (old, new))
    detail = f"bound by {new.binding.value}, it was {old.binding.value}"
    if before != after:
        detail += f": a bad call raises {after}, it was {before}"
    return Difference(rule="binding-changed", parameter="", detail=detail)


def _signatures(old: Symbol, new: Symbol, how: Comparable) -> list[Difference]:
    if old.kind not in _CALLED and old.kind is not Kind.PROPERTY:
        return []
    if bool(old.signatures) != bool(new.signatures):
        if not old.signatures:
            return []
        return [Difference(rule="calling-changed", parameter="", detail="can no longer be called")]
    if old.signatures == new.signatures:
        return []
    if len(old.signatures) == len(new.signatures) == 1:
        return list(parameters.compare(old.signatures[0], new.signatures[0], how))
    return _overloads(old.signatures, new.signatures, how)


def _overloads(
    old: tuple[Signature, ...], new: tuple[Signature, ...], how: Comparable
) -> list[Difference]:
    left = [s for s in old if not any(_same(s, other, how) for other in new)]
    right = [s for s in new if not any(_same(s, other, how) for other in old)]
    if len(left) == len(right) == 1:
        return list(parameters.compare(left[0], right[0], how))
    found = []
    for signature in left:
        if not any(_covers(other, signature, how) for other in new):
            detail = f"no longer takes {bare(signature)}"
            found.append(
                Difference(rule="overload-removed", parameter=bare(signature), detail=detail)
            )
    for signature in right:
        if not any(_covers(signature, other, how) for other in left):
            detail = f"takes {bare(signature)} too"
            found.append(
                Difference(rule="overload-added", parameter=bare(signature), detail=detail)
            )
    return found


def _same(a: Signature, b: Signature, how: Comparable) -> bool:
    return not list(parameters.compare(a, b, how))


def _covers(b: Signature, a: Signature, how: Comparable) -> bool:
    """Whether every call that binds to A's signature binds to B's, meaning the same."""
    quiet = {Level.COMPATIBLE, Level.RISKY}
    return all(BY_ID[d.rule].level in quiet for d in parameters.compare(a, b, how))


def bare(signature: Signature) -> str:
    """Return an overload's parameters, by which it is named."""
    return f"({', '.join(p.name + _type(p.type) for p in signature.parameters)})"


def _type(text: str) -> str:
    return f": {spelling.type_of(text)}" if text else ""
