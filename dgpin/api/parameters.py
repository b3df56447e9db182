"""What differs between two signatures of one symbol."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dgpin.api import spelling
from dgpin.api.change import Evidence, Successor
from dgpin.api.signature import Parameter, ParameterKind, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """What can be held against each other: not what two toolchains or bindings spell apart.

    `literals` restricts defaults to those that are written alike everywhere; `enforced` tells that
    the binding refuses arguments of another type.
    """

    types: bool = True
    kinds: bool = True
    literals: bool = False
    enforced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference of one parameter, before it is put on names; `rule` as in `rules`.

    `silent` tells that calls by position go through and mean something else.
    """

    rule: str
    parameter: str
    detail: str
    successor: Successor | None = None
    silent: bool = False


def compare(a: Signature, b: Signature, how: Comparable) -> Iterator[Difference]:
    """Yield every difference, each once: consequences of one are not differences of their own."""
    if _is_unnamed(a) or _is_unnamed(b):
        yield from _unnamed(a, b, how)
        return
    renamed, look = _renames(a, b, how)
    yield from _gone(a, b, renamed, look)
    yield from _new(a, b, {**renamed, **look})
    yield from _order(a, b, renamed)
    for old, new in _common(a, b, renamed):
        if how.kinds:
            yield from _kind(old, new)
        yield from _default(old, new, how)
        yield from _type(old, new, how)
    yield from _variadic(a, b)
    yield from _returns(a, b, how)


def accepts(type_b: str, type_a: str) -> bool:
    """Whether a value for one type may pass as the other; unknown types may."""
    if not type_a or not type_b:
        return True
    have, want = (spelling.alternatives(spelling.type_of(t)) for t in (type_a, type_b))
    # int and bool stand for each other in pybind11, and both pass as a float.
    number = {"int", "bool", "float"}
    return (
        bool(have & want)
        or "object" in want
        or "Any" in want
        or bool(have & {"int", "bool"} and want & number)
    )


def _is_unnamed(signature: Signature) -> bool:
    names = [p.name for p in signature.parameters]
    return bool(names) and names == [f"arg{i}" for i in range(len(names))]


def _unnamed(a: Signature, b: Signature, how: Comparable) -> Iterator[Difference]:
    old, new = len(a.parameters), len(b.parameters)
    if not a.parameters or not b.parameters:
        yield Difference(rule="arity-changed", parameter="", detail=f"{old} to {new} arguments")
        return
    least, most = len(b.required), len(b.positional)
    if _is_unnamed(a) and _is_unnamed(b):
        if old != new:
            yield Difference(rule="arity-changed", parameter="", detail=f"{old} to {new} arguments")
            return
    elif _is_unnamed(a):
        yield Difference(rule="names-gained", parameter="", detail=f"now {_list(b.parameters)}")
        if not least <= old <= most:
            yield Difference(rule="arity-changed", parameter="", detail=f"{old} to {new} arguments")
            return
    else:
        yield Difference(rule="names-lost", parameter="", detail=f"were {_list(a.parameters)}")
        if len(a.required) < new or len(a.positional) > new:
            yield Difference(rule="arity-changed", parameter="", detail=f"{old} to {new} arguments")
            return
    for before, after in zip(a.parameters, b.parameters, strict=False):
        yield from _type(before, after, how)
    yield from _returns(a, b, how)


def _plain(signature: Signature) -> list[Parameter]:
    variadic = {ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD}
    return [p for p in signature.parameters if p.kind not in variadic]


def _renames(a: Signature, b: Signature, how: Comparable) -> tuple[dict[str, str], dict[str, str]]:
    """Return the renames, and the removed parameters at whose place another stands now.

    Only blocks of equal length between the same neighbours are looked at: likeness of names says
    nothing (an old `situ_beta` is the new `activation_alpha`, not `activation_beta`).
    """
    renamed: dict[str, str] = {}
    look: dict[str, str] = {}
    blocks_b = {(left, right): block for left, block, right in _blocks(b, a)}
    for left, block, right in _blocks(a, b):
        other = blocks_b.get((left, right), [])
        if len(other) != len(block):
            continue
        for old, new in zip(block, other, strict=True):
            same = old.kind is new.kind or not how.kinds
            same = same and (old.default is None) == (new.default is None)
            same = same and spelling.default_of(old.default or "") == spelling.default_of(
                new.default or ""
            )
            if how.types:
                same = same and spelling.type_of(old.type) == spelling.type_of(new.type)
            (renamed if same else look)[old.name] = new.name
    return renamed, look


