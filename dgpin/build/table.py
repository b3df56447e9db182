"""What a build needs, row by row: there, or missing with its package."""

from dataclasses import dataclass
from enum import Enum

from dgpin.build.cuda import Library
from dgpin.build.toolchain import Toolchain
from dgpin.verdict import Place


class Kind(str, Enum):
    """What a row of the table is about."""

    INTERPRETER = "interpreter"
    TORCH = "torch"
    TOOLKIT = "toolkit"
    COMPILER = "compiler"
    HEADER = "header"
    LIBRARY = "library"
    TOOL = "tool"
    DISK = "disk"


class Status(str, Enum):
    """Whether a build can do with what there is."""

    FOUND = "found"
    NOTE = "note"  # no obstacle, but worth a word
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One row. `package` is the distribution's, `pip` the one of pip; each may be empty."""

    kind: Kind
    name: str
    status: Status
    detail: str
    package: str = ""
    pip: str = ""
    needed_by: tuple[Place, ...] = ()


def found(kind: Kind, name: str, detail: str) -> Item:
    """Return the row of what is there."""
    return Item(kind=kind, name=name, status=Status.FOUND, detail=detail)


def note(kind: Kind, name: str, detail: str) -> Item:
    """Return the row of what is no obstacle, but worth a word."""
    return Item(kind=kind, name=name, status=Status.NOTE, detail=detail)


def missing(
    kind: Kind,
    name: str,
    detail: str,
    *,
    package: str = "",
    pip: str = "",
    needed_by: tuple[Place, ...] = (),
) -> Item:
    """Return the row of what is not there."""
    return Item(
        kind=kind,
        name=name,
        status=Status.MISSING,
        detail=detail,
        package=package,
        pip=pip,
        needed_by=needed_by,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """The table of one toolchain."""

    toolchain: Toolchain
    items: tuple[Item, ...]
    libraries: tuple[Library, ...]

    @property
    def missing(self) -> tuple[Item, ...]:
        """What keeps the build from starting."""
        return tuple(item for item in self.items if item.status is Status.MISSING)

    @property
    def packages(self) -> tuple[str, ...]:
        """The distribution's packages that cure what they can."""
        return tuple(dict.fromkeys(item.package for item in self.missing if item.package))
