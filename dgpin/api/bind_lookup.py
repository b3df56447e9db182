"""Is a name that a host uses there in a build?"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dgpin.api import bind
from dgpin.api.surface import PACKAGE, Binding, Kind, Surface, Symbol
from dgpin.api.uses import Arguments, Attempt, Form, Guard, Scan, Target, Use

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
    if path is None or path == f"{PACKAGE}.__version__":
        return Unclear(path=target.path)
    symbol = surface.by_path.get(path)
    if symbol is not None or path == PACKAGE:
        return There(symbol=symbol, target=target)
    reason = surface.is_unreadable(path) or _unread_extension(surface)
    return Unclear(path=path, reason=reason) if reason else _absent(surface, path)


def _absent(surface: Surface, path: str) -> Missing | Unclear:
    """Return whether a surface speaks of such names at all, so that this one is missing."""
    parent, _, name = path.rpartition(".")
    hidden = name.startswith("_") and not name.startswith("_C")
    if name in _FOREIGN or hidden or not parent:
        return Unclear(path=path)
    holder = surface.by_path.get(parent)
    if holder is None and parent != PACKAGE:
        above = _absent(surface, parent)
        return Missing(path=path, module=True) if isinstance(above, Missing) else above
    if holder is None or holder.kind is Kind.MODULE:
        return Missing(path=path)
    foreign = any(t.startswith("base:") and PACKAGE not in t for t in holder.traits)
    known = holder.kind in {Kind.CLASS, Kind.ENUM} and not foreign
    return Missing(path=path) if known else Unclear(path=path)


def _unread_extension(surface: Surface) -> str:
    """Return why the compiled half could not be read: then any name may come from there."""
    for item in surface.unreadable:
        if item.path.rpartition(".")[2].startswith("_C"):
            return f"{item.path}: {item.reason}"
    return ""


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
    """The questions that a host asks about names and parameters, and what it tries."""

    def __init__(self, scan: Scan) -> None:
        self._by_file: dict[str, list[Use]] = {}
        for use in scan.uses:
            if use.is_use:
                self._by_file.setdefault(use.place.path, []).append(use)
        self._replaced: dict[tuple[str, str], set[str]] = {}
        for use in scan.uses:
            if use.form is Form.PATCH and use.function:
                where = (use.place.path, use.function)
                self._replaced.setdefault(where, set()).add(use.path)
        self._by_class = {
            (use.place.path, _class(use), target.path, use.parameter)
            for use in scan.uses
            if use.form in {Form.HASATTR, Form.PARAMETER}
            for target in use.targets
        }

    def before(self, use: Use, path: str, parameter: str = "") -> bool:
        """Whether the host asks for a name, or a parameter of it, before it uses it.

        A class may ask in one method and keep the answer for another.
        """
        if any((g.path, g.parameter, g.absent) == (path, parameter, False) for g in use.guards):
            return True
        where = (use.place.path, _class(use))
        return bool(where[1]) and (*where, path, parameter) in self._by_class

    def is_reached(self, surface: Surface, use: Use, *, other: Surface | None = None) -> bool:
        """Whether a use may be reached in a build: by the answers to the questions before it, and
        by what is tried before it. `other` is the build on the far side of a move.

        What the host does instead, when the very name it uses is not there, is a matter of its own.
        """
        if self._is_replaced(use):
            return False
        own = {target.path for target in use.targets}
        if any(
            _answer(surface, guard) is guard.absent
            for guard in use.guards
            if guard.absent or guard.parameter or guard.path not in own
        ):
            return False
        return all(self._may_fail(surface, attempt, other) for attempt in use.attempts)

    def _is_replaced(self, use: Use) -> bool:
        """Whether the function of a use has put something else in the place of what it reaches."""
        names = self._replaced.get((use.place.path, use.function), ())
        if not names or use.form in {Form.PATCH, Form.FAKE}:
            return False
        return any(use.path == name or use.path.startswith(f"{name}.") for name in names)

    def _may_fail(self, surface: Surface, attempt: Attempt, other: Surface | None) -> bool:
        """Whether something of the API in a `try` may raise what its handler takes."""
        path, first_line = attempt.place.path, attempt.place.line
        tried = [
            use
            for use in self._by_file.get(path, ())
            if first_line <= use.place.line <= attempt.end_line and not use.is_fallback
        ]
        if not tried or any(_may_raise(surface, use, attempt) for use in tried):
            return True
        if not attempt.is_wide or not any(use.form is Form.CALL for use in tried):
            return False
        # A kernel may fail at any time; but a `try` that does not fit one of two builds is there
        # for the other.
        return other is None or not any(_may_raise(other, use, attempt) for use in tried)


def for_version(use: Use) -> Guard | None:
    """Return the question for the library's version that decides whether a use is reached, or
    what it passes."""
    passed = use.arguments.keywords if use.arguments is not None else ()
    asked = (*use.guards, *(guard for keyword in passed for guard in keyword.guards))
    return next((g for g in asked if g.path == f"{PACKAGE}.__version__"), None)


def passed(surface: Surface, arguments: Arguments) -> Arguments:
    """Return what a call passes in a build: without what is passed only where another answers."""
    if all(keyword.certain for keyword in arguments.keywords):
        return arguments
    kept = [
        keyword
        for keyword in arguments.keywords
        if not any(_answer(surface, guard) is guard.absent for guard in keyword.guards)
    ]
    return replace(arguments, keywords=tuple(kept))


def _may_raise(surface: Surface, use: Use, attempt: Attempt) -> bool:
    """Whether a use may raise what a `try` waits for because it does not fit a build."""
    found = first(surface, use.targets)
    if isinstance(found, Unclear):
        return True
    raised: set[str] = set()
    if isinstance(found, Missing):
        imports = use.form in {Form.IMPORT, Form.DYNAMIC_IMPORT}
        raised = {"ImportError", "ModuleNotFoundError"} if imports else {"AttributeError"}
        if use.targets[-1].optional:
            raised = {"TypeError"}  # None is called
    elif use.form is Form.CALL:
        if found.symbol is None or use.arguments is None:
            return True
        answer = bind.call(found.symbol, passed(surface, use.arguments))
        if isinstance(answer, bind.Untold):
            return True
        raised = {answer.exception} if isinstance(answer, bind.Refused) else set()
    wide = {"Exception", "BaseException"} if raised else set()
    return not (raised | wide).isdisjoint(attempt.exceptions)


def _answer(surface: Surface, guard: Guard) -> bool | None:
    """Return whether what a guard asks for is there; None when that is not known."""
    found = find(surface, Target(path=guard.path, place=guard.place))
    if not isinstance(found, There) or not guard.parameter:
        return {There: True, Missing: False}.get(type(found))
    return shows(found.symbol, guard.parameter)


def shows(symbol: Symbol | None, parameter: str) -> bool | None:
    """Return whether `inspect.signature` shows a parameter; None when that is not known."""
    if symbol is None or not symbol.signatures:
        return None
    if symbol.binding is not Binding.PYTHON:
        return False
    return any(p.name == parameter for p in symbol.signatures[0].parameters)


def _class(use: Use) -> str:
    return use.function.rpartition(".")[0]
