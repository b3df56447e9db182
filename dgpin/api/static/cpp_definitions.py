"""What a C++ source defines: functions and enums, by their names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dgpin.api.signature import Parameter
from dgpin.api.static import cpp_enums
from dgpin.api.static.cpp_parameters import declared
from dgpin.api.static.cpp_results import declared_result
from dgpin.api.static.cpp_text import declared_names, parse, python_type, text

if TYPE_CHECKING:
    from tree_sitter import Node

_BEFORE_CALL = re.compile(rb"(\w+)\(")
_DECLARED = re.compile(rb"[\w>&*]\s+[&*]*(\w+)\s*[=;({]")
_DERIVED = re.compile(rb"\b(?:class|struct)\s+(\w+)[\s\w]{,50}:([^{;]{,500})\{")
_WORD = re.compile(rb"\w+")
_ENUM = re.compile(rb"\benum\s+(?:class\s+|struct\s+)?(\w+)")
_AROUND = frozenset(
    {
        *("translation_unit", "namespace_definition", "declaration_list"),
        *("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification"),
    }
)
_SCOPES = frozenset({"namespace_definition", "class_specifier", "struct_specifier"})
# Whose functions are never the source's own.
_FOREIGN = ("std::", "torch::", "at::", "c10::", "py::", "pybind11::", "cute::", "cutlass::")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One function; `name` has its namespaces, and the class that it `is_member` of."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: str
    is_member: bool

    @property
    def owner(self) -> str:
        """The class that it is a member of, without its namespaces; "" for none."""
        return self.name.split("::")[-2] if self.is_member and "::" in self.name else ""

    def is_called(self, name: str) -> bool:
        """Tell whether a name, with some of its namespaces or none, may mean the function."""
        return self.name == name or self.name.endswith(f"::{name}")


class Definitions:
    """Looks names up in the files of a source, each of which is parsed at most once.

    A file is parsed for a name only when its bytes have the name where it may be defined.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._numbers: dict[str, dict[str, int]] = {}
        self._derived: dict[bytes, set[bytes]] | None = None
        self._results: dict[tuple[str, ...], str] = {}

    def tree(self, path: str) -> "Node":
        """Return the tree of a file."""
        return parse(self.files[path])

    def of(
        self, target: str, *, near: str, types: tuple[str, ...] | None = None
    ) -> Definition | None:
        """Return the function that a name means in the file `near`.

        `types` are those of its parameters, where they are known: they choose an overload.
        """
        other: Definition | None = None
        for each in self._named(target, near=near):
            if types is not None and tuple(p.type for p in each.parameters) != types:
                continue
            if each.is_called(target):
                return each
            other = other or each
        return other

    def result(self, name: str) -> str:
        """Return what every function of that name gives back; "" when they do not agree."""
        if name.startswith(_FOREIGN):
            return ""
        if (name,) not in self._results:
            meant = [each for each in self._named(name) if each.is_called(name)]
            found = (each.returns for each in meant if "::" in name or not each.is_member)
            self._results[name,] = _one(found)
        return self._results[name,]

    def result_of(self, variable: str, name: str, sign: str) -> str:
        """Return what `variable.name()` or `variable->name()` gives back, or "".

        The source must define both. The method is one of the class that the variable's type
        names: itself, or as what a pointer such as `std::shared_ptr<T>` leads to.
        """
        key = (variable, name, sign)
        if key not in self._results:
            form = r".*<(?:\w+::)*{}>" if sign == "->" else r"(?:\w+::)*{}"
            types = self.types(variable)
            found = []
            for each in self._named(name):
                owner = form.format(re.escape(each.owner))
                if each.owner and types and all(re.fullmatch(owner, kind) for kind in types):
                    found.append(each.returns)
            self._results[key] = _one(found)
        return self._results[key]

    def types(self, variable: str) -> tuple[str, ...]:
        """Return the C++ types of all variables of a name that are declared outside of functions.

        For `auto x = T(…)` it is T.
        """
        found: list[str] = []
        for path in self._files_with(variable, _DECLARED):
            found += _variables(self.files[path]).get(variable, ())
        return tuple(found)

    def enumerators(self, name: str) -> Mapping[str, int]:
        """Return the numbers of an enum's names, where all enums of that name agree on them."""
        if name in self._numbers:
            return self._numbers[name]
        found: dict[str, set[int | None]] = {}
        for path in self._files_with(name, _ENUM):
            for numbers in _enums(self.files[path]).get(name, ()):
                for each, number in numbers.items():
                    found.setdefault(each, set()).add(number)
        known = {each: numbers.pop() for each, numbers in found.items() if len(numbers) == 1}
        self._numbers[name] = {each: n for each, n in known.items() if n is not None}
        return self._numbers[name]

    def derives(self, name: str, base: str) -> bool:
        """Tell whether a class of a name says that it derives from another."""
        if self._derived is None:
            self._derived = {}
            for source in self.files.values():
                for each, listed in _DERIVED.findall(source):
                    self._derived.setdefault(each, set()).update(_WORD.findall(listed))
        return base.encode() in self._derived.get(name.encode(), ())

    def _named(self, target: str, *, near: str = "") -> Iterator[Definition]:
        """Yield the functions of a name without its namespaces, those of one file first."""
        name = target.rpartition("::")[2]
        for path in sorted(self._files_with(name, _BEFORE_CALL), key=lambda each: each != near):
            yield from _named(self.files[path], name)

    def _files_with(self, name: str, where: re.Pattern[bytes]) -> list[str]:
        """Return the files that have a name in a certain place."""
        word = name.encode()
        return [path for path in sorted(self.files) if word in _words(self.files[path], where)]


