"""What a mirror that is already there tells, without GitPython and without the network.

For `show` and `check`, which must start at once.
"""

from pathlib import Path

from dgpin import cache
from dgpin.source import address
from dgpin.source.resolve import Distance


def mirror_path(url: str) -> Path:
    """Return where the mirror of a repository lies or would lie.

    Raises:
        AddressError: the address is refused.
    """
    return cache.root() / "mirrors" / f"{address.parse(url).key}.git"


def fetched_at(url: str) -> str | None:
    """Return when the mirror was last brought up to date (ISO 8601), or None without a mirror."""
    raise NotImplementedError


def distance(url: str, commit: str, *, since: str) -> Distance | None:
    """Return how far `commit` (SHA or branch) is from `since`; None when it cannot be told."""
    raise NotImplementedError
