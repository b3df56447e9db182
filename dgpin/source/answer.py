"""An answer of git's that dgpin cannot read: a damaged mirror, or a git of another kind."""

from dgpin.errors import UnavailableError

_SHOWN = 80  # characters


class AnswerError(UnavailableError):
    """Git said something other than what it was asked for."""

    hint = "Delete the mirror in dgpin's cache, and see which `git` is on PATH."

    def __init__(self, about: str, line: str) -> None:
        super().__init__(f"git's answer about {about} cannot be read: {line[:_SHOWN]!r}")
