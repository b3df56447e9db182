"""Run a small host against an API that a surface describes, in this process."""

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from unittest import mock

from dgpin.api.signature import Parameter, ParameterKind, Signature
from dgpin.api.surface import Kind, Surface, Symbol

_KINDS = {
    ParameterKind.POSITIONAL_OR_KEYWORD: inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ParameterKind.KEYWORD_ONLY: inspect.Parameter.KEYWORD_ONLY,
    ParameterKind.VAR_KEYWORD: inspect.Parameter.VAR_KEYWORD,
}
# Named otherwise in B, and the same thing.
_SAME = {"m_indices": "layout", "grouped_layout": "layout", "old_name": "new_name"}
Outcome = tuple[str, object]  # the exception's name or "", and what `run` gave


def outcome(text: str, surface: Surface) -> Outcome:
    """Return what a host's `run()` gives, or the exception of its import or its run."""
    module = api(surface)
    scope: dict[str, object] = {"__name__": "host"}
    with mock.patch.dict(sys.modules, {"deep_gemm": module}):
        try:
            exec(compile(text, "host.py", "exec"), scope)
            run = scope["run"]
            assert callable(run)
            return "", run()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            return type(error).__name__, None


def api(surface: Surface) -> ModuleType:
    """Return a module with the functions of a surface; they give the arguments that they got."""
    module = ModuleType("deep_gemm")
    module.__dict__["__version__"] = surface.build.label
    for symbol in surface.symbols:
        _, _, name = symbol.path.partition("deep_gemm.")
        if symbol.kind is Kind.FUNCTION and "." not in name:
            module.__dict__[name] = _function(name, symbol)
    return module


def _function(name: str, symbol: Symbol) -> Callable[..., object]:
    signature = _signature(symbol.signatures[0])

    def call(*args: object, **kwargs: object) -> object:
        bound = signature.bind(*args, **kwargs)
        given = {_SAME.get(key, key): value for key, value in bound.arguments.items()}
        defaults = {p.name: p.default for p in signature.parameters.values() if p.name == "mode"}
        return _SAME.get(name, name), {**defaults, **given}

    call.__dict__["__signature__"] = signature
    return call


def _signature(signature: Signature) -> inspect.Signature:
    return inspect.Signature([_parameter(p) for p in signature.parameters])


def _parameter(parameter: Parameter) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.default is None else parameter.default
    return inspect.Parameter(parameter.name, _KINDS[parameter.kind], default=default)
