"""The words in which every command answers."""

from dataclasses import dataclass
from enum import Enum


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


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file; lines count from 1, 0 means the file as a whole."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One verdict: which rule, what was found, where, and what to do now."""

    rule: str
    verdict: Verdict
    message: str
    places: tuple[Place, ...] = ()
    hint: str = ""
