"""A build copied to where the user wants it."""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dgpin import cache
from dgpin.build import fingerprint as fingerprints
from dgpin.build.assemble import PACKAGE
from dgpin.build.fingerprint import Fingerprint
from dgpin.build.store import Entry
from dgpin.errors import RefusedError, UnavailableError, UsageError

_FINGERPRINT = "fingerprint.json"


class OccupiedError(RefusedError):
    """Something else is where the copy would go."""

    hint = "Name another directory with --out, or remove that one yourself."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already and no build of dgpin's")


class InsideError(UsageError):
    """A place for a copy that is the cache's own."""

    hint = "Name a directory of your own with --out; without it the build is in the cache as it is."

    def __init__(self, path: Path) -> None:
        super().__init__(f"--out {path} lies in dgpin's cache")


class CopyError(UnavailableError):
    """The copy could not be written."""

    hint = "Make room or name another place with --out; the build itself is kept in the cache."

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path}: {error.strerror or error}")


def refuse_inside(directory: Path) -> None:
    """Refuse a place in the cache, which vouches for what it holds.

    Raises:
        InsideError: it is one.
    """
    place, root = os.path.realpath(directory), os.path.realpath(cache.root())
    if f"{place}/".startswith(f"{root}/"):
        raise InsideError(directory)


def there(directory: Path) -> Fingerprint | None:
    """Return the fingerprint of a copy that is whole, or None where there is none."""
    mark = directory / _FINGERPRINT
    try:
        extensions = json.loads(mark.read_bytes())["extensions"]
        for name, digest in extensions.items():
            if hashlib.sha256((directory / PACKAGE / name).read_bytes()).hexdigest() != digest:
                return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return fingerprints.load(mark)


def copy(entry: Entry, directory: Path) -> Path:
    """Copy the package and its fingerprint into a directory, replacing an earlier build there.

    Raises:
        OccupiedError: a `deep_gemm` that dgpin did not build is in it.
        CopyError: the directory cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _alone(directory):
            return _copied(entry, directory)
    except OSError as error:
        shutil.rmtree(directory / f".{PACKAGE}.new", ignore_errors=True)
        raise CopyError(directory, error) from error


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Let another dgpin that copies to the same place wait."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _copied(entry: Entry, directory: Path) -> Path:
    target, mark = directory / PACKAGE, directory / _FINGERPRINT
    if os.path.lexists(target) and (fingerprints.load(mark) is None or target.is_symlink()):
        raise OccupiedError(target)
    draft, old = directory / f".{PACKAGE}.new", directory / f".{PACKAGE}.old"
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(entry.package, draft, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    draft.rename(target)
    copied = directory / f".{_FINGERPRINT}.new"
    shutil.copyfile(entry.root / _FINGERPRINT, copied)
    os.replace(copied, mark)  # noqa: PTH105 - says what happens
    shutil.rmtree(old, ignore_errors=True)
    return target
