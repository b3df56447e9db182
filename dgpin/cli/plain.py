"""Texts and paths from the command line without pydantic, which takes longer than most commands.

From 0.29 on typer converts every value with pydantic, also a text, and one that was not given; to
load it doubles the time of a start.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, get_args

from typer.core import TyperArgument, TyperOption

# typer's parameter, context and converter have no public names, nor values a type.
_Theirs: TypeAlias = Any


class _Plain(NamedTuple):
    """Stands before typer's converter of one parameter, and asks for it when it is needed."""

    typers: Callable[[], _Theirs]

    def coerce(self, value: _Theirs, param: _Theirs, ctx: _Theirs) -> _Theirs:
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        annotation = param.type_descriptor.annotation
        kind = (get_args(annotation) or (annotation,))[0] if many else annotation
        items = value if many else [value]
        if kind in (str, Path) and all(isinstance(item, str) for item in items):
            made = [kind(item) for item in items]
            return made if many else made[0]
        if isinstance(kind, type) and isinstance(value, kind):
            return value  # the default: what is typed is a text
        return self.typers().coerce(value, param=param, ctx=ctx)


def take_plainly() -> None:
    """Let typer take texts and paths as they are, in this process.

    A typer that converts otherwise than 0.29 does is left as it is.
    """
    for parameter in (TyperOption, TyperArgument):
        typers = getattr(parameter, "get_runtime_param", None)
        if typers is not None and not hasattr(typers, "plain"):
            _stand_before(parameter, typers)


def _stand_before(parameter: _Theirs, typers: _Theirs) -> None:
    def get_runtime_param(self: _Theirs) -> _Plain:
        return _Plain(lambda: typers(self))

    get_runtime_param.plain = True  # type: ignore[attr-defined]
    parameter.get_runtime_param = get_runtime_param
