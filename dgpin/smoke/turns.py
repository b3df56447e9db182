"""Whose turn it is: how many shards work at once, and which one has the device to itself.

A kernel that faults while another process has work on the GPU can leave both hanging in a switch
of contexts. The driver gives that up after five seconds (Xid 109), and every process on the GPU
pays for it. So what may fault waits until nobody else works.
"""

import threading
from collections.abc import Callable
from pathlib import Path

_POLL = 0.05


class Turns:
    """The shards of a run, each known by the file that tells it to go; shared by their threads.

    At most `limit` work at once; `ahead` are still to begin. A shard that waits to be alone does
    not count as working, and is told to go once nobody works and all have begun.
    """

    def __init__(self, *, limit: int, ahead: int) -> None:
        self._limit = limit
        self._ahead = ahead
        self._working: set[Path] = set()
        self._waiting: list[Path] = []
        self._changed = threading.Condition()

    def begin(self, go: Path, stopped: Callable[[], bool]) -> None:
        """Take a place, once there is one or the run has stopped."""
        with self._changed:
            while len(self._working) >= self._limit and not stopped():
                self._changed.wait(_POLL)
            self._ahead -= 1
            self._working.add(go)

    def wait(self, go: Path) -> None:
        """Put a shard in the queue of those that want to be alone."""
        with self._changed:
            self._working.discard(go)
            self._waiting.append(go)
            self._move_on()

    def resume(self, go: Path) -> None:
        """Count a shard as working again: it was told to go, or its process is another now."""
        with self._changed:
            if go in self._waiting:
                self._waiting.remove(go)
            go.unlink(missing_ok=True)
            self._working.add(go)

    def end(self, go: Path) -> None:
        """Forget a shard whose last process is gone, and its context with it."""
        with self._changed:
            self._working.discard(go)
            self._move_on()

    def _move_on(self) -> None:
        if self._waiting and not self._working and not self._ahead:
            chosen = self._waiting.pop(0)
            self._working.add(chosen)
            chosen.touch()
        self._changed.notify_all()
