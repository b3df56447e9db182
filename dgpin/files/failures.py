"""Why files were not written: what happened, and what to do now."""

import errno
from collections.abc import Iterable

from dgpin.errors import UnavailableError
from dgpin.files.home import Home
from dgpin.files.journal import Record

_CURES = {
    errno.EACCES: "Check the permissions of the file and of its directory.",
    errno.EPERM: "Check the owner and the attributes (`lsattr`) of the file and its directory.",
    errno.EROFS: "The file system is mounted read-only.",
    errno.ENOSPC: "Free some space, then run the same command again.",
    errno.EDQUOT: "Your disk quota is used up: free some space, then run the command again.",
    errno.EFBIG: "A limit on the size of files is set (`ulimit -f`).",
    errno.EIO: "The disk fails: look at the system's log (`dmesg`).",
}


class WriteError(UnavailableError):
    """The system refused a write; nothing was written."""

    hint = "Put that right, then run the same command again."

    def __init__(self, path: str, error: OSError) -> None:
        self.path = path
        self.reason = error.strerror or str(error)
        super().__init__(
            f"{path}: cannot be written: {self.reason}; nothing was written",
            hint=_CURES.get(error.errno or 0),
        )


class ChangedError(UnavailableError):
    """A file was changed by someone else meanwhile; it is never overwritten."""

    hint = "Run the same command again: it starts from the file as it is now."

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: was changed while dgpin was at work; nothing was written")
        self.path = path


class OpenError(UnavailableError):
    """Another program may write into a file at any moment, without giving it its name again."""

    hint = "Let that program finish or close the file, then run the same command again."

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: another program has it open for writing; nothing was written")
        self.path = path


class ConflictError(UnavailableError):
    """An interrupted run cannot be finished, since someone has changed its files since."""

    def __init__(self, paths: Iterable[str], *, command: str, home: Home) -> None:
        self.paths = tuple(paths)
        import shlex  # noqa: PLC0415 - only this message quotes

        restore = ""
        if home.in_git:
            words = shlex.join(["git", "-C", str(home.top), "checkout", "--", *self.paths])
            restore = f" (`{words}`)"
        keep = shlex.join(["mv", str(home.journal), str(home.intent)])
        super().__init__(
            f"an interrupted {command} cannot be finished: {', '.join(self.paths)}"
            " changed since then",
            hint=f"To finish it, put the old text back{restore} and run the same command again."
            f" To keep every file as it is now, run it again after `{keep}`.",
        )


class UnfinishedError(UnavailableError):
    """The system refused in the midst of the work, and refused to let it be undone as well."""

    def __init__(self, record: Record, error: WriteError, *, home: Home) -> None:
        super().__init__(
            f"the {record.command} of {', '.join(record.paths)} was interrupted:"
            f" {error.path}: {error.reason}",
            hint="Remove the cause, then run the same command again: it finishes the work first."
            f" What is to be done stands in {home.state}.",
        )
