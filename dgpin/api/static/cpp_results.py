"""What a bound function gives back: the type that C++ declares, or that its returns show plainly.

What is not plain to see is unknown, and unknown results are not compared.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from dgpin.api.static.cpp_parameters import declared
from dgpin.api.static.cpp_text import arguments, declared_names, python_type, text

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 20  # of an expression, or variables that are set from one another
_MOST_RETURNS = 20  # all of them have one type
_OTHER = frozenset({"lambda_expression", "class_specifier", "struct_specifier"})
_BINDS = frozenset({"declaration", "for_range_loop", "parameter_declaration"})
_NUMBERS = frozenset({"int", "float", "bool"})
_WHOLE = frozenset({"int", "bool"})
_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_ON_BITS = frozenset({"%", "<<", ">>", "&", "|", "^"})
_LITERALS = {
    "true": "bool",
    "false": "bool",
    "string_literal": "str",
    "raw_string_literal": "str",
    "concatenated_string": "str",
    "char_literal": "str",
}
_FLOAT = re.compile(r"[\d.']*\.[\d.']*(?:e[+-]?\d+)?f?|\d+e[+-]?\d+f?", re.IGNORECASE)
# A macro may hold the return; those that only look do not.
_MACRO = re.compile(r"\b(?!\w*(?:ASSERT|CHECK))[A-Z][A-Z0-9_]{2,}\(")


class Outside(Protocol):
    """What a function sees of the source around it. Each answer is "" where it is not known."""

    def variable(self, name: str) -> str:
        """Return the type of a variable."""

    def result(self, name: str) -> str:
        """Return the result of a function."""

    def result_of(self, variable: str, name: str, sign: str) -> str:
        """Return the result of `variable.name()`, or with `->` for a sign."""


def result_type(cpp: str) -> str:
    """Return how pybind11 spells the type of a result; "" for one that is not known here."""
    return python_type(cpp).replace("Sequence[", "list[")


def declared_result(function: "Node", declarator: "Node | None") -> str:
    """Return the result that a function or a lambda declares; "" for `auto` and none."""
    for node in declarator.children if declarator is not None else ():
        if node.type == "trailing_return_type":
            return result_type(text(node).removeprefix("->").strip())
    return result_type(text(function.child_by_field_name("type")))


def of_lambda(function: "Node", outside: Outside) -> str:
    """Return the type of a lambda's result; "" where it is not plain to see."""
    declarator = function.child_by_field_name("declarator")
    last = declarator.children[-1] if declarator is not None else None
    body = function.child_by_field_name("body")
    if last is not None and last.type == "trailing_return_type" and text(last) != "-> auto":
        return declared_result(function, declarator)
    if body is None or body.has_error:
        return ""
    nodes = list(_own(body))
    returned = [_value(node) for node in nodes if node.type == "return_statement"]
    values = [value for value in returned if value is not None]
    if not values:
        return "" if not text(body) or _MACRO.search(text(body)) else "None"
    known = _Body(body, nodes, declarator, outside)
    types = {known.type_of(value) for value in values[:_MOST_RETURNS]} - {""}
    return types.pop() if len(types) == 1 else ""


def _value(statement: "Node") -> "Node | None":
    return next((n for n in statement.named_children if n.type != "comment"), None)


def _own(body: "Node") -> Iterator["Node"]:
    """Yield the nodes of a function, those of functions and classes inside it left out."""
    stack = [body]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(child for child in reversed(node.children) if child.type not in _OTHER)


