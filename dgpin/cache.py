"""The user's cache: what was derived once from content that never changes.

Nothing here is state: every entry can be deleted at any time. An entry that cannot be read, is
damaged, or belongs to another user counts as absent.
"""

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def root() -> Path:
    """Return the cache directory: `DGPIN_CACHE_DIR`, else the platform's place for caches."""
    chosen = os.environ.get("DGPIN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs  # noqa: PLC0415 - start-up: only needed without the variable

    return Path(platformdirs.user_cache_dir("dgpin"))


def read_json(name: str) -> Any:  # noqa: ANN401 - parsed by the caller, at the border
    """Return an entry's JSON value, or None when there is no sound entry of that name."""
    path = root() / name
    try:
        if path.stat().st_uid != os.getuid():
            return None
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def write_json(name: str, value: object) -> None:
    """Store an entry whole or not at all; a cache that cannot be written is no error."""
    path = root() / name
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(value, file, indent=1, sort_keys=True)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
