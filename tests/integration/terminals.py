"""A terminal of a given width, and what a program writes to it."""

import contextlib
import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path


def written(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], columns: int | None
) -> tuple[int, str]:
    """Run a program to its end; return its code, and stdout and stderr as they came.

    `columns` is the width of its terminal; None is a pipe.
    """
    if columns is None:
        done = subprocess.run(
            argv, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return done.returncode, done.stdout.decode()
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen(argv, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    parts = []
    with contextlib.suppress(OSError):  # how a terminal says that nobody is there any more
        while part := os.read(ours, 65536):
            parts.append(part)
    os.close(ours)
    # The terminal turns each line end into two characters.
    return child.wait(), b"".join(parts).decode().replace("\r\n", "\n")
