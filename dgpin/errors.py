"""Failures: each says what happened, where, and what to do now.

A finding is a value; a failure is an exception of this tree. The class owns the exit code
(see `docs/reference/exit-codes.md`), so a raise site is one line.
"""

from typing import ClassVar


class DgpinError(Exception):
    """Any failure that dgpin explains itself.

    `hint` is the cure; it is shown on a line of its own.
    """

    exit_code: ClassVar[int] = 3
    hint: str = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint


class RefusedError(DgpinError):
    """The request was understood and refused on its merits; nothing was written."""

    exit_code = 1


class UsageError(DgpinError):
    """The request or the configuration is wrong."""

    exit_code = 2


class UnavailableError(DgpinError):
    """The work could not be done or completed here: disk, lock, network, git, a missing tool."""

    exit_code = 3
