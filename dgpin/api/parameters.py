"""What differs between two signatures of one symbol."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dgpin.api import spelling
from dgpin.api.change import Evidence, Successor
from dgpin.api.passing import accepts, misread
from dgpin.api.signature import Parameter, ParameterKind, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """What can be held against each other: not what two toolchains or bindings spell apart.

    `literals` restricts defaults to those that are written alike everywhere; `text` tells that
    they were read in a text, where a name may stand for any value. `enforced` tells that the
    binding refuses arguments of another type; `bases` are those of the classes in B.
    """

    types: bool = True
    kinds: bool = True
    literals: bool = False
    text: bool = False
    enforced: bool = False
    bases: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def loud(self) -> bool:
        """Whether an argument of a type that does not pass is refused, as far as is known."""
        return self.enforced or not self.types


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
    yield from _gone(a, b, renamed, look, how)
    yield from _new(a, b, {**renamed, **look}, how)
    yield from _order(a, b, renamed, how)
    for old, new in _common(a, b, renamed):
        if how.kinds:
            yield from _kind(old, new, taken=b.has(ParameterKind.VAR_POSITIONAL))
        yield from _default(old, new, how)
        yield from _type(old, new, how)
    yield from _variadic(a, b)
    yield from _returns(a, b, how)


def _is_unnamed(signature: Signature) -> bool:
    given = [(p.name, p.kind) for p in signature.parameters]
    only = ParameterKind.POSITIONAL_ONLY
    return bool(given) and given == [(f"arg{i}", only) for i in range(len(given))]


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
        if a.named:
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
            # Nobody passes these by name, so their place is all that they are.
            same = same or old.kind is new.kind is ParameterKind.POSITIONAL_ONLY
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
    a: Signature, b: Signature, renamed: dict[str, str], look: dict[str, str], how: Comparable
) -> Iterator[Difference]:
    kept = {p.name for p in _plain(b)}
    swallows = b.has(ParameterKind.VAR_KEYWORD)
    by_place = b.has(ParameterKind.VAR_POSITIONAL)
    for parameter in _plain(a):
        name = parameter.name
        if name in kept or (by_place and parameter.kind is ParameterKind.POSITIONAL_ONLY):
            continue  # `*args` takes what it took
        if name in renamed and parameter.kind is not ParameterKind.POSITIONAL_ONLY:
            evidence = Successor(name=renamed[name], evidence=Evidence.SAME_PLACE)
            detail = f"`{name}` is now `{renamed[name]}`"
            yield Difference(
                rule="parameter-renamed", parameter=name, detail=detail, successor=evidence
            )
        elif name not in renamed:
            landing = _shifted(parameter, a, b, {**renamed, **look}, how)
            yield _removed(parameter, look.get(name, ""), landing, swallows=swallows)


def _removed(parameter: Parameter, look: str, landing: str, *, swallows: bool) -> Difference:
    name = parameter.name
    detail = f"without `{spelling.parameter(parameter)}`"
    if look:
        detail += f"; `{look}` stands at its place now: look whether it means the same"
    shifted = landing not in {"", look}  # it may well mean the same: to be looked at, not claimed
    if shifted:
        detail += f"; by position, what was `{name}` is taken as `{landing}`"
    by_name = parameter.kind is not ParameterKind.POSITIONAL_ONLY
    rule = "parameter-swallowed" if swallows and by_name else "parameter-removed"
    return Difference(rule=rule, parameter=name, detail=detail, silent=shifted)


def _shifted(
    parameter: Parameter, a: Signature, b: Signature, renamed: dict[str, str], how: Comparable
) -> str:
    """Return as what a call by position passes the argument for a removed parameter; "" for none
    that goes through."""
    places = [p.name for p in a.positional]
    if parameter.name not in places:
        return ""
    index = places.index(parameter.name)
    if index >= len(b.positional):
        return ""
    landing = b.positional[index].name
    if landing in places[: index + 1] or not misread(a, b, renamed, index, enforced=how.loud):
        return ""
    return landing


def _new(
    a: Signature, b: Signature, renamed: dict[str, str], how: Comparable
) -> Iterator[Difference]:
    known = {p.name for p in _plain(a)} | set(renamed.values())
    known -= {new for old, new in renamed.items() if _is_needed_now(a, old, b, new)}
    last = _last_common_place(a, b, renamed)
    for index, parameter in enumerate(b.positional):
        if parameter.name in known:
            continue
        if parameter.is_required:
            detail = f"with `{spelling.parameter(parameter)}`, which must be given"
            yield Difference(
                rule="parameter-added-required", parameter=parameter.name, detail=detail
            )
        elif index < last or a.has(ParameterKind.VAR_POSITIONAL):
            silent = misread(a, b, renamed, index, enforced=how.loud)
            yield _inserted(parameter, index, a, silent=silent)
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


def _is_needed_now(a: Signature, old: str, b: Signature, new: str) -> bool:
    """Whether what stands at a parameter's place must be given, and the parameter had a default."""
    had = any(p.name == old and not p.is_required for p in a.parameters)
    return had and any(p.name == new and p.is_required for p in b.parameters)


