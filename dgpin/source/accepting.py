"""Which exceptions of `dgpin.toml` hold on a day."""

from collections.abc import Iterable
from datetime import date

from dgpin.config import Accepted


def reasons(entries: Iterable[Accepted], today: date) -> dict[str, str]:
    """Return the reason of each exception that still holds, by its name."""
    return {entry.name: entry.reason for entry in entries if holds(entry, today)}


def holds(entry: Accepted, today: date) -> bool:
    """Tell whether an exception still holds, its last day included."""
    return not entry.expires or date.fromisoformat(entry.expires) >= today
