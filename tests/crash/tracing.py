"""A process whose nth system call fails, by strace: the call, the fault and the count are real.

The process is a child forked from one that has loaded everything, so that what it does is what the
command does, and not what an interpreter does when it starts.
"""

import contextlib
import ctypes
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import NamedTuple

# Whatever changes something that outlives the process; of the openings, those that may.
CHANGING = (
    "openat,write,pwrite64,writev,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,"
    "chown,fchown,fchownat,lchown,setxattr,fsetxattr,lsetxattr,removexattr,ftruncate,truncate,"
    "fallocate,utimensat,flock,copy_file_range,sendfile"
)
_ANY_TRACER = ctypes.c_ulong(-1)
_SET_TRACER = 0x59616D61  # PR_SET_PTRACER of <linux/prctl.h>


class Fault(str, Enum):
    """What happens to a call."""

    KILL = "SIGKILL"
    ENOSPC = "ENOSPC"
    EIO = "EIO"
    EINTR = "EINTR"
    SHORT = "short write"


class Call(NamedTuple):
    """The nth call of a name that a process makes, counted from 1; what it said is for people.

    `size` is the number of bytes that a write wrote, else 0.
    """

    name: str
    number: int
    said: str
    size: int = 0


class Ended(NamedTuple):
    """How a process ended: its exit code, negative for a signal, and what it printed."""

    code: int
    printed: str


def record(work: Callable[[], int], notes: Path) -> tuple[Ended, list[Call]]:
    """Run the work in a child, and return the state-changing calls that it makes."""
    ended = run(work, ["-y", "-o", str(notes), "-e", f"trace={CHANGING}"])
    counts: dict[str, int] = {}
    calls = []
    for line in notes.read_text(errors="replace").splitlines():
        found = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", line)
        if not found:
            continue
        name, said, result = found.groups()
        counts[name] = counts.get(name, 0) + 1
        if name == "openat" and not re.search("O_CREAT|O_WRONLY|O_RDWR|O_TRUNC", said):
            continue
        size = int(result) if name == "write" else 0
        calls.append(Call(name, counts[name], said[:160], size))
    return ended, calls


def inject(work: Callable[[], int], call: Call, fault: Fault) -> Ended:
    """Run the work in a child whose call fails; a short write ends after half of its bytes."""
    if fault is Fault.SHORT:
        return run(work, None, limit=call.size // 2)
    what = "signal=KILL" if fault is Fault.KILL else f"error={fault.value}"
    words = ["-o", "/dev/null", "-e", f"trace={call.name}"]
    return run(work, [*words, "-e", f"inject={call.name}:{what}:when={call.number}"])


def run(work: Callable[[], int], tracer: list[str] | None, *, limit: int | None = None) -> Ended:
    """Run the work in a child under strace; without words for it, under a limit of file size."""
    out, into = os.pipe()
    go, told = os.pipe()
    child = os.fork()
    if child == 0:
        _be(work, go, into, limit=limit)
    os.close(into)
    os.close(go)
    strace = _attach(child, tracer) if tracer is not None else None
    os.write(told, b"!")
    os.close(told)
    with os.fdopen(out, errors="replace") as reader:
        printed = reader.read()
    _, status = os.waitpid(child, 0)
    if strace is not None:
        strace.wait(timeout=20)
    return Ended(os.waitstatus_to_exitcode(status), printed)


def _be(work: Callable[[], int], go: int, into: int, *, limit: int | None) -> None:
    """Be the child: wait for the tracer, work, and end without the parent's leave-taking."""
    code = 99
    try:
        ctypes.CDLL(None).prctl(_SET_TRACER, _ANY_TRACER, 0, 0, 0)
        os.dup2(into, 1)
        os.dup2(into, 2)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        os.read(go, 1)
        code = work()
    finally:
        os._exit(code)


def _attach(child: int, words: list[str]) -> "subprocess.Popen[bytes]":
    strace = subprocess.Popen(
        ["strace", "-qq", *words, "-p", str(child)], stderr=subprocess.DEVNULL
    )
    give_up = time.monotonic() + 20
    while _tracer(child) == 0:
        if strace.poll() is not None or time.monotonic() > give_up:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            raise RuntimeError("strace does not attach; is it allowed to here?")
        time.sleep(0.001)
    return strace


def _tracer(pid: int) -> int:
    found = re.search(r"^TracerPid:\s*(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def environment(words: Mapping[str, str]) -> None:
    """Set variables for this process and its children."""
    os.environ.update(words)
