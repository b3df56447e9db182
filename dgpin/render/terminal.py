"""Lines of styled text. rich paints them, and is loaded only when there is colour to show."""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO

# C0 and C1, but for tabs and the ends of lines.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?=[^\n])")

Span = tuple[str, str]  # text, rich style ("" for none)
Line = Sequence[Span]
# A renderer of text returns lines; every other one returns the whole document.
Rendered = str | Sequence[Line]
Renderers = Mapping[str, Callable[[], Rendered]]


def wants_colour(stream: TextIO) -> bool:
    """Follow NO_COLOR (no-color.org) and FORCE_COLOR, then whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def plain(lines: Iterable[Line]) -> str:
    """Return the lines as text without styles."""
    return "".join("".join(_visible(text) for text, _ in line) + "\n" for line in lines)


def _visible(text: str) -> str:
    """Return text that moves no cursor: what others wrote paints over no verdict."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def write(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Write the lines, painted where the stream shows colour."""
    stream = sys.stdout if stream is None else stream
    if not wants_colour(stream):
        stream.write(plain(lines))
        return
    from rich.console import Console  # noqa: PLC0415 - 40 ms that plain output does not pay
    from rich.text import Text  # noqa: PLC0415

    # Where the reader has gone, rich ends the program by itself, with 1; so it writes no stream.
    painted = io.StringIO()
    console = Console(file=painted, force_terminal=True, highlight=False, soft_wrap=True)
    for line in lines:
        # Text.assemble, never markup: a path may hold brackets.
        shown = ((_visible(text), style) for text, style in line)
        console.print(Text.assemble(*shown), soft_wrap=True)
    stream.write(painted.getvalue())


@contextmanager
def spinner(what: str) -> Iterator[None]:
    """Show a spinner on stderr, which must be a terminal."""
    from rich.console import Console  # noqa: PLC0415 - as above

    with Console(stderr=True).status(what):
        yield
