"""The user's cache: what was derived once from content that never changes.

Nothing here is state: every entry can be deleted at any time. An entry that cannot be read, is
damaged, or belongs to another user counts as absent.
"""

import contextlib
import errno
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dgpin.errors import UnavailableError


class CacheError(UnavailableError):
    """The cache cannot hold what must be kept there."""

    hint = "Set DGPIN_CACHE_DIR to a directory of your own that can be written."

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"the cache {path} cannot be used: {why}")


def root() -> Path:
    """Return the cache directory: `DGPIN_CACHE_DIR`, else the platform's place for caches."""
    chosen = os.environ.get("DGPIN_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()  # what is built runs in directories of its own
    import platformdirs  # noqa: PLC0415 - start-up: only needed without the variable

    return Path(platformdirs.user_cache_dir("dgpin"))


def directory(name: str) -> Path:
    """Return a directory of the cache, made if it is not there.

    Raises:
        CacheError: it cannot be made, is a link, or belongs to another user, who could change what
            is run from there.
    """
    home = root()
    place = home
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if place.stat().st_uid != os.getuid():
            raise CacheError(home, "it belongs to another user")
        for step in Path(name).parts:
            place = place / step
            place.mkdir(exist_ok=True, mode=0o700)
            if not is_own(place):
                raise CacheError(place, "it is a link, or belongs to another user")
    except OSError as error:
        raise CacheError(place, error.strerror or error) from error
    return place


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


@contextlib.contextmanager
def writing(place: Path) -> Iterator[None]:
    """Raise CacheError for a disk or a right that writing below a directory of the cache lacks."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise CacheError(place, error.strerror) from error
        raise


def is_own(path: Path) -> bool:
    """Tell whether there is something at a path that is no link and belongs to this user."""
    try:
        info = path.lstat()
    except OSError:
        return False
    return info.st_uid == os.getuid() and not stat.S_ISLNK(info.st_mode)


def read_json(name: str) -> Any:  # noqa: ANN401 - parsed by the caller, at the border
    """Return an entry's JSON value, or None when there is no sound entry of that name."""
    path = root() / name
    try:
        return json.loads(path.read_bytes()) if is_own(path) else None
    except (OSError, ValueError, RecursionError):
        return None


def write_json(name: str, value: object) -> None:
    """Store an entry whole or not at all; a cache that cannot be written is no error."""
    path = root() / name
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(value, sort_keys=True))
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
