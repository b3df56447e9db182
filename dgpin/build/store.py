"""Finished builds in the cache: an entry appears whole or not at all."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dgpin import cache
from dgpin.build import fingerprint as fingerprints
from dgpin.build.fingerprint import Fingerprint
from dgpin.errors import UnavailableError

_FINGERPRINT = "fingerprint.json"


class StoreError(UnavailableError):
    """The build cache cannot be written."""

    hint = "Make room or name another place in DGPIN_CACHE_DIR."

    def __init__(self, path: Path, error: OSError) -> None:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        why = "the disk is full" if full else (error.strerror or str(error))
        super().__init__(f"the build cache {path} cannot be written: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A build in the cache: `root` holds `deep_gemm/` and `fingerprint.json`."""

    root: Path
    fingerprint: Fingerprint
    imported: tuple[str, ...]  # the Pythons in which it was imported

    @property
    def package(self) -> Path:
        """The importable package."""
        return self.root / "deep_gemm"


def directory() -> Path:
    """Return where the builds are."""
    return cache.root() / "builds"


def find(key: str) -> Entry | None:
    """Return a build whose files are still what they were, or None."""
    return _sound(directory() / key)


def entries() -> tuple[Entry, ...]:
    """Return every sound build, the newest first."""
    try:
        roots = [path for path in directory().iterdir() if not path.name.startswith(".")]
    except OSError:
        return ()
    found = [entry for path in roots if path.is_dir() and (entry := _sound(path)) is not None]
    return tuple(sorted(found, key=lambda entry: -(entry.root / _FINGERPRINT).stat().st_mtime))


def builds_of(commit: str) -> tuple[Entry, ...]:
    """Return the builds of a commit's unchanged tree, the newest first."""
    return tuple(each for each in entries() if each.fingerprint.components.get("commit") == commit)


def _sound(root: Path) -> Entry | None:
    path = root / _FINGERPRINT
    try:
        if path.stat().st_uid != os.getuid():
            return None
        value = json.loads(path.read_bytes())
        for name, digest in value["extensions"].items():
            if _sha256(root / "deep_gemm" / name) != digest:
                return None
        if value.get("files", "") not in {"", _listing(root / "deep_gemm")}:
            return None
        imported = tuple(value["imported"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    read = fingerprints.load(path)
    if read is None or read.key != root.name:
        return None
    return Entry(root=root, fingerprint=read, imported=imported)


@contextmanager
def locked(key: str, *, waiting: Callable[[], None]) -> Iterator[Path]:
    """Hold the lock of a build and give the empty directory in which it is made.

    `waiting` is called once when another process holds it. The directory is removed at the end,
    unless `publish` has moved it.

    Raises:
        StoreError: the cache cannot be written.
    """
    root = directory()
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (root / f".{key}.lock").open("w")
    except OSError as error:
        raise StoreError(root, error) from error
    with lock:
        draft = root / f".{key}.new"
        try:
            _take(lock, waiting)
            _clear_drafts(root, mine=key)
            draft.mkdir()
        except OSError as error:
            raise StoreError(root, error) from error
        try:
            yield draft
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _take(lock: IO[str], waiting: Callable[[], None]) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(lock, fcntl.LOCK_EX)


def _clear_drafts(root: Path, *, mine: str) -> None:
    """Remove the drafts that a killed dgpin has left: whoever holds a draft's lock owns it."""
    for draft in root.glob(".*.new"):
        key = draft.name[1 : -len(".new")]
        with contextlib.suppress(OSError), (root / f".{key}.lock").open("w") as lock:
            if key != mine:  # its lock is ours already, and a second one would not know
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(draft, ignore_errors=True)


def publish(draft: Path, made: Fingerprint, *, imported: tuple[str, ...]) -> Entry:
    """Turn a draft into an entry; the draft's lock is held.

    Raises:
        StoreError: the cache cannot be written.
    """
    final = draft.parent / made.key
    package = draft / "deep_gemm"
    try:
        value: dict[str, Any] = made.as_json()
        value["imported"] = list(imported)
        value["extensions"] = {path.name: _sha256(path) for path in sorted(package.glob("*.so"))}
        value["files"] = _listing(package)
        text = json.dumps(value, indent=1, sort_keys=True)
        (draft / _FINGERPRINT).write_text(text, encoding="utf-8")
        with contextlib.suppress(FileNotFoundError):  # a damaged entry
            shutil.rmtree(final)
        draft.rename(final)
    except OSError as error:
        raise StoreError(draft.parent, error) from error
    return Entry(root=final, fingerprint=made, imported=imported)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _listing(package: Path) -> str:
    """Return the hash of the files' names and sizes: headers may be lost, or changed by hand."""
    lines: list[str] = []
    for folder, directories, names in os.walk(package):
        directories[:] = [name for name in directories if name != "__pycache__"]
        inner = os.path.relpath(folder, package)
        lines += [f"{inner}/{name} {os.stat(f'{folder}/{name}').st_size}" for name in names]  # noqa: PTH116 - a thousand files
    return hashlib.sha256(os.fsencode("\n".join(sorted(lines)))).hexdigest()[:32]
