"""The only door that starts programs."""

import contextlib
import errno
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin.errors import UnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A program that ended.

    `returncode` is negative for a signal, as in the subprocess module, and None when the time
    limit was reached. Output is bytes: only the caller knows its encoding.
    """

    argv: tuple[str, ...]
    returncode: int | None
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """Standard output as text; bytes that are not UTF-8 are replaced."""
        return self.stdout.decode(errors="replace")

    @property
    def tail(self) -> str:
        """The last lines that the program printed, for messages."""
        lines = (self.stderr or self.stdout).decode(errors="replace").strip().splitlines()
        return "\n".join(lines[-15:])

    def check(self) -> "Completed":
        """Return self if the program succeeded.

        Raises:
            CommandError: it did not.
        """
        if self.returncode != 0:
            raise CommandError(self)
        return self


class CommandError(UnavailableError):
    """A program that had to succeed did not."""

    hint = "Run that program by hand; what it says is quoted here as it came."

    def __init__(self, done: Completed) -> None:
        how = "ran out of time" if done.returncode is None else f"ended with {done.returncode}"
        detail = f": {done.tail}" if done.tail else ""
        super().__init__(f"`{' '.join(done.argv[:4])}` {how}{detail}")
        self.done = done


# Of a file that is no program, the kernel says that its format is unknown.
_NO_PROGRAM = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.ELOOP}
)


class MissingProgramError(UnavailableError):
    """A program that is needed is not on PATH."""

    def __init__(self, program: str, error: OSError | None = None) -> None:
        told = error is not None and error.errno != errno.ENOENT
        why = f": {error.strerror}" if error and told else ""
        super().__init__(
            f"the program `{program}` could not be started{why}",
            hint=f"Install {program} or put it on PATH, then run the same command again.",
        )
        if why:
            self.hint = "Is that file a program for this machine? Repair it, or name another."


def run(
    argv: Sequence[str | os.PathLike[str]],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout: float | None = None,
    largest: int | None = None,
    emit: Callable[[bytes], None] | None = None,
) -> Completed:
    """Run a program to its end. A non-zero exit is an answer, not an error.

    `timeout` is in seconds; `largest` is what each file that it writes may become, in bytes. With
    `emit`, stderr joins stdout and each line is handed over as it comes. The program gets a session
    of its own, and all of it is killed when the time is up or when dgpin is interrupted.

    Raises:
        MissingProgramError: the program could not be started.
    """
    words = tuple(os.fspath(word) for word in argv)
    try:
        child = subprocess.Popen(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if emit else subprocess.PIPE,
            # nvcc and ninja start children of their own; the session has them all.
            start_new_session=True,
        )
    except OSError as error:
        if (cwd is not None and not cwd.is_dir()) or error.errno not in _NO_PROGRAM:
            raise
        raise MissingProgramError(words[0], error) from error
    if largest is not None:
        _limit_files(child.pid, largest)
    try:
        if emit is not None:
            return _stream(child, words, emit=emit, timeout=timeout)
        out, err = child.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        kill_session(child.pid)
        out, err = child.communicate()
        return Completed(argv=words, returncode=None, stdout=out, stderr=err or b"")
    except BaseException:
        kill_session(child.pid)
        child.wait()
        raise
    return Completed(argv=words, returncode=child.returncode, stdout=out, stderr=err or b"")


def _limit_files(pid: int, largest: int) -> None:
    """Limit the files of a program that has just begun, and of all that it will start."""
    import resource  # noqa: PLC0415 - only downloads pay for it

    with contextlib.suppress(ProcessLookupError):  # it has ended already
        now, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        if now == resource.RLIM_INFINITY or now > largest:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest, most))


def _stream(
    child: "subprocess.Popen[bytes]",
    words: tuple[str, ...],
    *,
    emit: Callable[[bytes], None],
    timeout: float | None,
) -> Completed:
    import threading  # noqa: PLC0415 - only streaming pays for it

    late = threading.Event()

    def expire() -> None:
        late.set()
        kill_session(child.pid)

    timer = threading.Timer(timeout, expire) if timeout is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    lines: list[bytes] = []
    try:
        if child.stdout is not None:
            with child.stdout:
                for line in child.stdout:
                    lines.append(line)
                    emit(line)
        child.wait()
    finally:
        if timer is not None:
            timer.cancel()
    code = None if late.is_set() else child.returncode
    return Completed(argv=words, returncode=code, stdout=b"".join(lines), stderr=b"")


def kill_session(pid: int) -> None:
    """Kill a program and everything that it started."""
    # ninja gives each compiler a process group of its own, so the group is not enough.
    for member in (pid, *_session_members(pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _session_members(session: int) -> tuple[int, ...]:
    members: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # proc(5): pid (comm) state ppid pgrp session …; comm may hold spaces and brackets.
            if int(stat.read_text(errors="replace").rpartition(")")[2].split()[3]) == session:
                members.append(int(stat.parent.name))
    return tuple(members)
