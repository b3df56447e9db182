"""The only door that writes the user's tree: every edit, or none.

`docs/explanation/atomicity.md` says what that means after a crash. A command that writes works
within `locked`; a command that reads takes the host's files from `read_all`, or asks `pending`.
"""

from pathlib import Path

from dgpin.files.journal import JournalError, home
from dgpin.files.location import OutsideError, UnreadableError, locate
from dgpin.files.lock import BusyError, StateError
from dgpin.files.reading import Interrupted, InterruptedBumpError, pending, read_all
from dgpin.files.result import write_result
from dgpin.files.transaction import (
    ChangedError,
    ConflictError,
    Recovery,
    UnfinishedError,
    WriteError,
)
from dgpin.files.tree import Edit, Tree, UnwritableError, locked

__all__ = [
    "BusyError",
    "ChangedError",
    "ConflictError",
    "Edit",
    "Interrupted",
    "InterruptedBumpError",
    "JournalError",
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
    "read_all",
    "state_directory",
    "write_result",
]


def state_directory(root: Path) -> Path:
    """Return the place of lock and journal; it exists only while a command writes."""
    return home(root).state
