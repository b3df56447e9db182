"""A build copied to where the user wants it."""

import os
import shutil
from pathlib import Path

from dgpin.build.assemble import PACKAGE
from dgpin.build.store import Entry
from dgpin.errors import RefusedError, UnavailableError

_FINGERPRINT = "fingerprint.json"


class OccupiedError(RefusedError):
    """Something else is where the copy would go."""

    hint = "Name another directory with --out, or remove that one yourself."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already and no build of dgpin's")


class CopyError(UnavailableError):
    """The copy could not be written."""

    hint = "Make room or name another place with --out; the build itself is kept in the cache."

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path}: {error.strerror or error}")


def copy(entry: Entry, directory: Path) -> Path:
    """Copy the package and its fingerprint into a directory, replacing an earlier build there.

    Raises:
        OccupiedError: a `deep_gemm` that dgpin did not build is in it.
        CopyError: the directory cannot be written.
    """
    target, mark = directory / PACKAGE, directory / _FINGERPRINT
    if target.exists() and not mark.is_file():
        raise OccupiedError(target)
    draft, old = directory / f".{PACKAGE}.new", directory / f".{PACKAGE}.old"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(entry.package, draft)
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        draft.rename(target)
        copied = directory / f".{_FINGERPRINT}.new"
        shutil.copyfile(entry.root / _FINGERPRINT, copied)
        os.replace(copied, mark)  # noqa: PTH105 - says what happens
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise CopyError(directory, error) from error
    return target
