"""Trials: a change becomes a piece of host code that both builds are asked to take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dgpin.api import calls, spelling
from dgpin.api.calls import Call
from dgpin.api.change import Change
from dgpin.api.signature import Parameter, Signature
from dgpin.api.surface import Binding, Kind, Surface, Symbol

_LOOKED_UP = frozenset(
    {
        "symbol-removed",
        "symbol-renamed",
        "alias-removed",
        "symbol-moved",
        "module-removed",
        "class-member-removed",
        "enum-member-removed",
        "constant-removed",
    }
)
# What is asked, and how a host would write it; {} is the path, {parameter} what it is about.
_ASKED = {
    "kind-changed": ("kind", "{path}"),
    "base-removed": ("base", "issubclass({path}, {parameter})"),
    "calling-changed": ("calling", "{path}"),
    "property-read-only": ("settable", "{path}.fset"),
}
# Conversions of pybind11 that ask their argument something before they refuse it.
_ASKING = ("torch.Tensor", "tuple[", "int", "float", "bool", "Sequence[", "list[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a trial: how it is written, and what value stands in for it."""

    label: str
    value: Any = "none"

    def to_json(self) -> dict[str, Any]:
        """Return the argument as JSON values."""
        return {"label": self.label, "value": self.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One piece of host code. `landings` are what arguments by place are taken as in A and B."""

    how: str
    path: str
    code: str
    args: tuple[Argument, ...] = ()
    kwargs: Mapping[str, Argument] = field(default_factory=dict)
    method: bool = False
    base: str = ""
    landings: tuple[str, str] = ("", "")

    @property
    def is_lookup(self) -> bool:
        """Whether it asks for a name alone."""
        return self.how in {"see", "attribute"}

    def to_json(self, surface: Surface) -> dict[str, Any]:
        """Return the trial as the script takes it, for the binding that one side has."""
        symbol = surface.by_path.get(self.path)
        how = self.how
        if how == "call":
            how = symbol.binding.value if symbol is not None else Binding.PYTHON.value
        return {
            "how": how,
            "path": self.path,
            "op": symbol.canonical if symbol is not None else "",
            "args": [a.to_json() for a in self.args],
            "kwargs": {name: a.to_json() for name, a in self.kwargs.items()},
            "method": self.method,
            "base": self.base,
        }


def plan(change: Change, a: Surface, b: Surface) -> Trial | str:
    """Return what to try for a change, or why nothing can be."""
    path = change.path
    if change.rule in _LOOKED_UP:
        # What a constructor sets cannot be reached without running it.
        how = "attribute" if a.by_path[path].kind is Kind.ATTRIBUTE else "see"
        return Trial(how=how, path=path, code=path)
    if change.rule in _ASKED:
        how, form = _ASKED[change.rule]
        code = form.format(path=path, parameter=change.parameter)
        return Trial(how=how, path=path, code=code, base=change.parameter)
    old, new = a.by_path[path], b.by_path[path]
    if not old.signatures or not new.signatures:
        return "its signature could not be read on both sides"
    call = calls.smallest(change.rule, change.parameter, old, new)
    return call if isinstance(call, str) else _armed(call, old, new)


def _armed(call: Call, old: Symbol, new: Symbol) -> Trial | str:
    """Return the trial of a call; under pybind11 one argument is such that nothing can run."""
    passed = [*call.by_place, *call.by_name]
    values = {p.name: calls.stand_in(p.type) for p in passed}
    if call.narrowed:
        values[call.narrowed] = call.value
    if Binding.PYBIND11 in {old.binding, new.binding}:
        refused = _refused(call, passed)
        if refused is None:
            return "no argument of it can be refused safely: a call that matches would run"
        values[refused.name] = "poison"
    shown = {call.narrowed: call.shown}
    args = [Argument(label=shown.get(p.name, p.name), value=values[p.name]) for p in call.by_place]
    args += [Argument(label=f"more{i + 1}") for i in range(call.extra)]
    kwargs = {
        p.name: Argument(label=p.default or p.name, value=values[p.name]) for p in call.by_name
    }
    words = [a.label for a in args] + [f"{name}={a.label}" for name, a in kwargs.items()]
    method = old.kind is Kind.METHOD
    callee = f"{old.parent.rpartition('.')[2].lower()}.{old.name}" if method else old.path
    return Trial(
        how="call",
        path=old.path,
        code=f"{callee}({', '.join(words)})",
        args=tuple(args),
        kwargs=kwargs,
        method=method and not {"static", "classmethod"} & set(old.traits),
        landings=tuple(_landing(call.by_place, s.signatures[0]) for s in (old, new)),  # type: ignore[arg-type]
    )


def _refused(call: Call, passed: list[Parameter]) -> Parameter | None:
    """Return the first parameter whose conversion asks its argument something.

    Conversions run in order and stop at the first that fails, so the one that tells must come
    after the one whose type is in question.
    """
    order = [p.name for p in call.signature.parameters]
    after = order.index(call.narrowed) + 1 if call.narrowed else 0
    asking = [
        p
        for p in passed
        if p.name in order[after:] and any(t in spelling.type_of(p.type) for t in _ASKING)
    ]
    return min(asking, key=lambda p: order.index(p.name), default=None)


def _landing(passed: tuple[Parameter, ...], signature: Signature) -> str:
    """Return which arguments by place are taken as something else than their own name."""
    pairs = zip(passed, signature.positional, strict=False)
    return ", ".join(f"{p.name} as `{q.name}`" for p, q in pairs if p.name != q.name)
