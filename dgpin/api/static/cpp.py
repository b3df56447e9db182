"""What a C++ source registers: pybind11 functions and classes, and torch schemas."""

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dgpin.api.signature import Parameter
from dgpin.api.static.cpp_bound import Bound, bound
from dgpin.api.static.cpp_classes import Bases, exported, inherited, last, template
from dgpin.api.static.cpp_definitions import Definitions, Near, declarator_of, functions
from dgpin.api.static.cpp_enums import number_of
from dgpin.api.static.cpp_parameters import initialised
from dgpin.api.static.cpp_text import (
    arguments,
    declared_names,
    descend,
    python_default,
    string,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MODULE = "PYBIND11_MODULE"
_LIBRARY = "TORCH_LIBRARY"
_MARKS = (b".def", b"class_<", b"enum_<", _LIBRARY.encode())
_FIELDS = {"def_readwrite", "def_readonly", "def_property", "def_property_readonly"}
_STATIC = "def_static"
_SETTABLE = {"def_readwrite", "def_property"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """One registration. `path` lies below the extension; `target` is the C++ function.

    `kind` is function, class, enum, member, method, property or module. `parameters` is None where
    the definition was not found; `alias` is the path that an `m.attr` was set from.
    """

    path: str
    kind: str
    target: str = ""
    parameters: tuple[Parameter, ...] | None = None
    returns: str = ""
    alias: str = ""
    value: str = ""
    traits: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  # their paths
    alternative: bool = False  # in the other branch of an #if


@dataclass(slots=True)
class Extension:
    """All registrations of a source."""

    rows: list[Registered] = field(default_factory=list)
    schemas: list[tuple[str, str]] = field(default_factory=list)  # namespace, text
    nested: list[str] = field(default_factory=list)  # files that are nested too deeply
    unknown: list[str] = field(default_factory=list)  # classes, not all of whose bases were found


@dataclass(slots=True)
class _Scope:
    """The names of modules and classes inside one function: variable to path below `_C`."""

    names: dict[str, str] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    library: str = ""
    file: str = ""
    variables: set[str] = field(default_factory=set)  # of any kind
    paths: dict[int, str | None] = field(default_factory=dict)  # of calls in a chain, by node
    alternatives: list[tuple[int, int]] = field(default_factory=list)  # bytes of #else and #elif


class Reader:
    """Reads the files of a source that register something."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.found = Extension()
        self.definitions = Definitions(files)
        self._templates: dict[str, tuple[str, ...]] = {}  # of classes and enums, by path
        self._exported: set[str] = set()  # enums whose members stand beside them too

    def read(self) -> Extension:
        """Return every registration, with the parameters of what is bound."""
        for path, source in sorted(self.files.items()):
            if any(mark in source for mark in _MARKS):
                try:
                    for function in functions(self.definitions.tree(path)):
                        self._function(path, function)
                except RecursionError:
                    self.found.nested.append(path)
        bases = Bases(self._templates, self.definitions)
        rows = [replace(row, bases=bases.of(row.path)) for row in self.found.rows]
        self.found.rows = [*rows, *inherited(rows, bases), *exported(rows, self._exported)]
        self.found.unknown = bases.unknown
        return self.found

    def _function(self, path: str, function: "Node") -> None:
        scope = _scope(function)
        body = function.child_by_field_name("body")
        if scope is None or body is None:
            return
        scope.alternatives = _alternatives(body)
        scope.file = path
        for node in descend(body):
            if node.type == "declaration":
                self._declared(node, scope)
            elif node.type == "call_expression":
                self._called(node, scope)
            elif node.type == "assignment_expression":
                self._assigned(node, scope)

    def _declared(self, node: "Node", scope: _Scope) -> None:
        """Take `auto sub = m.def_submodule("x")` and `py::class_<T> c(m, "C")`."""
        scope.variables.update(name for name, _, _ in declared_names(node))
        declarator = node.child_by_field_name("declarator")
        if declarator is None or declarator.type != "init_declarator":
            return
        name = text(declarator.child_by_field_name("declarator"))
        value = declarator.child_by_field_name("value")
        if value is None:
            return
        if value.type == "argument_list":
            path = self._class(text(node.child_by_field_name("type")), value.named_children, scope)
        else:
            path = self._path(value, scope)
        if path is not None:
            scope.names[name] = path

    def _path(self, node: "Node", scope: _Scope) -> str | None:
        """Return the path of the module or class that an expression stands for."""
        chain: list[Node] = []
        here: Node | None = node
        while here is not None and here.id not in scope.paths and _base(here) is not None:
            chain.append(here)
            here = _base(here)
        path = self._start(here, scope) if here is not None else None
        for call in reversed(chain):  # a chain has thousands of calls, and each is asked about
            path = scope.paths[call.id] = self._step(path, call)
        return path

    def _start(self, node: "Node", scope: _Scope) -> str | None:
        """Return the path of what a chain of calls begins with."""
        if node.id in scope.paths:
            return scope.paths[node.id]
        if node.type == "identifier":
            return scope.names.get(text(node))
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        if callee is None or callee.type == "field_expression":
            return None
        return self._class(text(callee), arguments(node), scope)

    def _step(self, path: str | None, node: "Node") -> str | None:
        """Return the path of what one call of a chain gives back."""
        callee = node.child_by_field_name("function")
        if (
            path is not None
            and callee is not None
            and text(callee.child_by_field_name("field")) == "def_submodule"
        ):
            name = string(next(iter(arguments(node)), None))
            return _join(path, name) if name is not None else None
        return path

    def _class(self, what: str, given: list["Node"], scope: _Scope) -> str | None:
        head = what.partition("<")[0].rpartition("::")[2].strip()
        if head not in {"class_", "enum_"} or len(given) < 2:  # noqa: PLR2004 - scope and name
            return None
        base, name = self._path(given[0], scope), string(given[1])
        if base is None or name is None:
            return None
        path = _join(base, name)
        if path not in scope.classes:
            scope.classes.add(path)
            self._templates.setdefault(path, template(what))
            kind = "enum" if head == "enum_" else "class"
            self.found.rows.append(Registered(path=path, kind=kind))
        return path

    def _called(self, node: "Node", scope: _Scope) -> None:
        callee = node.child_by_field_name("function")
        if callee is None:
            return
        if callee.type != "field_expression":
            self._class(text(callee), arguments(node), scope)
            return
        how, given = text(callee.child_by_field_name("field")), arguments(node)
        base = callee.child_by_field_name("argument")
        name = string(given[0]) if given else None
        if scope.library and how == "def":
            self._schema(name, given, scope)
            return
        path = self._path(base, scope) if base is not None else None
        if path is None:
            return
        if how == "def_submodule" and name is not None:
            self.found.rows.append(Registered(path=_join(path, name), kind="module"))
        elif path in scope.classes and how == "export_values":
            self._exported.add(path)
        elif path in scope.classes:
            row = self._member(path, how, name, given, scope)
            if row is not None:
                alternative = _is_in(scope.alternatives, node)
                self.found.rows.append(replace(row, alternative=alternative))
        elif how == "def" and name is not None and len(given) > 1:
            what = bound(given[1:], self._near(scope))
            row = _row(_join(path, name), "function", what)
            self.found.rows.append(replace(row, alternative=_is_in(scope.alternatives, node)))

    def _member(
        self, owner: str, how: str, name: str | None, given: list["Node"], scope: _Scope
    ) -> Registered | None:
        """Return the row of what a class or an enum gets by one call in its chain."""
        if name is None:
            made = initialised(given) if how == "def" else None
            row = Registered(path=f"{owner}.__init__", kind="init", parameters=made)
            return row if made is not None else None
        path = _join(owner, name)
        if how == "value":
            return Registered(path=path, kind="member", value=self._value(owner, given))
        if how in _FIELDS:
            traits = ("settable",) if how in _SETTABLE else ()
            return Registered(path=path, kind="property", traits=traits)
        if how in {"def", _STATIC} and len(given) > 1:
            what = bound(given[1:], self._near(scope), method=how == "def")
            row = _row(path, "method", what)
            return replace(row, traits=("static",) if how == _STATIC else ())
        return None

    def _near(self, scope: _Scope) -> Near:
        return Near(definitions=self.definitions, path=scope.file, hidden=scope.variables)

    def _value(self, owner: str, given: list["Node"]) -> str:
        """Return the number of an enum's member; "" where the text does not tell it."""
        kind = next(iter(self._templates[owner]), "")
        if len(given) < 2:  # noqa: PLR2004 - its name and its value
            return ""
        number = number_of(given[1], self.definitions.enumerators(last(kind)))
        return "" if number is None else str(number)

    def _schema(self, name: str | None, given: list["Node"], scope: _Scope) -> None:
        if name is not None and "(" in name:
            self.found.schemas.append((scope.library, name))
        elif name is not None and len(given) > 1:
            target = text(given[1]).lstrip("&")
            defined = self.definitions.of(target, near=scope.file)
            if defined is not None:
                words = [f"{_torch_type(p.type)} _{i}" for i, p in enumerate(defined.parameters)]
                self.found.schemas.append((scope.library, f"{name}({', '.join(words)}) -> ()"))

    def _assigned(self, node: "Node", scope: _Scope) -> None:
        """Take `m.attr("alias") = m.attr("name")`."""
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        alias, name = _attribute(left), _attribute(right)
        base = _owner(left)
        path = self._path(base, scope) if base is not None else None
        if alias is not None and name is None and path is not None and right is not None:
            self.found.rows.append(
                Registered(path=_join(path, alias), kind="constant", value=python_default(right))
            )
        if alias is not None and name is not None and path is not None:
            self.found.rows.append(
                Registered(path=_join(path, alias), kind="alias", alias=_join(path, name))
            )


def _scope(function: "Node") -> _Scope | None:
    """Return what the parameters of a function name, if it can register anything."""
    declarator = declarator_of(function)
    if declarator is None:
        return None
    listed = declarator.child_by_field_name("parameters")
    given = [text(c) for c in listed.named_children] if listed is not None else []
    name = text(declarator.child_by_field_name("declarator"))
    if name == _MODULE and len(given) > 1:
        return _Scope(names={given[1]: ""})
    if name.startswith(_LIBRARY) and len(given) > 1:
        return _Scope(library=given[0])
    names = {}
    for parameter in listed.named_children if listed is not None else []:
        kind = text(parameter.child_by_field_name("type")).rpartition("::")[2]
        if kind in {"module_", "module"}:
            names[text(parameter.child_by_field_name("declarator")).lstrip("&* ")] = ""
    return _Scope(names=names) if names else None


def _row(path: str, kind: str, what: Bound) -> Registered:
    return Registered(
        path=path,
        kind=kind,
        target=what.target,
        parameters=what.parameters,
        returns=what.returns,
    )


def _attribute(node: "Node | None") -> str | None:
    if node is None or node.type != "call_expression":
        return None
    callee = node.child_by_field_name("function")
    if callee is None or text(callee.child_by_field_name("field")) != "attr":
        return None
    return string(next(iter(arguments(node)), None))


def _owner(node: "Node | None") -> "Node | None":
    callee = node.child_by_field_name("function") if node is not None else None
    return callee.child_by_field_name("argument") if callee is not None else None


def _base(node: "Node") -> "Node | None":
    """Return the `x` of a call `x.f()`; None for another node."""
    callee = node.child_by_field_name("function") if node.type == "call_expression" else None
    if callee is None or callee.type != "field_expression":
        return None
    return callee.child_by_field_name("argument")


def _alternatives(body: "Node") -> list[tuple[int, int]]:
    """Return the bytes of every #else and #elif, those inside another left out."""
    found: list[tuple[int, int]] = []
    for node in descend(body):
        inside = found and node.start_byte < found[-1][1]
        if node.type in {"preproc_else", "preproc_elif"} and not inside:
            found.append((node.start_byte, node.end_byte))
    return found


def _is_in(ranges: list[tuple[int, int]], node: "Node") -> bool:
    index = bisect.bisect_right(ranges, node.start_byte, key=lambda each: each[0]) - 1
    return index >= 0 and node.start_byte < ranges[index][1]


def _join(base: str, name: str) -> str:
    return f"{base}.{name}" if base else name


def _torch_type(python: str) -> str:
    return {
        "torch.Tensor": "Tensor",
        "bool": "bool",
        "int": "int",
        "float": "float",
        "str": "str",
    }.get(python, "Any")