def _blocks(signature: Signature, other: Signature) -> Iterator[tuple[str, list[Parameter], str]]:
    """Yield the runs of parameters that the other signature lacks, with their neighbours."""
    known = {p.name for p in _plain(other)}
    left, block = "", list[Parameter]()
    for parameter in [*_plain(signature), None]:
        if parameter is not None and parameter.name not in known:
            block.append(parameter)
            continue
        if block:
            yield left, block, parameter.name if parameter is not None else ""
        if parameter is not None:
            left, block = parameter.name, []


def _gone(
    a: Signature, b: Signature, renamed: dict[str, str], look: dict[str, str]
) -> Iterator[Difference]:
    kept = {p.name for p in _plain(b)}
    swallows = b.has(ParameterKind.VAR_KEYWORD)
    for parameter in _plain(a):
        name = parameter.name
        if name in kept:
            continue
        if name in renamed and parameter.kind is not ParameterKind.POSITIONAL_ONLY:
            evidence = Successor(name=renamed[name], evidence=Evidence.SAME_PLACE)
            detail = f"`{name}` is now `{renamed[name]}`"
            yield Difference(
                rule="parameter-renamed", parameter=name, detail=detail, successor=evidence
            )
        elif name not in renamed:
            yield _removed(parameter, a, b, look=look.get(name, ""), swallows=swallows)


def _removed(
    parameter: Parameter, a: Signature, b: Signature, *, look: str, swallows: bool
) -> Difference:
    detail = f"without `{spelling.parameter(parameter)}`"
    if look:
        detail += f"; `{look}` stands at its place now: look whether it means the same"
    shifted = _shifted(parameter, a, b)
    if shifted and shifted[1] == look:
        shifted = None  # it may well mean the same: that is to be looked at, not claimed
    if shifted:
        detail += f"; by position, what was `{shifted[0]}` is taken as `{shifted[1]}`"
    by_name = parameter.kind is not ParameterKind.POSITIONAL_ONLY
    rule = "parameter-swallowed" if swallows and by_name else "parameter-removed"
    return Difference(rule=rule, parameter=parameter.name, detail=detail, silent=bool(shifted))


def _shifted(parameter: Parameter, a: Signature, b: Signature) -> tuple[str, str] | None:
    """Return what a call by position passes at the removed place, and where it lands, if it may."""
    places = [p.name for p in a.positional]
    if parameter.name not in places:
        return None
    index = places.index(parameter.name)
    if index >= len(b.positional):
        return None
    landing = b.positional[index]
    if landing.name in places[: index + 1] or not accepts(landing.type, parameter.type):
        return None
    return parameter.name, landing.name


def _new(a: Signature, b: Signature, renamed: dict[str, str]) -> Iterator[Difference]:
    known = {p.name for p in _plain(a)} | set(renamed.values())
    last = _last_common_place(a, b, renamed)
    for index, parameter in enumerate(b.positional):
        if parameter.name in known:
            continue
        if parameter.is_required:
            detail = f"with `{spelling.parameter(parameter)}`, which must be given"
            yield Difference(
                rule="parameter-added-required", parameter=parameter.name, detail=detail
            )
        elif index < last:
            yield _inserted(parameter, index, a)
        else:
            yield Difference(
                rule="parameter-added",
                parameter=parameter.name,
                detail=f"with `{spelling.parameter(parameter)}`",
            )
    for parameter in _plain(b):
        if parameter.kind is ParameterKind.KEYWORD_ONLY and parameter.name not in known:
            rule = "parameter-added-required" if parameter.is_required else "parameter-added"
            detail = f"with `{spelling.parameter(parameter)}`, by keyword only"
            yield Difference(rule=rule, parameter=parameter.name, detail=detail)


def _last_common_place(a: Signature, b: Signature, renamed: dict[str, str]) -> int:
    """Return the place in B of the last parameter that A takes by position too; -1 for none."""
    ours = {renamed.get(p.name, p.name) for p in a.positional}
    return max((i for i, p in enumerate(b.positional) if p.name in ours), default=-1)


def _inserted(parameter: Parameter, index: int, a: Signature) -> Difference:
    detail = f"with `{spelling.parameter(parameter)}` at place {index + 1}"
    pushed = a.positional[index] if index < len(a.positional) else None
    silent = pushed is not None and accepts(parameter.type, pushed.type)
    if pushed is not None:
        how = "silently taken" if silent else "refused"
        detail += f": by position, `{pushed.name}` is {how} as `{parameter.name}`"
    return Difference(
        rule="parameter-inserted", parameter=parameter.name, detail=detail, silent=silent
    )


