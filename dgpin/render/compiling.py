"""What is seen while targets compile: a line for each, with the time that it takes."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dgpin.build.compiling import Event

Tell = Callable[[Event], None]


@contextmanager
def progress() -> Iterator[Tell]:
    """Return what is to be told of events; lines move on a terminal, and else are written once."""
    if not sys.stderr.isatty():
        yield _write
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal pays for it
    from rich.progress import (  # noqa: PLC0415 - as above
        Progress,
        SpinnerColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def tell(event: Event) -> None:
            if not event.ended:
                tasks[event.target] = bars.add_task(f"compiling {event.target}", total=1)
            else:
                bars.update(tasks[event.target], description=_ended(event), completed=1)

        yield tell


def _write(event: Event) -> None:
    line = _ended(event) if event.ended else f"compiling {event.target}"
    with contextlib.suppress(OSError):  # who followed it may have gone; the build goes on
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _ended(event: Event) -> str:
    how = "failed" if event.code else "compiled"
    return f"{how} {event.target} in {event.seconds:.1f} s"
