"""Signatures: what a call of a symbol may look like."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class ParameterKind(str, Enum):
    """How an argument reaches a parameter; the words are those of `inspect`."""

    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional-or-keyword"
    VAR_POSITIONAL = "var-positional"
    KEYWORD_ONLY = "keyword-only"
    VAR_KEYWORD = "var-keyword"


POSITIONAL = frozenset({ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD})
NAMED = frozenset({ParameterKind.POSITIONAL_OR_KEYWORD, ParameterKind.KEYWORD_ONLY})
VARIADIC = frozenset({ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter.

    `default` is the text of the value, and None when there is no default: "None" in quotes is the
    default None. `type` is the annotation as the binding spells it, "" where it has none.
    """

    name: str
    kind: ParameterKind = ParameterKind.POSITIONAL_OR_KEYWORD
    default: str | None = None
    type: str = ""

    @property
    def is_required(self) -> bool:
        """Whether a call that leaves it out does not bind."""
        return self.default is None and self.kind not in VARIADIC

    def __str__(self) -> str:
        stars = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}
        text = stars.get(self.kind, "") + self.name + (f": {self.type}" if self.type else "")
        if self.default is None:
            return text
        return f"{text} = {self.default}" if self.type else f"{text}={self.default}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One way to call a symbol; a symbol with overloads has several."""

    parameters: tuple[Parameter, ...] = ()
    returns: str = ""

    @property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that an argument reaches by its place, in order."""
        return tuple(p for p in self.parameters if p.kind in POSITIONAL)

    @property
    def named(self) -> Mapping[str, Parameter]:
        """The parameters that an argument reaches by its name."""
        return {p.name: p for p in self.parameters if p.kind in NAMED}

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters that every call must fill."""
        return tuple(p for p in self.parameters if p.is_required)

    def has(self, kind: ParameterKind) -> bool:
        """Whether there is a parameter of this kind: `*args`, `**kwargs` and so on."""
        return any(p.kind is kind for p in self.parameters)

    def __str__(self) -> str:
        words: list[str] = []
        for index, parameter in enumerate(self.parameters):
            before = self.parameters[index - 1].kind if index else None
            kind = parameter.kind
            if before is ParameterKind.POSITIONAL_ONLY and kind is not before:
                words.append("/")
            if kind is ParameterKind.KEYWORD_ONLY and before not in {
                kind,
                ParameterKind.VAR_POSITIONAL,
            }:
                words.append("*")
            words.append(str(parameter))
        if self.parameters and self.parameters[-1].kind is ParameterKind.POSITIONAL_ONLY:
            words.append("/")
        return f"({', '.join(words)})" + (f" -> {self.returns}" if self.returns else "")


def to_json(signature: Signature) -> dict[str, Any]:
    """Return the signature as JSON values."""
    return {
        "parameters": [
            {"name": p.name, "kind": p.kind.value, "default": p.default, "type": p.type}
            for p in signature.parameters
        ],
        "returns": signature.returns,
    }


def from_json(value: Mapping[str, Any]) -> Signature:
    """Return the signature that `to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: it is of another shape.
    """
    return Signature(
        parameters=tuple(
            Parameter(
                name=str(p["name"]),
                kind=ParameterKind(p["kind"]),
                default=None if p["default"] is None else str(p["default"]),
                type=str(p["type"]),
            )
            for p in value["parameters"]
        ),
        returns=str(value["returns"]),
    )
