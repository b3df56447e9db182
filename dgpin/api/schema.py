"""Signatures of torch ops, from the text of their schemas.

The grammar is that of `torch/csrc/jit/frontend/function_schema_parser.cpp`:
`namespace::name.overload(Type name=default, *, Type name) -> Type`.
"""

import re
from dataclasses import dataclass

from dgpin.api import split
from dgpin.api.signature import Parameter, ParameterKind, Signature

_NAME = re.compile(r"^(?:(?P<space>\w+)::)?(?P<name>[A-Za-z_]\w*)(?:\.(?P<overload>\w+))?$")
_SIZE = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """One overload of an op."""

    namespace: str
    name: str
    overload: str
    signature: Signature


def parse(text: str) -> Schema | None:
    """Return what a schema says; None when the text is none."""
    cut = split.parenthesised(text)
    if cut is None:
        return None
    head, inside, after = cut
    name = _NAME.match(head)
    if name is None or not after.startswith("->"):
        return None
    parameters = _parameters(inside)
    if parameters is None:
        return None
    returns = after.removeprefix("->").strip()
    return Schema(
        namespace=name["space"] or "",
        name=name["name"],
        overload=name["overload"] or "",
        signature=Signature(parameters=parameters, returns=returns),
    )


def _parameters(inside: str) -> tuple[Parameter, ...] | None:
    found: list[Parameter] = []
    kind = ParameterKind.POSITIONAL_OR_KEYWORD
    for word in split.pieces(inside):
        if word == "*":
            kind = ParameterKind.KEYWORD_ONLY
            continue
        left, default = split.halves(word, at="=")
        spelled, _, name = left.rpartition(" ")
        if not spelled or not name.isidentifier():
            return None
        found.append(
            # `int[3]` accepts what `int[]` accepts, and one int more.
            Parameter(name=name, kind=kind, default=default, type=_SIZE.sub("[]", spelled.strip()))
        )
    return tuple(found)
