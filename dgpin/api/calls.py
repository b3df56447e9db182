"""The smallest call that shows a change: which parameters are passed, and how."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dgpin.api import spelling, split
from dgpin.api.pairs import bare
from dgpin.api.signature import Parameter, ParameterKind, Signature
from dgpin.api.surface import Symbol

ANY_KEYWORD = "any_keyword"  # a keyword that nobody names


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of A's signature; `extra` arguments come after those that have a parameter.

    `narrowed` is the parameter that gets `value`, of a type that B refuses, written `shown`.
    """

    signature: Signature
    by_place: tuple[Parameter, ...] = ()
    by_name: tuple[Parameter, ...] = ()
    extra: int = 0
    narrowed: str = ""
    value: Any = None
    shown: str = ""


def smallest(rule: str, wanted: str, old: Symbol, new: Symbol) -> Call | str:
    """Return the smallest call that A takes and B does not, or why there is none.

    `wanted` is the parameter, or the overload, that the change is about.
    """
    if rule == "overload-removed":
        return _overload(wanted, old, new)
    a, b = old.signatures[0], new.signatures[0]
    parameter = next((p for p in a.parameters if p.name == wanted), None)
    plan = _PLANS.get(rule)
    return plan(a, b, parameter) if plan is not None else "no call of this kind shows it"


def _naming(a: Signature, _: Signature, parameter: Parameter | None) -> Call:
    """Pass what is required by place, and one parameter by name if it can be."""
    parameter = parameter or (a.required or a.parameters)[0]
    if parameter.kind is ParameterKind.POSITIONAL_ONLY:
        places = a.positional
        return Call(signature=a, by_place=places[: places.index(parameter) + 1])
    by_place: list[Parameter] = []
    for place in a.positional:
        if place == parameter or not place.is_required:
            break
        by_place.append(place)
    rest = [p for p in a.required if p not in by_place and p != parameter]
    return Call(signature=a, by_place=tuple(by_place), by_name=(*rest, parameter))


def _placing(a: Signature, _: Signature, parameter: Parameter | None) -> Call:
    """Pass a parameter by its place."""
    places = a.positional
    upto = places.index(parameter) + 1 if parameter in places else len(places)
    return Call(signature=a, by_place=places[:upto], by_name=_named(a))


def _least(a: Signature, _: Signature, __: Parameter | None) -> Call:
    """Pass only what must be passed."""
    return Call(signature=a, by_place=_needed(a), by_name=_named(a))


def _counting(a: Signature, b: Signature, _: Parameter | None) -> Call:
    """Pass a number of arguments that B does not take."""
    least = _needed(a)
    fits = len(b.required) <= len(least) <= len(b.positional)
    return Call(signature=a, by_place=a.positional if fits else least)


def _shifted(a: Signature, b: Signature, _: Parameter | None) -> Call:
    """Pass by place up to the first parameter that lands elsewhere, and what must follow it."""
    if a.has(ParameterKind.VAR_POSITIONAL) and len(a.positional) < len(b.positional):
        return Call(signature=a, by_place=a.positional, extra=1, by_name=_named(a))
    pairs = enumerate(zip(a.positional, b.positional, strict=False))
    first = next((i for i, (p, q) in pairs if p.name != q.name), len(a.positional) - 1)
    upto = max(first + 1, len(_needed(a)))
    return Call(signature=a, by_place=a.positional[:upto], by_name=_named(a))


def _beyond(a: Signature, b: Signature, _: Parameter | None) -> Call:
    """Pass more arguments than B has parameters."""
    extra = max(len(b.positional) - len(a.positional), 0) + 1
    return Call(signature=a, by_place=a.positional, extra=extra, by_name=_named(a))


def _keyword(a: Signature, _: Signature, __: Parameter | None) -> Call:
    """Pass a keyword that is not a parameter's name."""
    free = Parameter(name=ANY_KEYWORD, kind=ParameterKind.KEYWORD_ONLY)
    return Call(signature=a, by_place=_needed(a), by_name=(*_named(a), free))


def _narrowed(a: Signature, b: Signature, parameter: Parameter | None) -> Call | str:
    """Pass a value of a type that B no longer takes."""
    if parameter is None or parameter not in a.positional:
        return "it is by keyword only: a call that passes the rest would run"
    index = a.positional.index(parameter)
    other = next((p for p in b.parameters if p.name == parameter.name), None)
    other = other or (b.positional[index] if index < len(b.positional) else None)
    if other is None:
        return "B has no parameter to hold it against"
    before, after = (spelling.type_of(p.type) for p in (parameter, other))
    lost = sorted(spelling.alternatives(before) - spelling.alternatives(after))
    value, shown = next(((v, t) for t in lost if (v := stand_in(t)) is not None), (None, ""))
    if value is None:
        return f"no value of type {', '.join(lost)} can be made here"
    return Call(
        signature=a,
        by_place=a.positional[: max(index + 2, len(_needed(a)))],
        narrowed=parameter.name,
        value=value,
        shown="None" if value == "none" else f"a {shown}",
    )


_PLANS: dict[str, Callable[[Signature, Signature, Parameter | None], Call | str]] = {
    "parameter-removed": _naming,
    "parameter-renamed": _naming,
    "parameter-swallowed": _naming,
    "parameter-positional-only": _naming,
    "names-lost": _naming,
    "parameter-keyword-only": _placing,
    "parameter-required": _least,
    "parameter-added-required": _least,
    "arity-changed": _counting,
    "parameter-inserted": _shifted,
    "parameter-reordered": _shifted,
    "variadic-positional-removed": _beyond,
    "variadic-keyword-removed": _keyword,
    "type-narrowed": _narrowed,
}


def _needed(signature: Signature) -> tuple[Parameter, ...]:
    return tuple(p for p in signature.positional if p.is_required)


def _named(signature: Signature) -> tuple[Parameter, ...]:
    only = ParameterKind.KEYWORD_ONLY
    return tuple(p for p in signature.required if p.kind is only)


def _overload(wanted: str, old: Symbol, new: Symbol) -> Call | str:
    gone = next((s for s in old.signatures if bare(s) == wanted), None)
    if gone is None:
        return "its overloads could not be told apart"
    names = {p.name for p in gone.required}
    if any(names <= set(s.named) for s in new.signatures):
        return "a call that only it takes differs in types alone, and would run"
    named = tuple(p for p in gone.required if p.kind is not ParameterKind.POSITIONAL_ONLY)
    placed = tuple(p for p in gone.required if p not in named)
    return Call(signature=gone, by_place=placed, by_name=named)


_WORDS = {
    "None": "none",
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "torch.Tensor": "tensor",
    "torch.dtype": "dtype",
}


def stand_in(text: str) -> Any:  # noqa: ANN401 - a word or a list of words, for JSON
    """Return the word for a value that a type accepts, as the script knows it; None for none."""
    options = spelling.alternatives(spelling.type_of(text))
    for option in sorted(options, key=lambda o: (o != "None", o)):
        if option in _WORDS:
            return _WORDS[option]
        if option.startswith(("Sequence[", "list[")):
            return "sequence"
        if option.startswith("tuple["):
            return [stand_in(part) for part in split.pieces(option[len("tuple[") : -1])]
    return None
