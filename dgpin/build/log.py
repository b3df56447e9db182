"""A compiler's log, read: the first error is what counts, the others follow from it."""

import re
from dataclasses import dataclass

_ERROR = re.compile(
    r"(?:^|\s)(?:fatal )?error: |^\S*ld(?:\.\w+)?: (?!warning: )|undefined reference to |error: ld"
)
_INCLUDED = re.compile(r"^(?:In file included from |\s+from )")
_END = re.compile(r"compilation terminated|ninja: |FAILED: |Traceback |make(?:\[\d+\])?: ")
_CONTEXT = 8  # lines after an error: the source line, the caret, notes

# What a compiler prints when the machine, not the source, is at fault.
_MACHINE = (
    (re.compile(r"No space left on device", re.IGNORECASE), "the disk is full"),
    (
        re.compile(r"^ccache: error: ", re.MULTILINE),
        "ccache does not work",
    ),
    (
        re.compile(
            r"Killed signal terminated program|unable to execute command: Killed"
            r"|out of memory|virtual memory exhausted",
            re.IGNORECASE,
        ),
        "the compiler ran out of memory",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """The first error with its lines of context, and how many more errors the log has.

    `machine` says what went wrong with the machine instead, empty when it is the source's error.
    """

    first: tuple[str, ...]
    more: int
    machine: str = ""

    @property
    def headline(self) -> str:
        """The line that names the error."""
        return next((line for line in self.first if _ERROR.search(line)), "").strip() or (
            self.first[-1].strip() if self.first else "the compiler said nothing"
        )


def digest(text: str) -> Digest:
    """Return the first error of a log; its last lines where nothing looks like one."""
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("$ ")]
    machine = next((what for pattern, what in _MACHINE if pattern.search(text)), "")
    errors = [number for number, line in enumerate(lines) if _ERROR.search(line)]
    if not errors:
        return Digest(first=tuple(lines[-_CONTEXT:]), more=0, machine=machine)
    start = errors[0]
    while start > 0 and _INCLUDED.match(lines[start - 1]):
        start -= 1
    end = errors[0] + 1
    stop = errors[1] if len(errors) > 1 else len(lines)
    while end < min(stop, errors[0] + _CONTEXT) and not (
        _INCLUDED.match(lines[end]) or _END.match(lines[end])
    ):
        end += 1
    return Digest(first=tuple(lines[start:end]), more=len(errors) - 1, machine=machine)
