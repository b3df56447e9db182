"""`-o FORMAT[=FILE]`: one result, written in any number of forms."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dgpin.errors import UsageError
from dgpin.render import terminal
from dgpin.render.hidden import hide
from dgpin.render.terminal import Rendered, Renderers

OutputOption = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FORMAT[=FILE]",
        help="Write the result in this form, to FILE or stdout. Can be repeated.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="The same as -o json.")]


Target = tuple[str, Path | None]  # a form, and its file; None is stdout


def emit(renderers: Renderers, wanted: Sequence[str] | None, *, json: bool = False) -> None:
    """Write one result in every form that was asked for; plain text when none was.

    Raises:
        UsageError: as `parse`, which long work calls first.
    """
    write(renderers, parse(wanted, json=json, known=tuple(renderers)))


def write(renderers: Renderers, targets: Sequence[Target]) -> None:
    """Write one result in the forms that `parse` returned."""
    for name, target in targets:
        rendered = _hidden(renderers[name]())
        if target is not None:
            from dgpin import files  # noqa: PLC0415 - start-up: most results go to stdout

            text = rendered if isinstance(rendered, str) else terminal.plain(rendered)
            files.write_result(target, text)
        else:
            _to_stdout(rendered)


def _hidden(rendered: Rendered) -> Rendered:
    if isinstance(rendered, str):
        return hide(rendered)
    # An address may stand in several spans, so a line that holds a secret loses its style.
    lines = ((line, "".join(text for text, _ in line)) for line in rendered)
    return [line if (safe := hide(text)) == text else [(safe, "")] for line, text in lines]


def _to_stdout(rendered: Rendered) -> None:
    try:
        if isinstance(rendered, str):
            typer.echo(rendered, nl=not rendered.endswith("\n"))
        else:
            terminal.write(rendered)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read it has gone, as in `dgpin show | head`. That is no failure, but typer would
        # end with 1, which means findings.
        let_go_of_stdout()


def let_go_of_stdout() -> None:
    """Send what is still in the buffer nowhere, lest the interpreter try again at its end."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parse(wanted: Sequence[str] | None, *, json: bool, known: Sequence[str]) -> tuple[Target, ...]:
    """Return the forms and their files, before any work is done; text without a wish.

    `-` for a file is stdout, as elsewhere.

    Raises:
        UsageError: a form that the command does not have, or two for one place.
    """
    words = [*(wanted or ()), *(["json"] if json else [])] or ["text"]
    parsed: list[Target] = []
    for word in words:
        name, _, file = word.partition("=")
        if name not in known:
            raise UsageError(
                f"-o {word}: this command has no form `{name}`",
                hint=f"Its forms are {', '.join(known)}.",
            )
        parsed.append((name, Path(file) if file not in {"", "-"} else None))
    target, times = Counter(target for _, target in parsed).most_common(1)[0]
    if times > 1:
        raise UsageError(
            f"two forms would both go to {target or 'stdout'}",
            hint="Give each a file of its own: -o FORMAT=FILE.",
        )
    return tuple(parsed)
