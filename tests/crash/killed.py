"""Bumps that are killed for real: `python -m tests.crash.killed ROOM`.

Each bumps a small host of its own, ROOM/N, in a forked child that sends itself SIGKILL in place
of its Nth state-changing call. The last one lives; its number is printed.
"""

import os
import signal
import sys
from pathlib import Path

from tests.crash import faulty
from tests.crash.faulty import FaultyDisk


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Kill one bump a call, until one has fewer calls."""
    room = Path(sys.argv[1])
    number = 0
    while True:
        root = room / str(number)
        faulty.make_host(root, git=number % 2 == 0)
        child = os.fork()
        if child == 0:
            faulty.bump(root, FaultyDisk(at=number, fault=_kill, syncs=True))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            sys.stdout.write(str(number) if os.WEXITSTATUS(status) == 0 else "failed")
            return
        number += 1


if __name__ == "__main__":
    main()
