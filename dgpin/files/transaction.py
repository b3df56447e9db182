"""Several files, all or none of them: `docs/explanation/atomicity.md` says why each step is there.

The record is written first, as `intent`, so that whoever comes after a crash knows which staged
files are ours. Its renaming to `journal` decides: before it no file of the host is touched, after
it the work will be finished, by this process or by the next one that writes.
"""

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dgpin.files import staging
from dgpin.files.disk import UNSUPPORTED, Disk
from dgpin.files.failures import (
    ChangedError,
    ConflictError,
    OpenError,
    UnfinishedError,
    WriteError,
)
from dgpin.files.home import Home
from dgpin.files.journal import Entry, JournalError, Record, TornError, decode, digest_of, encode
from dgpin.files.watch import Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What an interrupted run had left, and what became of it.

    `finished`: its files now hold the new texts; otherwise they had not been touched, and what
    it had prepared is gone.
    """

    command: str
    paths: tuple[str, ...]
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """The steps, for whoever holds the lock."""

    home: Home
    disk: Disk
    watch: Watch = field(default_factory=Watch)

    def write(self, record: Record, *, old: Mapping[str, bytes | None]) -> None:
        """Write all files of a record, or leave all of them as they are.

        `old` holds the texts that the entries' digests stand for, by path.

        Raises:
            ChangedError: a file does not hold its old text; nothing was written.
            OpenError: someone has a file open for writing; nothing was written.
            WriteError: the system refused; nothing was written.
            UnfinishedError: it refused to undo what had been written as well.
        """
        with self.watch:
            self._write(record, old)

    def _write(self, record: Record, old: Mapping[str, bytes | None]) -> None:
        try:
            self._prepare(record)
        except BaseException:
            # What cannot be removed now is named by the intent, which stays for the next run.
            with contextlib.suppress(WriteError):
                self._discard(record)
            raise
        with _undisturbed():
            try:
                self._decide()
                self._carry_out(record)
            except (ChangedError, WriteError) as error:
                self._undo(record, old, error)
                raise
            self._close(record)

    def recover(self) -> Recovery | None:
        """Finish what an interrupted run had decided, or remove what it had prepared.

        Raises:
            ConflictError: a file holds neither the old text nor the new one.
            JournalError: the record is damaged.
            OpenError: someone has a file open for writing.
            UnfinishedError: the system refused.
        """
        record = load(self.home.journal)
        if record is not None:
            self._finish(record)
            return Recovery(command=record.command, paths=record.paths, finished=True)
        try:
            record = load(self.home.intent)
        except TornError:
            # It was never whole, so what it names was never begun.
            record = Record(command="run", entries=())
        if record is None:
            return None
        try:
            self._discard(record)
        except WriteError as error:
            raise UnfinishedError(record, error, home=self.home) from error
        if not record.entries:
            return None
        return Recovery(command=record.command, paths=record.paths, finished=False)

    def _finish(self, record: Record) -> None:
        with _undisturbed(), self.watch:
            try:
                changed = [entry.path for entry in record.entries if self._is_changed(entry)]
                if changed:
                    raise ConflictError(changed, command=record.command, home=self.home)
                self._begin_watch(record)
                self._carry_out(record)
            except ChangedError as error:
                raise ConflictError([error.path], command=record.command, home=self.home) from error
            except WriteError as error:
                raise UnfinishedError(record, error, home=self.home) from error
            self._close(record)

    def _is_changed(self, entry: Entry) -> bool:
        target = self._target(entry)
        with _naming(entry.path):
            if target.parent.resolve() != target.parent:
                return True  # a directory on the way has become a link
            return digest_of(target) not in {entry.old, entry.new}

    # Before the decision.

    def _prepare(self, record: Record) -> None:
        with _naming(self.home.intent):
            staging.create(self.disk, self.home.intent, encode(record))
            self.disk.sync_directory(self.home.state)
            # The state directory is as new as the record in it.
            self.disk.sync_directory(self.home.state.parent)
        for entry in record.entries:
            with _naming(entry.path):
                self._stage(entry)
        self._begin_watch(record)
        for entry in record.entries:
            with _naming(entry.path):
                if digest_of(self._target(entry)) != entry.old:
                    raise ChangedError(entry.path)

    def _begin_watch(self, record: Record) -> None:
        """Watch old texts and new ones, wherever they lie, until the end of the work."""
        for entry in record.entries:
            for path in (self._target(entry), self._staged(entry)):
                if not self.watch.begin(path):
                    raise OpenError(entry.path)

    def _stage(self, entry: Entry) -> None:
        try:
            staging.create(self.disk, self._staged(entry), entry.text, like=self._like(entry))
        except FileNotFoundError as error:
            if entry.old is None:
                raise  # there is no directory for a new file
            raise ChangedError(entry.path) from error

    def _discard(self, record: Record) -> None:
        staged = [entry for entry in record.entries if self._remove_staged(entry)]
        self._sync_directories(staged)
        with _naming(self.home.intent):
            self._remove(self.home.intent)

    # The decision, and what follows from it.

    def _decide(self) -> None:
        with _naming(self.home.journal):
            self.disk.rename(self.home.intent, self.home.journal)
            self.disk.sync_directory(self.home.state)

    def _carry_out(self, record: Record) -> None:
        for entry in record.entries:
            with _naming(entry.path):
                self._place(entry)
        for entry in record.entries:
            # It was opened before the exchange; the writing is still to come.
            if not self.watch.is_quiet(self._staged(entry)):
                raise ChangedError(entry.path)
        # Only now: the old texts are what an error half-way is undone with.
        self._tidy(record.entries)

    def _tidy(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._remove_staged(entry)
        self._sync_directories(entries)

    def _place(self, entry: Entry) -> None:
        target, staged = self._target(entry), self._staged(entry)
        found, aside = digest_of(target), digest_of(staged)
        is_ours = aside in {None, entry.old, entry.new}
        if found == entry.new and is_ours:
            return
        if found == entry.new:
            # A run died between the exchange and its look at what had come back.
            self.disk.exchange(staged, target)
        if found != entry.old or not is_ours:
            raise ChangedError(entry.path)
        if aside != entry.new:
            self._stage_again(staged, entry.text, like=self._like(entry))
        if entry.old is None:
            self._put(entry, staged, target)
        elif not self._exchange(staged, target, expected=entry.old):
            raise ChangedError(entry.path)

    def _stage_again(self, staged: Path, text: bytes, *, like: Path | None) -> None:
        part = _part(staged)
        self._remove(part)
        staging.create(self.disk, part, text, like=like)
        self.disk.rename(part, staged)

    def _put(self, entry: Entry, staged: Path, target: Path) -> None:
        """Give the text its name if nothing has it."""
        try:
            self.disk.move(staged, target)
        except FileExistsError as error:
            raise ChangedError(entry.path) from error
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            self.disk.rename(staged, target)

    def _exchange(self, staged: Path, target: Path, *, expected: str) -> bool:
        """Exchange two texts if the target holds the expected one, and say whether it did.

        The look comes after the exchange, so that a save just before it is noticed and given
        back. If someone saves while it is given back, that one is the newest, and stays.
        """
        wanted: str | None = expected
        placed, is_first = digest_of(staged), True
        while self.watch.begin(target):
            try:
                self.disk.exchange(staged, target)
            except FileNotFoundError:
                return False
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise
                # Without that operation a save is lost if it falls between the caller's look
                # and this line.
                self.disk.rename(staged, target)
                return True
            came = digest_of(staged) if self.watch.is_quiet(staged) else None
            if came == wanted:
                return is_first
            wanted, placed, is_first = placed, came, False
        return False

    def _close(self, record: Record) -> None:
        try:
            with _naming(self.home.journal):
                self.disk.unlink(self.home.journal)
        except WriteError as error:
            raise UnfinishedError(record, error, home=self.home) from error
        # Lest a journal that comes back meets what the user has changed by then. An error here
        # changes nothing about the files, which are safe.
        with contextlib.suppress(OSError):
            self.disk.sync_directory(self.home.state)

    # Back again.

    def _undo(
        self, record: Record, old: Mapping[str, bytes | None], cause: ChangedError | WriteError
    ) -> None:
        """Put the old texts back while the journal stands: a crash in here still ends all new."""
        try:
            for entry in record.entries:
                with _naming(entry.path):
                    self._put_back(entry, old[entry.path])
            for entry in record.entries:
                with _naming(entry.path):
                    self._leave(entry)
            self._tidy(record.entries)
            with _naming(self.home.journal):
                self._remove(self.home.intent)
                self._remove(self.home.journal)
                self.disk.sync_directory(self.home.state)
        except WriteError as error:
            raise UnfinishedError(record, error, home=self.home) from cause

    def _put_back(self, entry: Entry, text: bytes | None) -> None:
        target, staged = self._target(entry), self._staged(entry)
        if digest_of(target) != entry.new:
            return  # it was never placed, or is someone else's by now
        if text is None:
            self.disk.rename(target, staged)
            if digest_of(staged) != entry.new or not self.watch.is_quiet(staged):
                self.disk.rename(staged, target)
            return
        if digest_of(staged) in {None, entry.new}:
            self._stage_again(staged, text, like=target)
        self._exchange(staged, target, expected=entry.new)

    def _leave(self, entry: Entry) -> None:
        """Give the name back to a new text that someone has opened; the writing is to come."""
        target, staged = self._target(entry), self._staged(entry)
        if self.watch.is_quiet(staged):
            return
        if entry.old is None:
            with contextlib.suppress(ChangedError):  # something else has the name by now
                self._put(entry, staged, target)
        elif digest_of(target) == entry.old:
            self._exchange(staged, target, expected=entry.old)

    # What the steps share.

    def _target(self, entry: Entry) -> Path:
        return self.home.top / entry.path

    def _staged(self, entry: Entry) -> Path:
        return self.home.top / entry.staged

    def _like(self, entry: Entry) -> Path | None:
        return None if entry.old is None else self._target(entry)

    def _remove_staged(self, entry: Entry) -> bool:
        staged = self._staged(entry)
        with _naming(entry.path):
            return any([self._remove(staged), self._remove(_part(staged))])

    def _remove(self, path: Path) -> bool:
        """Remove a file if there is one, and say whether there was."""
        if not os.path.lexists(path):
            return False
        with _naming(path):
            self.disk.unlink(path)
        return True

    def _sync_directories(self, entries: Sequence[Entry]) -> None:
        for directory in dict.fromkeys(self._target(entry).parent for entry in entries):
            with _naming(directory):
                self.disk.sync_directory(directory)


def load(path: Path) -> Record | None:
    """Return the record in a file, None where there is none.

    Raises:
        JournalError: it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(path, error.strerror or str(error)) from error
    return decode(data, path=path)


def _part(staged: Path) -> Path:
    """Where a staged file is written again; its own name always stands for a whole text."""
    return staged.with_name(staged.name + ".part")


@contextlib.contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WriteError(str(path), error) from error


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let the polite signals wait: the work in here takes milliseconds and is best finished."""
    polite = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, polite)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
