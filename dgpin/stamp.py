"""Whether files are as they were, without reading them.

A stamp is a hash over the file system's facts of each file, as git's index keeps them: size, times
of the contents and of the inode, and the inode. Whoever writes a file changes one of them.
"""

import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

# A file that changed this short before it was looked at may change again within its time stamp.
RACE = 2_000_000_000  # nanoseconds


def of_files(root: Path, paths: Iterable[str]) -> str:
    """Return the stamp of files below a directory; they may be absent.

    "" when it would tell nothing: a file changed just now, so that its contents may change once
    more without the stamp, or a link leads to a directory.
    """
    top = os.path.realpath(root)
    settled = time.time_ns() - RACE
    rows = [top]
    for path in paths:
        row, latest = _row(f"{top}/{path}")
        if latest > settled:
            return ""
        rows += path, row
    return hashlib.sha256("\0".join(rows).encode(errors="surrogateescape")).hexdigest()


def _row(path: str) -> tuple[str, int]:
    """Return the facts of a file, those of a link's target too, and when it last changed (ns)."""
    try:
        facts = os.lstat(path)
        if not stat.S_ISLNK(facts.st_mode):
            return _facts(facts), max(facts.st_mtime_ns, facts.st_ctime_ns)
        there = os.stat(path)  # noqa: PTH116 - the target of one of thousands
    except OSError as error:
        return str(error.errno), 0
    if stat.S_ISDIR(there.st_mode):
        return "", sys.maxsize
    latest = max(facts.st_ctime_ns, there.st_mtime_ns, there.st_ctime_ns)
    return f"{_facts(facts)}\0{_facts(there)}", latest


def _facts(facts: os.stat_result) -> str:
    times = f"{facts.st_mtime_ns}\0{facts.st_ctime_ns}"
    return f"{facts.st_mode}\0{facts.st_size}\0{times}\0{facts.st_dev}\0{facts.st_ino}"


def of_tree(root: Path) -> str:
    """Return the stamp of every file below a directory but compiled Python; "" as above."""
    return of_files(root, sorted(_walk(os.fspath(root), "")))


def _walk(top: str, prefix: str) -> Iterator[str]:
    with os.scandir(f"{top}/{prefix}") as found:
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield prefix + entry.name
            elif entry.name != "__pycache__":
                yield from _walk(top, f"{prefix}{entry.name}/")