class _Body:
    """The variables of one function, and the types of expressions over them."""

    def __init__(
        self, body: "Node", nodes: list["Node"], declarator: "Node | None", outside: Outside
    ) -> None:
        self.outside = outside
        self.variables: dict[str, str | Node] = {}  # a type, or what it is set from
        for parameter in declared(declarator) if declarator is not None else ():
            self.variables[parameter.name] = parameter.type if "*" not in parameter.type else ""
        for node in nodes:
            if node.type in _BINDS:
                self._bind(node, outermost=node.type == "declaration" and node.parent == body)

    def _bind(self, node: "Node", *, outermost: bool) -> None:
        """Take what a statement declares; a name that is declared twice has no one type."""
        kind = text(node.child_by_field_name("type"))
        for name, value, alone in declared_names(node):
            told: str | Node = python_type(kind)
            if kind == "auto":
                told = value if value is not None and alone else ""
            once = outermost and name not in self.variables
            self.variables[name] = told if once else ""

    def type_of(self, node: "Node", depth: int = 0) -> str:
        """Return an expression's type, as Python has it."""
        ask = {
            "parenthesized_expression": self._inner,
            "identifier": self._variable,
            "unary_expression": self._unary,
            "binary_expression": self._binary,
            "conditional_expression": self._conditional,
            "call_expression": self._call,
        }.get(node.type)
        if ask is not None:
            return ask(node, depth + 1) if depth < _DEEPEST else ""
        if node.type in {"compound_literal_expression", "cast_expression"}:
            return result_type(text(node.child_by_field_name("type")))
        return (
            _number(text(node)) if node.type == "number_literal" else _LITERALS.get(node.type, "")
        )

    def _part(self, node: "Node", field: str, depth: int) -> str:
        part = node.child_by_field_name(field)
        return self.type_of(part, depth) if part is not None else ""

    def _inner(self, node: "Node", depth: int) -> str:
        return self.type_of(node.named_children[0], depth) if node.named_child_count == 1 else ""

    def _variable(self, node: "Node", depth: int) -> str:
        name = text(node)
        known = self.variables[name] if name in self.variables else self.outside.variable(name)
        found = known if isinstance(known, str) else self.type_of(known, depth)
        return found.replace("Sequence[", "list[")

    def _unary(self, node: "Node", depth: int) -> str:
        operand = self._part(node, "argument", depth)
        if operand not in _NUMBERS:
            return ""
        if text(node.child_by_field_name("operator")) == "!":
            return "bool"
        return "int" if operand == "bool" else operand

    def _binary(self, node: "Node", depth: int) -> str:
        left, right = (self._part(node, side, depth) for side in ("left", "right"))
        operator = text(node.child_by_field_name("operator"))
        if operator in _COMPARED:
            return "bool" if {left, right} <= _NUMBERS else ""
        if operator in _ON_BITS:
            return "int" if {left, right} <= _WHOLE else ""
        return _joined(left, right)

    def _conditional(self, node: "Node", depth: int) -> str:
        one, other = (self._part(node, side, depth) for side in ("consequence", "alternative"))
        return one if one == other else _joined(one, other)

    def _call(self, node: "Node", depth: int) -> str:
        callee = node.child_by_field_name("function")
        if callee is None or callee.type == "field_expression":
            return self._method(callee)
        name, given = text(callee), arguments(node)
        if name == "std::to_string":
            return "str"
        if name.startswith("static_cast<"):
            return result_type(name.removeprefix("static_cast<").removesuffix(">"))
        if name == "std::move" and len(given) == 1:
            return self.type_of(given[0], depth)
        if name in {"std::make_tuple", "std::make_pair"}:
            parts = [self.type_of(each, depth) for each in given]
            return f"tuple[{', '.join(parts)}]" if parts and all(parts) else ""
        return self.outside.result(name) or result_type(name)

    def _method(self, callee: "Node | None") -> str:
        owner = callee.child_by_field_name("argument") if callee is not None else None
        if callee is None or owner is None or owner.type != "identifier":
            return ""
        if text(owner) in self.variables:
            return ""
        name, sign = (text(callee.child_by_field_name(each)) for each in ("field", "operator"))
        return self.outside.result_of(text(owner), name, sign)


def _number(digits: str) -> str:
    if digits.lower().startswith("0x"):
        return "" if "." in digits else "int"
    return "float" if _FLOAT.fullmatch(digits) else "int"


def _joined(one: str, other: str) -> str:
    """Return the type of arithmetic over two numbers."""
    if not {one, other} <= _NUMBERS:
        return ""
    return "float" if "float" in {one, other} else "int"
