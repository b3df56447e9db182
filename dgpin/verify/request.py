"""What verify was asked for, and what the command line lends it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dgpin.verify.answer import Step

# Returns a command's whole answer as its own JSON has it; the renderers of the commands do that.
Document = Callable[[object], Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of `dgpin verify`.

    `old` and `new` are builds or directories that stand for the two sides. `documents` writes what
    a step found as JSON.
    """

    env: Mapping[str, str]
    ref: str | None = None
    repo: str | None = None
    old: str | None = None
    new: str | None = None
    python: str | None = None
    accepted: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    skipped: frozenset[Step] = frozenset()
    compile: bool = False
    offline: bool = False
    documents: Mapping[Step, Document] = field(default_factory=dict)

    def document(self, step: Step, found: object) -> Mapping[str, object] | None:
        """Return what a step found as its command's JSON has it."""
        write = self.documents.get(step)
        return write(found) if write is not None else None
