"""One bump of a small host in a process of its own: `python -m tests.crash.trying ROOT [WORD]`.

WORD is `nobody`, to do it without root's rights, or the greatest size of a file that the process
may write, in bytes: beyond it a write ends short, and the next one fails. The outcome is printed
as JSON: the exit code that the command line would choose, the message and the hint.
"""

import ctypes
import json
import os
import resource
import sys
from pathlib import Path

from dgpin.errors import DgpinError
from tests.crash import faulty
from tests.crash.faulty import FaultyDisk

NOBODY = 65534


def main() -> None:
    """Bump, and say how it went."""
    root, word = Path(sys.argv[1]), (sys.argv[2:] or [""])[0]
    ctypes.CDLL(None)  # nobody may not be able to read the interpreter's own files
    if word.isdigit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(word), int(word)))
    elif word == "nobody" and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    outcome: list[object] = [0, "", ""]
    try:
        faulty.bump(root, FaultyDisk(syncs=True))
    except DgpinError as error:
        outcome = [error.exit_code, error.message, error.hint]
    sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main()
