"""What an expression of the host may stand for, as far as it can be told without running it."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dgpin.api.host.listing import VENDORS
from dgpin.api.host.module import Scope
from dgpin.api.uses import Target
from dgpin.verdict import Place

LIBRARY = "deep_gemm"
EXTENSION = "deep_gemm_cpp"  # the extension's own name, until v2.1


@dataclass(frozen=True, slots=True)
class Api:
    """A name of the API, or a chain of names of which the first that is there is used."""

    targets: tuple[Target, ...]

    @property
    def path(self) -> str:
        """The path that is tried first."""
        return self.targets[0].path

    def or_else(self, *, replaced: bool) -> "Api":
        """Return it as what is used only where it is there: else None, or what replaces it."""
        *others, last = self.targets
        return Api((*others, replace(last, optional=True, replaced=replaced)))

    def or_none(self) -> "Api":
        """Return it without what replaces it."""
        return self.or_else(replaced=False) if self.targets[-1].replaced else self


@dataclass(frozen=True, slots=True)
class Nothing:
    """None."""


@dataclass(frozen=True, slots=True)
class Text:
    """A known string."""

    text: str


@dataclass(frozen=True, slots=True)
class Dotted:
    """A module, of the host or not, or a name in one that is not the host's."""

    path: str


@dataclass(frozen=True, slots=True)
class Callable:
    """A function or lambda of the host; `bound` when its first parameter is already given."""

    scope: Scope
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the host."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the host."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Partial:
    """A call that is begun: `functools.partial(f, …)`."""

    target: "Value"
    call: ast.Call
    scope: Scope


@dataclass(frozen=True, slots=True)
class SignatureOf:
    """What `inspect.signature` gives, or (`parameters`) the parameters in it."""

    of: Api
    parameters: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A list, tuple, set or dict as it is written."""

    node: ast.expr
    scope: Scope
    frame: "Frame | None" = None


@dataclass(frozen=True, slots=True)
class Pack:
    """Values side by side, each with its alternatives."""

    items: tuple["Values", ...]


@dataclass(frozen=True, slots=True)
class Double:
    """A stand-in whose attributes are the keywords of a call: `SimpleNamespace(f=…)`."""

    call: ast.Call
    scope: Scope


Value = (
    Api
    | Nothing
    | Text
    | Dotted
    | Callable
    | Class
    | Instance
    | Partial
    | SignatureOf
    | Literal
    | Pack
    | Double
)
Values = tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """What a call hands to a parameter; `packed` when it is all that is left for `*rest`."""

    nodes: tuple[ast.expr, ...]
    scope: Scope
    frame: "Frame | None"
    packed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One call of a host function: what it hands on, and where it is called."""

    scope: Scope
    arguments: Mapping[str, Argument]
    place: Place
    outer: "Frame | None" = None

    @property
    def depth(self) -> int:
        """How many calls deep it is."""
        return 1 + (self.outer.depth if self.outer is not None else 0)


def library(dotted: str) -> str | None:
    """Return the path in the API of a dotted name: the vendored copy's prefix is dropped."""
    if LIBRARY not in dotted:
        return None
    parts = dotted.split(".")
    if parts[0] in {LIBRARY, EXTENSION}:
        return dotted
    if parts[:2] == ["torch", "ops"] and len(parts) > 2 and LIBRARY in parts[2]:  # noqa: PLR2004 - torch.ops.NAMESPACE
        return dotted
    for index in range(1, len(parts)):
        if parts[index] == LIBRARY and parts[index - 1] in VENDORS:
            return ".".join(parts[index:])
    return None


def unique(values: list[Value]) -> Values:
    """Return the values without repetitions, in order."""
    return tuple(dict.fromkeys(values))
