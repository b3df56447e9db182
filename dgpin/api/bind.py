"""Would a call bind? Arguments against signatures, by the rules of who matches them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dgpin.api import spelling
from dgpin.api.signature import Parameter, ParameterKind, Signature
from dgpin.api.surface import Binding, Kind, Symbol
from dgpin.api.uses import Argument, Arguments, Keyword

# What a bad call raises, by who matches the arguments.
RAISED = {
    Binding.PYTHON: "TypeError",
    Binding.PYBIND11: "TypeError",
    Binding.TORCH: "RuntimeError",
}
_CALLED = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.METHOD, Kind.OPERATOR, Kind.ENUM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A call that binds: the signature that took it, and which argument each parameter got.

    `places` are the parameters that got an argument by place, in order.
    """

    signature: Signature
    arguments: dict[str, Argument]
    places: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A call that does not bind: the exception, and every reason with its parameter ("" for none).

    `sometimes`: only when a keyword is passed that not every run passes.
    """

    exception: str
    reasons: tuple[tuple[str, str], ...]
    sometimes: bool = False

    @property
    def parameter(self) -> str:
        """The parameter of the first reason."""
        return self.reasons[0][0]

    @property
    def why(self) -> str:
        """All reasons in one clause."""
        unknown = [name for name, why in self.reasons if why == _unknown(name)]
        missing = [name for name, why in self.reasons if why == _needed(name)]
        told = {_unknown(name) for name in unknown} | {_needed(name) for name in missing}
        parts = [f"there is no {_listed(unknown, 'or')}"] if unknown else []
        parts += [why for _, why in self.reasons if why not in told]
        parts += [f"{_listed(missing, 'and')} must be given"] if missing else []
        return "; ".join(parts)


def _unknown(name: str) -> str:
    return f"there is no `{name}`"


def _needed(name: str) -> str:
    return f"`{name}` must be given"


def _listed(names: list[str], word: str) -> str:
    marked = [f"`{name}`" for name in names]
    return f" {word} ".join(filter(None, [", ".join(marked[:-1]), marked[-1]]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """It cannot be told whether the call binds."""

    reason: str


Answer = Bound | Refused | Untold


def call(symbol: Symbol, arguments: Arguments) -> Answer:
    """Return whether a symbol takes a call, the first overload that does deciding.

    A keyword that only some runs pass is tried too: the call must bind with it and without it.
    """
    if symbol.kind not in _CALLED:
        if symbol.kind in {Kind.MODULE, Kind.CONSTANT, Kind.MEMBER} and not symbol.signatures:
            why = f"a {symbol.kind.value} cannot be called"
            return Refused(exception="TypeError", reasons=(("", why),))
        return Untold(reason=f"{symbol.path} is a {symbol.kind.value}")
    if not symbol.signatures:
        return Untold(reason=f"the signature of {symbol.path} could not be read")
    certain = [k for k in arguments.keywords if k.certain]
    plain = _overloads(symbol, arguments, certain)
    if not isinstance(plain, Bound):
        return plain
    for keyword in arguments.keywords:
        if not keyword.certain:
            answer = _overloads(symbol, arguments, [*certain, keyword])
            if isinstance(answer, Refused):
                return replace(answer, sometimes=True)
    return plain


def _overloads(symbol: Symbol, arguments: Arguments, keywords: list[Keyword]) -> Answer:
    answers = [_one(symbol, signature, arguments, keywords) for signature in symbol.signatures]
    bound = next((answer for answer in answers if isinstance(answer, Bound)), None)
    if bound is not None:
        return bound
    first = answers[0]
    if len(answers) == 1:
        return first
    reasons = (("", "no overload takes these arguments"),)
    return Refused(exception=RAISED[symbol.binding], reasons=reasons)


def _one(
    symbol: Symbol, signature: Signature, arguments: Arguments, keywords: list[Keyword]
) -> Bound | Refused:
    places = signature.positional
    reasons: list[tuple[str, str]] = []
    if len(arguments.positional) > len(places) and not signature.has(ParameterKind.VAR_POSITIONAL):
        reasons.append(("", _too_many(signature, arguments)))
    given = {p.name: a for p, a in zip(places, arguments.positional, strict=False)}
    filled = tuple(p for p, _ in zip(places, arguments.positional, strict=False))
    reasons += _names(signature, keywords, given)
    missing = [p for p in _missing(signature, arguments) if p.name not in given]
    reasons += [(p.name, _needed(p.name)) for p in missing]
    if symbol.binding is not Binding.PYTHON and not reasons:
        torch = symbol.binding is Binding.TORCH
        reasons += _wrong_types(signature.parameters, given, torch=torch)
    if reasons:
        return Refused(exception=RAISED[symbol.binding], reasons=tuple(reasons))
    return Bound(signature=signature, arguments=given, places=filled)


def _names(
    signature: Signature, keywords: list[Keyword], given: dict[str, Argument]
) -> list[tuple[str, str]]:
    """Put the arguments by name in their places; return those that have none."""
    reasons: list[tuple[str, str]] = []
    takes_any = signature.has(ParameterKind.VAR_KEYWORD)
    for keyword in keywords:
        name = keyword.name
        if name in signature.named and name in given:
            reasons.append((name, f"`{name}` is given by place and by name"))
        elif name in signature.named:
            given[name] = keyword.argument
        elif not takes_any:
            placed = any(p.name == name for p in signature.parameters)
            why = f"`{name}` cannot be given by name" if placed else _unknown(name)
            reasons.append((name, why))
    return reasons


def _too_many(signature: Signature, arguments: Arguments) -> str:
    most, given = len(signature.positional), len(arguments.positional)
    return f"it takes {most} argument{'s' * (most != 1)} by place, {given} are given"


def _missing(signature: Signature, arguments: Arguments) -> Iterable[Parameter]:
    """Yield the required parameters that nothing unknown can fill either."""
    possible = {k.name for k in arguments.keywords if not k.certain}
    for index, parameter in enumerate(signature.required):
        by_place = parameter in signature.positional
        if by_place and arguments.open_positional:
            continue
        if parameter.kind is not ParameterKind.POSITIONAL_ONLY and (
            arguments.open_keywords or parameter.name in possible
        ):
            continue
        if not (by_place and index < len(arguments.positional)):
            yield parameter


def _wrong_types(
    parameters: Iterable[Parameter], given: dict[str, Argument], *, torch: bool
) -> list[tuple[str, str]]:
    return [
        (p.name, f"`{p.name}` takes {spelling.type_of(p.type)}, not {given[p.name].text}")
        for p in parameters
        if p.name in given and not takes(p.type, given[p.name].type, torch=torch)
    ]


# What a literal of a type may be passed as; what is not listed is never refused. As in the casters
# of pybind11 3.1 (cast.h) and of torch 2.14 (pybind_utils.h): an int is taken as a float or a bool,
# a bool as an int, None as a bool, a float never as an int.
_TAKEN_AS = {
    "None": {"None", "bool"},
    "bool": {"bool", "int", "float"},
    "int": {"int", "bool", "float"},
    "float": {"float"},
    "str": {"str"},
}
_PLAIN = frozenset({"None", "bool", "int", "float", "str", "torch.Tensor", "Tensor"})


def takes(wanted: str, literal: str, *, torch: bool = False) -> bool:
    """Whether a parameter of a type may take a literal; true where that cannot be told.

    `torch`: a torch op takes None as an undefined tensor.
    """
    if not wanted or literal not in _TAKEN_AS:
        return True
    options = spelling.alternatives(spelling.type_of(wanted.removesuffix("?")))
    if wanted.endswith("?"):
        options |= {"None"}
    if torch and literal == "None" and options & {"Tensor", "torch.Tensor"}:
        return True
    if not all(_is_plain(option) for option in options):
        return True
    return bool(options & _TAKEN_AS[literal])


def _is_plain(option: str) -> bool:
    head = option.partition("[")[0]
    return option in _PLAIN or head in {"tuple", "Sequence", "list"}
