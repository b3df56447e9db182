"""What a C++ source defines: functions, by their names without namespaces."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dgpin.api.signature import Signature
from dgpin.api.static.cpp_parameters import declared
from dgpin.api.static.cpp_text import parse, python_type, text

if TYPE_CHECKING:
    from tree_sitter import Node

_BEFORE_CALL = re.compile(rb"(\w+)\(")


class Definitions:
    """Looks names up in the files of a source, each of which is parsed at most once."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._trees: dict[str, Node] = {}
        self._found: dict[str, Signature | None] = {}
        self._functions: dict[str, dict[str, Node]] = {}
        self._called_names: dict[str, set[bytes]] = {}

    def tree(self, path: str) -> "Node":
        """Return the tree of a file."""
        if path not in self._trees:
            self._trees[path] = parse(self.files[path])
        return self._trees[path]

    def of(self, target: str) -> Signature | None:
        """Return the C++ parameters of a function, by its name without namespaces."""
        name = target.rpartition("::")[2]
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> Signature | None:
        for path in sorted(self.files):
            if not self._calls(path, name) or name not in (known := self._defined(path)):
                continue
            function = known[name]
            declarator = declarator_of(function)
            returns = python_type(text(function.child_by_field_name("type")))
            parameters = declared(declarator) if declarator is not None else ()
            return Signature(parameters=parameters, returns=returns)
        return None

    def _calls(self, path: str, name: str) -> bool:
        """Tell whether a name stands before a parenthesis: else the file need not be parsed."""
        if path not in self._called_names:
            self._called_names[path] = set(_BEFORE_CALL.findall(self.files[path]))
        return name.encode() in self._called_names[path]

    def _defined(self, path: str) -> dict[str, "Node"]:
        """Return the functions that a file defines, by their names without namespaces."""
        if path not in self._functions:
            found: dict[str, Node] = {}
            for function in functions(self.tree(path)):
                declarator = declarator_of(function)
                if declarator is not None:
                    named = text(declarator.child_by_field_name("declarator"))
                    found.setdefault(named.rpartition("::")[2], function)
            self._functions[path] = found
        return self._functions[path]


def functions(root: "Node") -> Iterator["Node"]:
    """Yield the definitions of functions in a tree, those of methods among them."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "function_definition":
            yield node
            continue  # nothing is registered in a function inside of a function
        stack.extend(reversed(node.children))


def declarator_of(function: "Node") -> "Node | None":
    """Return the part of a definition that holds the name and the parameters."""
    node = function.child_by_field_name("declarator")
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator") or next(iter(node.named_children), None)
    return node
