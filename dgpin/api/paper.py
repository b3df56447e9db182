"""Bind calls by signatures that were read as text, where no build can be asked."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from dgpin.api.signature import Signature
from dgpin.api.surface import Surface, Symbol

_KINDS = {
    kind.name: kind
    for kind in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.VAR_KEYWORD,
    )
}
_UNTRIED = {"raises": "LookupError: its text was read, and only a build could answer"}


def attempt(surface: Surface, trials: Sequence[dict[str, Any]]) -> Sequence[Mapping[str, str]]:
    """Return the outcome of each trial, as far as names and places decide it."""
    return [_one(surface, trial) for trial in trials]


def _one(surface: Surface, trial: Mapping[str, Any]) -> Mapping[str, str]:
    symbol = surface.by_path.get(str(trial["path"]))
    if trial["how"] in {"see", "attribute"}:
        return {"ok": "is there"} if symbol else {"raises": "AttributeError: it is not there"}
    if trial["how"] not in {"python", "pybind11", "torch"} or symbol is None:
        return _UNTRIED
    return _bound(symbol, trial)


def _bound(symbol: Symbol, trial: Mapping[str, Any]) -> Mapping[str, str]:
    args = [item["label"] for item in trial["args"]]
    kwargs = {name: item["label"] for name, item in trial["kwargs"].items()}
    kind = "RuntimeError" if trial["how"] == "torch" else "TypeError"
    errors = [_error(signature, args, kwargs) for signature in symbol.signatures]
    if not errors:
        return _UNTRIED
    if "" in errors:
        return {"ok": "binds, by its text"}
    return {"raises": f"{kind}: {errors[0]}, by its text"}


def _error(signature: Signature, args: Sequence[str], kwargs: Mapping[str, str]) -> str:
    """Return why a call does not bind; "" when it does."""
    try:
        parameters = [
            inspect.Parameter(
                p.name,
                _KINDS[p.kind.name],
                default=inspect.Parameter.empty if p.default is None else p.default,
            )
            for p in signature.parameters
        ]
        # Not validated: pybind11 may have a default before a parameter without one.
        python = inspect.Signature(parameters, __validate_parameters__=False)
        python.bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""