# What a file says depends on nothing else, and two commits have most of their files in common.
_same = lru_cache(maxsize=4096)


@_same
def _words(source: bytes, where: re.Pattern[bytes]) -> frozenset[bytes]:
    return frozenset(where.findall(source))


@_same
def _variables(source: bytes) -> Mapping[str, Sequence[str]]:
    return variables(parse(source))


@_same
def _enums(source: bytes) -> Mapping[str, Sequence[Mapping[str, int | None]]]:
    return cpp_enums.enums(parse(source))


@_same
def _named(source: bytes, name: str) -> tuple[Definition, ...]:
    """Return the functions of a name, without namespaces, that a file defines."""
    return tuple(map(_definition, _functions(source).get(name, ())))


@_same
def _functions(source: bytes) -> Mapping[str, Sequence["Node"]]:
    found: dict[str, list[Node]] = {}
    for function in functions(parse(source)):
        declarator = declarator_of(function)
        if declarator is not None:
            named = text(declarator.child_by_field_name("declarator"))
            found.setdefault(named.rpartition("::")[2], []).append(function)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The source as one function in it sees it, whose own variables are `hidden`."""

    definitions: Definitions
    path: str
    hidden: AbstractSet[str]

    def variable(self, name: str) -> str:
        """Return the Python type of a variable outside of functions; "" when it is not known."""
        types = () if name in self.hidden else self.definitions.types(name)
        return _one(map(python_type, types))

    def result(self, name: str) -> str:
        """Return what a function gives back; "" when it is not known."""
        return self.definitions.result(name)

    def result_of(self, variable: str, name: str, sign: str) -> str:
        """Return what a variable's method gives back; "" when it is not known."""
        return "" if variable in self.hidden else self.definitions.result_of(variable, name, sign)


def _one(types: Iterable[str]) -> str:
    found = set(types)
    return found.pop() if len(found) == 1 else ""


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


def variables(root: "Node") -> dict[str, list[str]]:
    """Return the types of the variables that are declared outside of functions and classes."""
    found: dict[str, list[str]] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _AROUND:
            stack.extend(node.children)
        elif node.type == "declaration":
            kind = text(node.child_by_field_name("type"))
            for name, value, alone in declared_names(node):
                made = value.child_by_field_name("function") if value is not None else None
                cpp = text(made) if kind == "auto" else kind
                found.setdefault(name, []).append(cpp if alone else "")
    return found


def _definition(function: "Node") -> Definition:
    declarator = declarator_of(function)
    named = text(declarator.child_by_field_name("declarator")) if declarator is not None else ""
    scopes: list[str] = []
    is_member = "::" in named
    above = function.parent
    while above is not None:
        if above.type in _SCOPES:
            scopes.insert(0, text(above.child_by_field_name("name")))
            is_member = is_member or above.type != "namespace_definition"
        above = above.parent
    return Definition(
        name="::".join(filter(None, [*scopes, named])),
        parameters=declared(declarator) if declarator is not None else (),
        returns=declared_result(function, declarator),
        is_member=is_member,
    )
