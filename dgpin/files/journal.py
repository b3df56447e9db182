"""The record from which an interrupted write is finished."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dgpin.errors import UnavailableError
from dgpin.files.location import is_host_path

VERSION = 1
STAGED = ".dgpin-"  # how the names of staged files begin


class JournalError(UnavailableError):
    """The record of an interrupted run cannot be read, so nobody knows what it meant to do."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path}: the journal of an interrupted run cannot be read: {reason}",
            hint="Look through the host's files (`git diff`), put right what is wrong,"
            f" then remove {path} and run the same command again.",
        )


class TornError(JournalError):
    """The record is not whole."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "its checksum is wrong")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file on its way from the old text to the new.

    `path` and `staged` are relative to the home's `top`, with `/`, and lie in one directory.
    `old` is a digest, None for a file that does not exist yet; `text` is the new text itself, so
    that the work can be finished even when someone has tidied the staged file away.
    """

    path: str
    staged: str
    old: str | None
    text: bytes

    @property
    def new(self) -> str:
        """The digest of the new text."""
        return digest(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All that one run means to write; `command` is the word that the user typed for it."""

    command: str
    entries: tuple[Entry, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, relative to the home's `top`."""
        return tuple(entry.path for entry in self.entries)


def digest(text: bytes) -> str:
    """Return the SHA-256 of a text, in hex."""
    return hashlib.sha256(text).hexdigest()


def digest_of(path: Path) -> str | None:
    """Return the digest of a file, None where there is none.

    A link, a directory or the like is none of ours: its digest equals no other.
    """
    if path.is_symlink():
        return "link"
    try:
        return digest(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        return "directory"


def encode(record: Record) -> bytes:
    """Return a record's bytes: a digest of what follows, a line end, and JSON."""
    rows = [
        {
            "path": entry.path,
            "staged": entry.staged,
            "old": entry.old,
            "text": base64.b64encode(entry.text).decode(),
        }
        for entry in record.entries
    ]
    body = json.dumps({"version": VERSION, "command": record.command, "files": rows}, indent=1)
    return digest(body.encode()).encode() + b"\n" + body.encode()


def decode(data: bytes, *, path: Path) -> Record:
    """Return a record from its bytes.

    Raises:
        JournalError: it is damaged, or another version's, or names what no dgpin would write.
    """
    claimed, _, body = data.partition(b"\n")
    if claimed.decode("ascii", "replace") != digest(body):
        raise TornError(path)
    try:
        parsed = json.loads(body)
        if parsed["version"] != VERSION:
            raise JournalError(path, f"another version of dgpin wrote it ({parsed['version']!r})")
        record = Record(
            command=str(parsed["command"]), entries=tuple(_entry(row) for row in parsed["files"])
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JournalError(path, "it does not have the form of one") from error
    if not all(_is_sound(entry) for entry in record.entries):
        raise JournalError(path, "it names files that no dgpin would write")
    return record


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(
        path=str(row["path"]),
        staged=str(row["staged"]),
        old=None if row["old"] is None else str(row["old"]),
        text=base64.b64decode(row["text"], validate=True),
    )


def _is_sound(entry: Entry) -> bool:
    """Whether an entry keeps inside its tree; a tree may have been handed a forged record."""
    path, staged = PurePosixPath(entry.path), PurePosixPath(entry.staged)
    return (
        is_host_path(entry.path)
        and staged.parent == path.parent
        and staged.name.startswith(STAGED)
        and path.name != staged.name
    )