def _last_common_place(a: Signature, b: Signature, renamed: dict[str, str]) -> int:
    """Return the place in B of the last parameter that A takes by position too; -1 for none."""
    ours = {renamed.get(p.name, p.name) for p in a.positional}
    return max((i for i, p in enumerate(b.positional) if p.name in ours), default=-1)


def _inserted(parameter: Parameter, index: int, a: Signature, *, silent: bool) -> Difference:
    detail = f"with `{spelling.parameter(parameter)}` at place {index + 1}"
    if index >= len(a.positional):
        silent = True
        detail += f": by position, what `*args` took is taken as `{parameter.name}`"
    elif silent:
        pushed = a.positional[index].name
        detail += f": by position, `{pushed}` is silently taken as `{parameter.name}`"
    else:
        detail += f": a call that passes `{a.positional[index].name}` by position is refused"
    return Difference(
        rule="parameter-inserted", parameter=parameter.name, detail=detail, silent=silent
    )


def _order(
    a: Signature, b: Signature, renamed: dict[str, str], how: Comparable
) -> Iterator[Difference]:
    in_b = [p.name for p in b.positional]
    ours = [renamed.get(p.name, p.name) for p in a.positional]
    before = [name for name in ours if name in in_b]
    after = [name for name in in_b if name in before]
    if before != after:
        moved = [new for old, new in zip(before, after, strict=True) if old != new]
        places = enumerate(zip(ours, in_b, strict=False))
        first = next((i for i, (old, new) in places if old != new), 0)
        silent = misread(a, b, renamed, first, enforced=how.loud)
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


def _kind(old: Parameter, new: Parameter, *, taken: bool) -> Iterator[Difference]:
    """Yield what a parameter no longer takes; `taken` tells that `*args` takes it by place."""
    name = new.name
    only_place, only_name = ParameterKind.POSITIONAL_ONLY, ParameterKind.KEYWORD_ONLY
    if old.kind is new.kind:
        return
    if new.kind is only_name:
        detail = f"`{name}` by keyword only" + ("; by position, `*args` takes it" if taken else "")
        yield Difference(rule="parameter-keyword-only", parameter=name, detail=detail, silent=taken)
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
    elif (
        _told(old, how)
        and _told(new, how)
        and spelling.default_of(old.default or "") != spelling.default_of(new.default or "")
    ):
        yield Difference(
            rule="default-changed",
            parameter=new.name,
            detail=f"`{new.name}` is {new.default} by default, it was {old.default}",
        )


def _told(parameter: Parameter, how: Comparable) -> bool:
    """Whether a default can be held against another reading's."""
    if how.literals:
        return spelling.is_literal(parameter.default)
    return not how.text or spelling.is_told(parameter.default)


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
    elif all(accepts(after, one) or how.bases.get(one, frozenset()) & want for one in have):
        # A number or None passes as a bool, but means another thing then.
        wider = ("bool" in before or "bool" not in after) and "None" not in have - want
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
