"""What a pybind11 class has from the classes that it is registered to derive from."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from dgpin.api.static.cpp_definitions import Definitions
from dgpin.api.static.cpp_text import template_arguments

if TYPE_CHECKING:
    from dgpin.api.static.cpp import Registered

_HOLDER = re.compile(r"(?:\w+::)*(?:\w+_ptr *<.*>|smart_holder)", re.DOTALL)
_INHERITED = frozenset({"method", "property"})


def template(what: str) -> tuple[str, ...]:
    """Return the arguments of `py::class_<…>`: the C++ type, its bases, its holder."""
    inner = what.partition("<")[2].rpartition(">")[0]
    return tuple(template_arguments(inner)) if inner else ()


def last(cpp: str) -> str:
    """Return a type's name without its namespaces."""
    return cpp.rpartition("::")[2].strip()


class Bases:
    """The bases of registered classes, by path. `templates` are their `py::class_<…>`."""

    def __init__(self, templates: Mapping[str, tuple[str, ...]], definitions: Definitions) -> None:
        # A text that does not compile may name no type.
        self.templates = {path: given for path, given in templates.items() if given}
        self.definitions = definitions
        self.unknown: list[str] = []  # classes, one of whose bases is not registered in the text
        paths: dict[str, list[str]] = {}
        for path, given in self.templates.items():
            paths.setdefault(last(given[0]), []).append(path)
        self._direct = {
            path: self._of(path, given, paths) for path, given in self.templates.items()
        }

    def _of(
        self, path: str, given: tuple[str, ...], paths: Mapping[str, Sequence[str]]
    ) -> tuple[str, ...]:
        own = last(given[0])
        found: list[str] = []
        for option in given[1:]:
            known = paths.get(last(option), ())
            exact = [each for each in known if self.templates[each][0] == option] or known
            if len(exact) == 1:
                found.append(exact[0])
            # The trampoline of a virtual class derives from it.
            elif not (_HOLDER.fullmatch(option) or self.definitions.derives(last(option), own)):
                self.unknown.append(path)
        return tuple(found)

    def of(self, path: str) -> tuple[str, ...]:
        """Return every base of a class, the nearest first."""
        found: dict[str, None] = {}
        queue = list(self._direct.get(path, ()))
        while queue:
            base = queue.pop(0)
            if base not in found and base != path:
                found[base] = None
                queue += self._direct.get(base, ())
        return tuple(found)


def inherited(rows: Sequence["Registered"], bases: Bases) -> list["Registered"]:
    """Return the members that classes have from their bases and do not define themselves."""
    members: dict[str, dict[str, list[Registered]]] = {}
    for row in rows:
        owner, _, name = row.path.rpartition(".")
        if row.kind in _INHERITED:
            members.setdefault(owner, {}).setdefault(name, []).append(row)
    found = []
    for row in rows:
        if row.kind != "class":
            continue
        known = dict(members.get(row.path, {}))
        for base in bases.of(row.path):
            for name, group in members.get(base, {}).items():
                if name not in known:
                    known[name] = group
                    found += [replace(each, path=f"{row.path}.{name}") for each in group]
    return found


def exported(rows: Sequence["Registered"], enums: AbstractSet[str]) -> list["Registered"]:
    """Return the constants that `export_values` makes of the members of enums."""
    found = []
    for row in rows:
        owner, _, name = row.path.rpartition(".")
        if row.kind == "member" and owner in enums:
            above, dot, enum = owner.rpartition(".")
            value = f"<{enum}.{name}: {row.value}>"
            found.append(replace(row, path=f"{above}{dot}{name}", kind="constant", value=value))
    return found
