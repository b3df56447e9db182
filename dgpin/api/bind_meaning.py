"""Two calls that both bind: do the arguments still mean the same?"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dgpin.api import spelling
from dgpin.api.bind import Bound
from dgpin.api.passing import accepts
from dgpin.api.signature import VARIADIC, Parameter
from dgpin.api.surface import Binding


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """What is different; `refused` when the binding notices by the types."""

    text: str
    refused: bool = False


def differences(a: Bound, b: Bound, binding: Binding) -> Iterator[tuple[str, Why]]:
    """Yield the parameters of A whose argument, or default, means something else in B."""
    yield from _shifted(a, b, binding)
    yield from _defaults(a, b)


def _shifted(a: Bound, b: Bound, binding: Binding) -> Iterator[tuple[str, Why]]:
    ours = {p.name for p in a.signature.parameters}
    theirs = {p.name for p in b.signature.parameters}
    for index, (old, new) in enumerate(zip(a.places, b.places, strict=False)):
        if old.name == new.name or _is_unnamed(old, index) or _is_unnamed(new, index):
            continue
        if old.name not in theirs and new.name not in ours:
            continue  # another name at the same place
        text = f"argument {index + 1} was `{old.name}` and is taken as `{new.name}`"
        refused = binding is not Binding.PYTHON and not accepts(new.type, old.type)
        yield old.name, Why(text=text, refused=refused)
        return  # the later ones are shifted with it


def _defaults(a: Bound, b: Bound) -> Iterator[tuple[str, Why]]:
    theirs = {p.name: p for p in b.signature.parameters}
    for old in a.signature.parameters:
        new = theirs.get(old.name)
        if new is None or old.kind in VARIADIC or old.name in a.arguments:
            continue
        if new.name in b.arguments or old.default is None or new.default is None:
            continue
        if "<" in old.default + new.default:
            continue  # an object's text is not its value
        before, after = (spelling.default_of(p.default or "") for p in (old, new))
        if before != after and not _is_same_number(before, after):
            text = f"`{old.name}` is left out, and its default was {before}, now {after}"
            yield old.name, Why(text=text)


def _is_same_number(before: str, after: str) -> bool:
    """Whether two texts are one number: `1` and `1.0`, `False` and `0`."""
    if not (spelling.is_literal(before) and spelling.is_literal(after)):
        return False
    one, other = ast.literal_eval(before), ast.literal_eval(after)
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and one == other


def _is_unnamed(parameter: Parameter, index: int) -> bool:
    return parameter.name == f"arg{index}"
