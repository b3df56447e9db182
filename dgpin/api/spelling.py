"""One spelling for types and defaults that different toolchains print differently.

pybind11 2.13 prints `Optional[tuple[int, int]]` where 3.1 prints
`tuple[typing.SupportsInt | typing.SupportsIndex, …] | None`; both accept the same arguments.
"""

import ast
import re
from dataclasses import replace
from functools import lru_cache

from dgpin.api import split
from dgpin.api.signature import Parameter

_LONGEST = 10_000  # characters of a type
_DEEPEST = 200  # brackets in it
_PREFIX = re.compile(r"\b(?:typing|typing_extensions|collections\.abc|builtins|types)\.")
_ALIASED = re.compile(r"\([a-z*](?:\|[a-z*])*!?(?: -> [a-z*|]+)?\)")
_NUMBERS = (
    ("SupportsInt|SupportsIndex", "int"),
    ("SupportsFloat|SupportsIndex", "float"),
    ("SupportsComplex|SupportsFloat|SupportsIndex", "complex"),
    ("SupportsInt", "int"),
    ("SupportsIndex", "int"),
    ("SupportsFloat", "float"),
)
_WORDS = {
    "Tuple": "tuple",
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "NoneType": "None",
    "Tensor": "torch.Tensor",
    "torch.nn.parameter.Parameter": "torch.Tensor",
    "dtype": "torch.dtype",
}


@lru_cache(maxsize=4096)
def type_of(text: str) -> str:
    """Return a type's own spelling: unions sorted, `Optional` and `Union` written with `|`.

    One that is longer or nested deeper than any that pybind11 prints is left as it is.
    """
    if len(text) > _LONGEST or text.count("[") > _DEEPEST:
        return text
    plain = _PREFIX.sub("", text.strip().strip("\"'"))
    plain = _ALIASED.sub("", plain).replace("SymInt", "int")
    if plain.endswith("?"):  # as schemas of torch ops write it
        plain = f"{plain[:-1]}|None"
    plain = re.sub(r"\s*\|\s*", "|", plain)
    for printed, meant in _NUMBERS:
        plain = plain.replace(printed, meant)
    return _canonical(plain)


def _canonical(text: str) -> str:
    parts = split.pieces(text, at="|")
    if len(parts) > 1:
        return _union([_canonical(part) for part in parts])
    head, inside = _subscript(text)
    if inside is None:
        return _WORDS.get(text, text)
    inner = [_canonical(part) for part in split.pieces(inside)]
    if head == "Optional":
        return _union([*inner, "None"])
    if head == "Union":
        return _union(inner)
    if head == "Annotated" and inner:
        return inner[0]
    return f"{_WORDS.get(head, head)}[{', '.join(inner)}]"


def _subscript(text: str) -> tuple[str, str | None]:
    head, bracket, rest = text.partition("[")
    if not bracket or not rest.endswith("]"):
        return text, None
    return head.strip(), rest[:-1]


def _union(parts: list[str]) -> str:
    flat = {word for part in parts for word in split.pieces(part, at="|")}
    return "|".join(sorted(flat, key=lambda word: (word == "None", word)))


@lru_cache(maxsize=4096)
def alternatives(text: str) -> frozenset[str]:
    """Return the types that a normal spelling accepts."""
    return frozenset(split.pieces(text, at="|"))


def parameter(shown: Parameter) -> str:
    """Return a parameter as messages show it: its type in the one spelling."""
    return str(replace(shown, type=type_of(shown.type)) if shown.type else shown)


@lru_cache(maxsize=4096)
def default_of(text: str) -> str:
    """Return a default's own spelling: one kind of quotes, no trailing zeros of a float."""
    stripped = text.strip()
    quoted = re.fullmatch(r'"([^"\'\\]*)"', stripped)
    if quoted:
        return f"'{quoted.group(1)}'"
    if re.fullmatch(r"-?\d+\.\d*(?:e[+-]?\d+)?|-?\d+e[+-]?\d+", stripped):
        return repr(float(stripped))
    return stripped


def is_literal(text: str | None) -> bool:
    """Whether a default is a number, a text or the like, which every reading spells alike."""
    if text is None:
        return True
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return False
    return True


def is_told(text: str | None) -> bool:
    """Whether a text tells a default's value: a literal does, another name may mean anything."""
    return is_literal(text) or (text or "").startswith("torch.")
