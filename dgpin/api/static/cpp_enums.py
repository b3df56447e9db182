"""The numbers that a C++ enum gives to its names, as far as they can be told from the text."""

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dgpin.api.static.cpp_text import descend, text

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 20  # of an expression
_BITS = 64
_MOST = 2**_BITS
_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "<<": operator.lshift,
}


def enums(root: "Node") -> dict[str, list[dict[str, int | None]]]:
    """Return the numbers of every enum in a tree, by the enum's name; None for one not known."""
    found: dict[str, list[dict[str, int | None]]] = {}
    for node in descend(root):
        body = node.child_by_field_name("body") if node.type == "enum_specifier" else None
        if body is not None:
            found.setdefault(text(node.child_by_field_name("name")), []).append(_read(body))
    return found


def _read(body: "Node") -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    following: int | None = 0
    for node in body.named_children:
        if node.type == "comment":
            continue
        if node.type != "enumerator":  # an #if: what stands behind it may be counted otherwise
            following = None
            continue
        value = node.child_by_field_name("value")
        number = following if value is None else number_of(value, found)
        found[text(node.child_by_field_name("name"))] = number
        following = None if number is None else number + 1
    return found


def number_of(node: "Node", known: Mapping[str, int | None], depth: int = 0) -> int | None:
    """Return the value of a constant expression over literals and known names.

    None for one that no integer of C++ can hold.
    """
    number: int | None = None
    match node.type:
        case "number_literal":
            number = _literal(text(node))
        case "identifier" | "qualified_identifier":
            number = known.get(text(node).rpartition("::")[2])
        case "parenthesized_expression" | "unary_expression" | "binary_expression":
            number = _combined(node, known, depth + 1) if depth < _DEEPEST else None
        case _:
            pass
    return number if number is not None and -_MOST < number < _MOST else None


def _combined(node: "Node", known: Mapping[str, int | None], depth: int) -> int | None:
    parts = [number_of(n, known, depth) for n in node.named_children if n.type != "comment"]
    sign = text(node.child_by_field_name("operator"))
    match parts:
        case [int(one)] if sign in {"", "+", "-"}:
            return -one if sign == "-" else one
        case [int(one), int(other)] if sign in _OPERATORS and 0 <= other < _MOST:
            return _OPERATORS[sign](one, other) if sign != "<<" or other < _BITS else None
        case _:
            return None


def _literal(digits: str) -> int | None:
    plain = digits.replace("'", "").rstrip("uUlLzZ")
    octal = len(plain) > 1 and plain.startswith("0") and plain.isdigit()
    try:
        return int(plain, 8 if octal else 0)
    except ValueError:
        return None
