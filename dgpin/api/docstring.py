"""The signatures that pybind11 writes into docstrings: the one place where they can be read.

`inspect.signature` raises ValueError for these functions. The forms were taken from pybind11
2.13 and 3.1: one line for a plain function, a numbered list under "Overloaded function.".
"""

import re

from dgpin.api import split
from dgpin.api.signature import Parameter, ParameterKind, Signature

_OVERLOADED = "Overloaded function."
_NUMBERED = re.compile(r"^\d+\. (.*)", re.MULTILINE)
_HEAD = re.compile(r"^[A-Za-z_]\w*\(")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# A parameter without py::arg gets its place as a name, and takes no keyword.
_UNNAMED = re.compile(r"arg([0-9]{1,4})$")


def parse(doc: str, *, method: bool = False) -> tuple[Signature, ...]:
    """Return every overload that a docstring tells; none when it tells none.

    `method` drops the leading `self`.
    """
    text = doc.strip()
    lines = text.splitlines()
    if not lines or not _HEAD.match(lines[0]):
        return ()
    if len(lines) > 1 and lines[1].strip() == _OVERLOADED:
        heads = _NUMBERED.findall(text)
        # A numbered list in the prose of an overload is not an overload.
        heads = [h for h in heads if h.startswith(lines[0].split("(")[0] + "(")]
    else:
        heads = [lines[0]]
    parsed = [_signature(head, method=method) for head in heads]
    return tuple(s for s in parsed if s is not None) if all(parsed) else ()


def returned(doc: str) -> str:
    """Return the type that a property's getter gives back; "" when its docstring does not say."""
    lines = doc.strip().splitlines()
    if not lines or not lines[0].startswith("("):
        return parse(doc)[0].returns if parse(doc) else ""
    found = _signature("f" + lines[0], method=True)
    return found.returns if found is not None else ""


def _signature(head: str, *, method: bool) -> Signature | None:
    cut = split.parenthesised(head)
    if cut is None:
        return None
    _, inside, after = cut
    parameters = _parameters(split.pieces(inside))
    if method and parameters and parameters[0].name == "self":
        parameters = _renumbered(parameters[1:])
    returns = after[2:].strip() if after.startswith("->") else ""
    return Signature(parameters=parameters, returns=returns)


def _parameters(words: tuple[str, ...]) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    only = 0  # so many have a place alone
    kind = ParameterKind.POSITIONAL_OR_KEYWORD
    for word in words:
        if word == "*":
            kind = ParameterKind.KEYWORD_ONLY
        elif word == "/":
            only = len(found)
        elif word.startswith("**"):
            found.append(_parameter(word[2:], ParameterKind.VAR_KEYWORD))
        elif word.startswith("*"):
            found.append(_parameter(word[1:], ParameterKind.VAR_POSITIONAL))
            kind = ParameterKind.KEYWORD_ONLY
        else:
            found.append(_parameter(word, kind))
    found[:only] = [_as(p, ParameterKind.POSITIONAL_ONLY) for p in found[:only]]
    return _renumbered(tuple(found))


def _renumbered(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Mark the parameters that only have a place."""
    marked = []
    for index, parameter in enumerate(parameters):
        match = _UNNAMED.match(parameter.name)
        unnamed = match is not None and int(match.group(1)) == index
        plain = parameter.kind is ParameterKind.POSITIONAL_OR_KEYWORD
        marked.append(
            _as(parameter, ParameterKind.POSITIONAL_ONLY) if unnamed and plain else parameter
        )
    return tuple(marked)


def _parameter(word: str, kind: ParameterKind) -> Parameter:
    left, default = split.halves(word, at="=")
    name, annotation = split.halves(left, at=":")
    return Parameter(
        name=name,
        kind=kind,
        default=None if default is None else _ADDRESS.sub("", default),
        type=annotation or "",
    )


def _as(parameter: Parameter, kind: ParameterKind) -> Parameter:
    return Parameter(name=parameter.name, kind=kind, default=parameter.default, type=parameter.type)
