"""Paths as a user types them."""

import os
from pathlib import Path


def expanded(text: str) -> Path:
    """Return a path, with the home directory for `~` and `~NAME`; a NAME that nobody has stays."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser() raises for such a NAME
