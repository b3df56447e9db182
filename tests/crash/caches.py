"""The build cache under faults: its entries, and the sources in it, are whole or absent."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from dgpin.build import obtain, store
from dgpin.build.fingerprint import Fingerprint
from dgpin.build.store import StoreError
from dgpin.errors import DgpinError

MADE = Fingerprint(components={"commit": "a" * 40, "layout": "1"})
COMMIT = "b" * 40
FILES = {"__init__.py": b"from . import _C\n", "_C.so": b"\x7fELF" * 4000, "include/a.h": b"//\n"}
_OTHER = "0123456789abcdef01234567"  # a build with which a dgpin was killed


class _Source:
    """A commit of a few files."""

    def paths(self) -> frozenset[str]:
        return frozenset(FILES)

    def read(self, path: str) -> bytes:
        return FILES[path]

    def gitlinks(self) -> Mapping[str, str]:
        return {}


def _keep() -> None:
    """Keep a build, as `dgpin build` does it after the compile."""
    with store.locked(MADE.key, waiting=lambda: None) as draft:
        try:
            _write(draft / "deep_gemm")
        except OSError as error:
            raise StoreError(draft.parent, error) from error
        store.publish(draft, MADE, imported=("3.11",))


def _kept() -> Path | None:
    entry = store.find(MADE.key)
    return None if entry is None else entry.package


def _export() -> None:
    obtain.export(_Source(), COMMIT, label=COMMIT)


def _exported() -> Path | None:
    found = obtain.exported(COMMIT)
    return None if found is None else found.root


@dataclass(frozen=True)
class Kept:
    """Something that the build cache keeps: how it comes there, and where it is then."""

    work: Callable[[], None]
    find: Callable[[], Path | None]


KINDS = {"build cache": Kept(_keep, _kept), "exported source": Kept(_export, _exported)}


def make(room: Path) -> Sequence[str]:
    """Make the caches to start from: an empty one, and one with what dying runs have left."""
    (room / "cache-empty").mkdir()
    damaged = room / "cache-damaged"
    _write(damaged / "builds" / MADE.key / "deep_gemm")
    (damaged / "builds" / MADE.key / "fingerprint.json").write_bytes(b"{")
    _write(damaged / "builds" / f".{_OTHER}.new")
    _write(damaged / "sources" / f".{COMMIT}-e3b0c442.new")
    return ["cache-empty", "cache-damaged"]


def _write(directory: Path) -> None:
    for name, data in FILES.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)


def command(cache: Path, kind: str) -> Callable[[], int]:
    """Return the work of keeping something in a cache, with its exit code."""

    def work() -> int:
        os.environ["DGPIN_CACHE_DIR"] = str(cache)
        try:
            KINDS[kind].work()
        except DgpinError as error:
            sys.stderr.write(f"dgpin: {error.message}\n")
            return error.exit_code
        return 0

    return work


def judge(cache: Path, kind: str, code: int) -> Iterator[str]:
    """Yield what is wrong in a cache after a fault, and after the same work once more."""
    with mock.patch.dict(os.environ, {"DGPIN_CACHE_DIR": str(cache)}):
        found = _files(KINDS[kind].find())
        if found not in ({}, FILES):
            yield f"an entry that is not whole: {sorted(found)}"
        if code == 0 and kind == "build cache" and not found:
            yield "it exits 0 and nothing is kept"
        KINDS[kind].work()
        if _files(KINDS[kind].find()) != FILES:
            yield "the next run keeps nothing"
        directory = cache / ("builds" if kind == "build cache" else "sources")
        if drafts := [path.name for path in directory.glob(".*.new")]:
            yield f"left over: {drafts}"


def _files(root: Path | None) -> dict[str, bytes]:
    if root is None:
        return {}
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }
