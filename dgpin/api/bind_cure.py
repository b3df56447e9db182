"""The edit that would cure a use."""

from dgpin.api.bind import Bound
from dgpin.api.change import Change, Comparison
from dgpin.api.surface import PACKAGE
from dgpin.api.uses import Form, Use


class Cures:
    """What to write instead, from what became of each name and parameter."""

    def __init__(self, comparison: Comparison) -> None:
        self._names: dict[str, Change] = {}
        self._parameters: dict[tuple[str, str], Change] = {}
        self._b = comparison.b
        for change in comparison.changes:
            for name in change.names:
                if change.parameter:
                    self._parameters[name, change.parameter] = change
                elif change.successor is not None:
                    self._names[name] = change

    def name(self, use: Use, path: str) -> str:
        """Return what to write for a name that B does not have."""
        change = self._names.get(path)
        if change is None or change.successor is None:
            return f"B has no successor of {path}: drop the use, or stay on a build that has it."
        old, new = path.rpartition(".")[2], change.successor.name.rpartition(".")[2]
        sure = "" if change.successor.confidence == 1 else " (look whether it means the same)"
        if use.form is Form.GETATTR:
            handle = _handle(use.line)
            return (
                f'Write getattr({handle}, "{new}", None) or getattr({handle}, "{old}", None): '
                f"the new name first, the old one for older builds{sure}."
            )
        if old == new:
            return f"Import it from {change.successor.name.rpartition('.')[0]}{sure}."
        return f"Use {change.successor.name.removeprefix(f'{PACKAGE}.')}{sure}."

    def call(self, use: Use, path: str, parameter: str) -> str:
        """Return what to write for an argument that B does not take, or asks for."""
        change = self._parameters.get((path, parameter))
        if change is not None and change.successor is not None:
            return f"Write {change.successor.name}= instead of {parameter}=."
        symbol = self._b.by_path.get(path)
        now = {p.name for s in symbol.signatures for p in s.parameters} if symbol else set()
        if parameter in now:
            return f"Pass `{parameter}`."
        if change is not None and "stands at its place" in change.detail:
            return f"Drop {parameter}=, or pass what took its place: {_look(change.detail)}."
        if not parameter:
            return "Pass the arguments by name, and drop those that B does not take."
        if any(h.exceptions for h in use.handlers) and use.form is Form.CALL:
            return f"Drop `{parameter}`; until then the handler runs every time."
        return f"Drop `{parameter}`."

    def meaning(self, use: Use, a: Bound, b: Bound, parameter: str) -> str:
        """Return what to write where an argument, or a default, means something else."""
        if use.arguments is not None and parameter not in a.arguments:
            old = next(p for p in a.signature.parameters if p.name == parameter)
            return f"Pass {parameter}={old.default} to keep what it was."
        if parameter in {p.name for p in b.signature.parameters}:
            return f"Pass it by name: {parameter}=."
        return f"B has no `{parameter}`: drop the argument."


def _look(detail: str) -> str:
    """Return the parameter that a comparison saw at the place of one that is gone."""
    before = detail.partition(" stands at its place")[0]
    return before.rpartition("; ")[2]


def _handle(line: str) -> str:
    """Return how the source line calls the module that it asks."""
    inside = line.partition("getattr(")[2]
    handle = inside.partition(",")[0].strip()
    return handle if handle.replace(".", "").replace("_", "").isalnum() else "deep_gemm"
