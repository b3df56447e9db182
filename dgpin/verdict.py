"""The words in which every command answers."""

from enum import Enum
from typing import NamedTuple


class Verdict(str, Enum):
    """The answer to one check.

    `unknown` is shown and is never a pass; `skip` carries its reason in the row's message.
    """

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    CRASH = "crash"
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"
    SKIP = "skip"
    UNKNOWN = "unknown"

    @property
    def is_finding(self) -> bool:
        """Whether the verdict alone makes a command exit 1."""
        return self in {Verdict.FAIL, Verdict.CRASH, Verdict.TIMEOUT}


# Named tuples, here and in every module that `check` and `show` start with: one is made in 0.15 ms,
# a frozen dataclass with slots in 1.8 (CPython 3.11), and there would be two dozen of them.
class Place(NamedTuple):
    """A line of a file; lines count from 1, 0 means the file as a whole."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Row(NamedTuple):
    """One verdict: which rule, what was found, where, and what to do now."""

    rule: str
    verdict: Verdict
    message: str
    places: tuple[Place, ...] = ()
    hint: str = ""
