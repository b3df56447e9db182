"""The only door that writes the user's tree: every edit, or none.

`docs/explanation/atomicity.md` says what that means after a crash. A command that writes works
within `locked`; a command that reads asks `pending` whether a bump was interrupted.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dgpin.files.failures import (
        ChangedError,
        ConflictError,
        OpenError,
        UnfinishedError,
        WriteError,
    )
    from dgpin.files.journal import JournalError
    from dgpin.files.location import OutsideError, UnreadableError, locate
    from dgpin.files.lock import BusyError, StateError
    from dgpin.files.reading import Interrupted, InterruptedBumpError, pending
    from dgpin.files.result import write_result
    from dgpin.files.transaction import Recovery
    from dgpin.files.tree import Edit, Tree, UnwritableError, locked

# Start-up: a command that only reads pays for none of what writing needs.
_HOMES = {
    "BusyError": "lock",
    "ChangedError": "failures",
    "ConflictError": "failures",
    "Edit": "tree",
    "Interrupted": "reading",
    "InterruptedBumpError": "reading",
    "JournalError": "journal",
    "OpenError": "failures",
    "OutsideError": "location",
    "Recovery": "transaction",
    "StateError": "lock",
    "Tree": "tree",
    "UnfinishedError": "failures",
    "UnreadableError": "location",
    "UnwritableError": "tree",
    "WriteError": "failures",
    "locate": "location",
    "locked": "tree",
    "pending": "reading",
    "write_result": "result",
}

__all__ = [
    "BusyError",
    "ChangedError",
    "ConflictError",
    "Edit",
    "Interrupted",
    "InterruptedBumpError",
    "JournalError",
    "OpenError",
    "OutsideError",
    "Recovery",
    "StateError",
    "Tree",
    "UnfinishedError",
    "UnreadableError",
    "UnwritableError",
    "WriteError",
    "locate",
    "locked",
    "pending",
    "state_directory",
    "write_result",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"dgpin.files.{_HOMES[name]}"), name)


def state_directory(root: Path) -> Path:
    """Return the place of lock and journal; it exists only while a command writes."""
    from dgpin.files.home import home  # noqa: PLC0415 - as above

    return home(root).state
