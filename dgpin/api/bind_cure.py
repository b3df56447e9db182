"""The edit that would cure a use."""

from dgpin.api import spelling
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

    def call(self, path: str, parameter: str) -> str:
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
        return f"Drop `{parameter}`."

    def refused(self, path: str, a: Bound, parameters: list[str]) -> str:
        """Return what to write where A takes a call and B does not, for these parameters."""
        shifted = self._shifted(path, a)
        if shifted:
            return shifted
        changes = [self._parameters.get((path, name)) for name in parameters]
        named = {c.successor.name for c in changes if c is not None and c.successor is not None}
        left = [name for name in parameters if name not in named]
        return " ".join(self._given(path, a, name) or self.call(path, name) for name in left)

    def _shifted(self, path: str, a: Bound) -> str:
        """Return what to write where B has another parameter at the place of an argument, or no
        place for it any more; "" for nothing of the kind."""
        symbol = self._b.by_path.get(path)
        if symbol is None or len(symbol.signatures) != 1:
            return ""
        names = {p.name for p in symbol.signatures[0].parameters}
        theirs = symbol.signatures[0].positional
        for index, old in enumerate(a.places):
            new = theirs[index].name if index < len(theirs) else ""
            if old.name not in names and new in {p.name for p in a.signature.parameters}:
                return ""  # it is gone, and what follows moves up
            if old.name == new or old.name not in names:
                continue
            if not new:
                return f"Pass `{old.name}` by name."
            more = f", and `{new}`" if theirs[index].is_required and new not in a.arguments else ""
            return f"Pass `{old.name}` and what follows it by name{more}: B has `{new}` there."
        return ""

    def _given(self, path: str, a: Bound, name: str) -> str:
        """Return what to write for an argument that B takes as another type; "" for none."""
        symbol = self._b.by_path.get(path)
        every = [p for s in symbol.signatures for p in s.parameters] if symbol else []
        found = next((p for p in every if p.name == name and p.type), None)
        if found is None or name not in a.arguments:
            return ""
        kind = spelling.type_of(found.type)
        return f"Pass `{name}` as {kind}{'' if found.is_required else ', or leave it out'}."

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
