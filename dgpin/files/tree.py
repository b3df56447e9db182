"""A host under the lock of the one dgpin that writes it."""

import contextlib
import errno
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dgpin.errors import UsageError
from dgpin.files.disk import Disk
from dgpin.files.failures import ChangedError, WriteError
from dgpin.files.home import home
from dgpin.files.journal import STAGED, Entry, Record, digest
from dgpin.files.location import locate, resolve
from dgpin.files.lock import hold
from dgpin.files.transaction import Recovery, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A file's whole text before and after.

    `path` is relative to the host's root, with `/`. `old` is None for a file that must not exist
    yet; its directory must.
    """

    path: str
    old: bytes | None
    new: bytes


class UnwritableError(UsageError):
    """A file is of a kind that dgpin does not replace."""

    hint = "Make it a plain file of yours, with one name, that can be written."

    def __init__(self, path: str, reason: str, *, hint: str) -> None:
        super().__init__(f"{path}: {reason}; nothing was written", hint=hint)
        self.path = path


class Tree:
    """A host whose files no other dgpin writes while this one is open.

    `recovery` is what an earlier, interrupted run had left and what became of it: tell the user.
    """

    def __init__(
        self, root: Path, *, transaction: Transaction, command: str, recovery: Recovery | None
    ) -> None:
        self.root = root
        self.recovery = recovery
        self._transaction = transaction
        self._command = command

    def apply(self, edits: Iterable[Edit]) -> None:
        """Make every edit, or leave every file as it is. An edit that changes nothing is none.

        Raises:
            OutsideError, UnwritableError: one of the files is not to be written.
            ChangedError: a file no longer holds its old text.
            OpenError: another program has a file open for writing.
            WriteError, StateError: the system refused; nothing was written.
            UnfinishedError: it refused half-way, and the way back too; the next run finishes.
        """
        number = os.urandom(4).hex()
        old: dict[str, bytes | None] = {}
        entries: list[Entry] = []
        for edit in _distinct(self.root, edits):
            entry = _entry(edit, root=self.root, top=self._transaction.home.top, number=number)
            old[entry.path] = edit.old
            entries.append(entry)
        if entries:
            record = Record(command=self._command, entries=tuple(entries))
            self._transaction.write(record, old=old)


@contextlib.contextmanager
def locked(root: Path, *, command: str, disk: Disk | None = None) -> Iterator[Tree]:
    """Lock the tree, put in order what an interrupted run left, then let the caller write.

    `command` is the word that the user typed; a later message calls this run by it.

    Raises:
        BusyError: another dgpin holds the lock.
        StateError: the place for lock and journal cannot be used.
        ConflictError, JournalError, OpenError, UnfinishedError: an interrupted run cannot be
            finished.
    """
    place, disk = home(root), disk or Disk()
    with hold(place, disk):
        transaction = Transaction(home=place, disk=disk)
        recovery = transaction.recover()
        yield Tree(root, transaction=transaction, command=command, recovery=recovery)


def _distinct(root: Path, edits: Iterable[Edit]) -> Sequence[Edit]:
    """Return the edits that change something, one for each real file."""
    found: dict[Path, Edit] = {}
    for edit in edits:
        if edit.old == edit.new:
            continue
        first = found.setdefault(resolve(root, edit.path, strict=False), edit)
        if (first.old, first.new) != (edit.old, edit.new):
            raise UnwritableError(
                edit.path,
                f"is the same file as {first.path}, and the two would be written differently",
                hint="Name one of them in the configuration, not both.",
            )
    return tuple(found.values())


def _entry(edit: Edit, *, root: Path, top: Path, number: str) -> Entry:
    target = _new_file(root, edit.path) if edit.old is None else _old_file(root, edit.path)
    path = PurePosixPath(target.relative_to(top).as_posix())
    return Entry(
        path=str(path),
        # Short, so that no limit on the length of names is in the way; one for each file.
        staged=str(path.with_name(f"{STAGED}{number}-{digest(bytes(path))[:8]}")),
        old=None if edit.old is None else digest(edit.old),
        text=edit.new,
    )


def _new_file(root: Path, path: str) -> Path:
    target = resolve(root, path, strict=False)
    # A link that leads to nothing is something, too.
    if os.path.lexists(root / path):
        raise ChangedError(path)
    return target


def _old_file(root: Path, path: str) -> Path:
    try:
        target = locate(root, path)
        links = target.stat().st_nlink
    except FileNotFoundError as error:
        raise ChangedError(path) from error
    if links > 1:
        one, copy = shlex.quote(path), shlex.quote(f"{path}.own")
        raise UnwritableError(
            path,
            "has another hard link, which would keep the old text",
            hint=f"Make it a file of its own: `cp -p {one} {copy} && mv {copy} {one}`.",
        )
    if not os.access(target, os.W_OK):
        # Its directory might allow a rename over it; but who may not write it means to keep it.
        code = errno.EROFS if os.statvfs(target).f_flag & os.ST_RDONLY else errno.EACCES
        raise WriteError(path, OSError(code, os.strerror(code)))
    return target