def _order(a: Signature, b: Signature, renamed: dict[str, str]) -> Iterator[Difference]:
    in_b = [p.name for p in b.positional]
    ours = [renamed.get(p.name, p.name) for p in a.positional]
    before = [name for name in ours if name in in_b]
    after = [name for name in in_b if name in before]
    if before != after:
        moved = [new for old, new in zip(before, after, strict=True) if old != new]
        types = {p.name: p.type for p in b.positional}
        silent = any(
            accepts(types[new], types[old])
            for old, new in zip(before, after, strict=True)
            if old != new
        )
        yield Difference(
            rule="parameter-reordered",
            parameter=", ".join(sorted(moved)),
            detail=f"the order is now {', '.join(after)}",
            silent=silent,
        )


def _common(
    a: Signature, b: Signature, renamed: dict[str, str]
) -> Iterator[tuple[Parameter, Parameter]]:
    theirs = {p.name: p for p in _plain(b)}
    for parameter in _plain(a):
        match = theirs.get(renamed.get(parameter.name, parameter.name))
        if match is not None:
            yield parameter, match


def _kind(old: Parameter, new: Parameter) -> Iterator[Difference]:
    name = new.name
    only_place, only_name = ParameterKind.POSITIONAL_ONLY, ParameterKind.KEYWORD_ONLY
    if old.kind is new.kind:
        return
    if new.kind is only_name:
        yield Difference(
            rule="parameter-keyword-only", parameter=name, detail=f"`{name}` by keyword only"
        )
    if new.kind is only_place:
        yield Difference(
            rule="parameter-positional-only", parameter=name, detail=f"`{name}` by position only"
        )
    if new.kind is ParameterKind.POSITIONAL_OR_KEYWORD:
        besides = "name" if old.kind is only_place else "place"
        yield Difference(
            rule="parameter-kind-widened", parameter=name, detail=f"`{name}` by {besides} too"
        )


def _default(old: Parameter, new: Parameter, how: Comparable) -> Iterator[Difference]:
    if old.default is not None and new.default is None:
        yield Difference(
            rule="parameter-required",
            parameter=new.name,
            detail=f"`{new.name}` must be given, it was {old.default} by default",
        )
    elif old.default is None and new.default is not None:
        yield Difference(
            rule="parameter-optional",
            parameter=new.name,
            detail=f"`{new.name}` is {new.default} by default",
        )
    elif how.literals and not all(map(spelling.is_literal, (old.default, new.default))):
        return
    elif spelling.default_of(old.default or "") != spelling.default_of(new.default or ""):
        yield Difference(
            rule="default-changed",
            parameter=new.name,
            detail=f"`{new.name}` is {new.default} by default, it was {old.default}",
        )


def _type(old: Parameter, new: Parameter, how: Comparable) -> Iterator[Difference]:
    if not how.types or not old.type or not new.type or old.type == new.type:
        return
    before, after = spelling.type_of(old.type), spelling.type_of(new.type)
    have, want = spelling.alternatives(before), spelling.alternatives(after)
    if have == want:
        return
    if not how.enforced:
        wider = have < want or bool(want & {"object", "Any"})
        rule = "type-widened" if wider else "annotation-changed"
    elif all(accepts(after, one) for one in have):
        # An int passes as a bool, but means another thing then.
        wider = have - want <= {"int", "bool"} and "bool" not in want - have
        rule = "type-widened" if wider else "annotation-changed"
    else:
        rule = "type-narrowed"
    yield Difference(
        rule=rule, parameter=new.name, detail=f"`{new.name}` is {after}, it was {before}"
    )


def _variadic(a: Signature, b: Signature) -> Iterator[Difference]:
    for kind, mark, gone in (
        (ParameterKind.VAR_POSITIONAL, "*args", "variadic-positional-removed"),
        (ParameterKind.VAR_KEYWORD, "**kwargs", "variadic-keyword-removed"),
    ):
        if a.has(kind) and not b.has(kind):
            yield Difference(rule=gone, parameter=mark, detail=f"without `{mark}`")
        if b.has(kind) and not a.has(kind):
            yield Difference(rule="variadic-added", parameter=mark, detail=f"with `{mark}`")


def _returns(a: Signature, b: Signature, how: Comparable) -> Iterator[Difference]:
    if how.types and a.returns and b.returns:
        before, after = spelling.type_of(a.returns), spelling.type_of(b.returns)
        if before != after:
            yield Difference(
                rule="return-changed", parameter="", detail=f"returns {after}, it was {before}"
            )


def _list(parameters: Sequence[Parameter]) -> str:
    return ", ".join(p.name for p in parameters)
