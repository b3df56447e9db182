"""Is a name that a host uses there in a build?"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from dgpin.api.surface import PACKAGE, Kind, Surface, Symbol
from dgpin.api.uses import Form, Scan, Target, Use

# What leaks into a package's modules without being API; reaching it is not judged.
_FOREIGN = frozenset({"torch", "triton", "numpy", "np", "tvm_ffi"}) | sys.stdlib_module_names


@dataclass(frozen=True, slots=True, kw_only=True)
class There:
    """The name is there; `symbol` is None for the package itself."""

    symbol: Symbol | None
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """The name is not there; `module` when what is missing is the module that would hold it."""

    path: str
    module: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """It cannot be told; `reason` is "" where a surface does not speak of such names at all."""

    path: str
    reason: str = ""


Found = There | Missing | Unclear


def find(surface: Surface, target: Target) -> Found:
    """Return whether a target is there."""
    path = _resolved(surface, target.path)
    if path is None:
        return Unclear(path=target.path)
    if path == PACKAGE:
        return There(symbol=None, target=target)
    symbol = surface.by_path.get(path)
    if symbol is not None:
        return There(symbol=symbol, target=target)
    if reason := surface.is_unreadable(path):
        return Unclear(path=path, reason=reason)
    return _absent(surface, path)


def _absent(surface: Surface, path: str) -> Found:
    parent, _, name = path.rpartition(".")
    if name in _FOREIGN or (name.startswith("_") and not name.startswith("_C")):
        return Unclear(path=path)
    if not parent:
        return Unclear(path=path)
    holder = surface.by_path.get(parent)
    if holder is None and parent != PACKAGE:
        above = _absent(surface, parent)
        return Missing(path=path, module=True) if isinstance(above, Missing) else above
    if holder is None or holder.kind is Kind.MODULE:
        return Missing(path=path)
    if holder.kind in {Kind.CLASS, Kind.ENUM}:
        foreign = any(t.startswith("base:") and PACKAGE not in t for t in holder.traits)
        return Unclear(path=path) if foreign else Missing(path=path)
    return Unclear(path=path)


def _resolved(surface: Surface, path: str) -> str | None:
    """Return the path with the results of calls resolved to the classes that they are of."""
    head, called, rest = path.partition("()")
    if not called:
        return path
    symbol = surface.by_path.get(head)
    if symbol is None:
        return None
    if symbol.kind is Kind.CLASS:
        return head + rest
    returns = symbol.signatures[0].returns if symbol.signatures else ""
    plain = surface.by_path.get(returns)
    if plain is not None and plain.kind is Kind.CLASS:
        return returns + rest
    return None


def first(surface: Surface, targets: Iterable[Target]) -> Found:
    """Return the first target that is there; an unclear one before it makes the answer unclear."""
    last: Found = Missing(path="")
    for target in targets:
        found = find(surface, target)
        if not isinstance(found, Missing):
            return found
        last = found if not isinstance(last, Missing) or not last.path else last
    return last


class Asked:
    """The questions that a host asks about names and parameters, class by class."""

    def __init__(self, scan: Scan) -> None:
        self._questions = {
            (use.place.path, _class(use), target.path, use.parameter)
            for use in scan.uses
            if use.form in {Form.HASATTR, Form.PARAMETER}
            for target in use.targets
        }

    def before(self, use: Use, path: str, parameter: str = "") -> bool:
        """Whether the host asks for a name, or a parameter of it, before it uses it.

        A class may ask in one method and keep the answer for another.
        """
        if any(g.path == path and g.parameter == parameter for g in use.guards):
            return True
        where = (use.place.path, _class(use))
        return bool(where[1]) and (*where, path, parameter) in self._questions


def _class(use: Use) -> str:
    return use.function.rpartition(".")[0]
