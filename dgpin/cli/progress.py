"""A line that moves while something takes long: on a terminal, and only after a second."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dgpin.render import terminal

_PATIENCE = 1.0  # seconds before anything is shown


@contextmanager
def task(what: str) -> Iterator[None]:
    """Show that something is going on, on stderr, if it takes longer than a second."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_show, args=(what, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _show(what: str, done: threading.Event) -> None:
    if not done.wait(_PATIENCE):
        with terminal.spinner(what):
            done.wait()
