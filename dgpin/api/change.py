"""Changes: what differs between two surfaces, each a row of one rule."""

import hashlib
from dataclasses import dataclass, field
from enum import Enum

from dgpin.api.surface import Surface, Unreadable


class Level(str, Enum):
    """How much a change matters to callers, most severe first."""

    BREAKING = "breaking"
    RISKY = "risky"
    COMPATIBLE = "compatible"
    ADDED = "added"


class Effect(str, Enum):
    """What a caller meets, most severe first: the quiet ones are worse than the loud ones."""

    SILENT = "silent"  # the call goes through and means something else
    GONE = "gone"  # the name is not there; getattr with a default gives the default
    REFUSED = "refused"  # the call raises
    OTHERWISE = "otherwise"  # nothing raises, something behaves differently
    NONE = "none"


class Evidence(str, Enum):
    """Why one name is said to be the new name of another, strongest first."""

    SAME_OBJECT = "one object in A"
    SAME_TARGET = "same C++ function"
    SAME_SCHEMA = "same schema"
    NAME_AND_SIGNATURE = "name and signature together"
    SAME_PLACE = "same place, same type, same default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """The name that took over, and what that rests on; `confidence` is between 0 and 1."""

    name: str
    evidence: Evidence
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The smallest piece of host code that shows a breaking change.

    `code` is the expression; `in_a` and `in_b` are what each build answered when it was tried.
    """

    code: str
    in_a: str
    in_b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference, reported once.

    `path` is the best name of what changed and `names` are all of them, `path` first; `detail`
    says what is different in one clause. `before` and `after` are signatures or values. `private`
    tells that it shows on `_C` or the raw ops only. `unwitnessed` says why there is no witness.
    """

    rule: str
    level: Level
    effect: Effect
    path: str
    names: tuple[str, ...]
    detail: str
    parameter: str = ""
    before: str = ""
    after: str = ""
    private: bool = False
    successor: Successor | None = None
    witness: Witness | None = None
    unwitnessed: str = ""

    @property
    def fingerprint(self) -> str:
        """The same for the same finding in every run: what `[allow]` and SARIF name it by."""
        text = f"{self.rule}\0{self.path}\0{self.parameter}"
        return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incomparable:
    """What could not be compared, and why; it is no finding and no all-clear."""

    what: str
    reason: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that is known about a move from A to B."""

    a: Surface
    b: Surface
    changes: tuple[Change, ...]
    incomparable: tuple[Incomparable, ...] = ()
    unreadable: tuple[tuple[str, Unreadable], ...] = field(default=())  # ("A" or "B", what)

    def at(self, level: Level, *, private: bool | None = None) -> tuple[Change, ...]:
        """Return the changes of one level, of both sections or of one."""
        return tuple(c for c in self.changes if c.level is level and private in {None, c.private})

    @property
    def breaking(self) -> tuple[Change, ...]:
        """The changes that decide: breaking ones on the public surface."""
        return self.at(Level.BREAKING, private=False)
