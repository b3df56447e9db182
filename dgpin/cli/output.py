"""`-o FORMAT[=FILE]`: one result, written in any number of forms."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dgpin.errors import UsageError
from dgpin.render import terminal
from dgpin.render.terminal import Renderers

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


def emit(renderers: Renderers, wanted: Sequence[str] | None, *, json: bool = False) -> None:
    """Write one result in every form that was asked for; plain text when none was.

    Raises:
        UsageError: a form that this command does not have.
    """
    for name, target in parse(wanted, json=json, known=tuple(renderers)):
        rendered = renderers[name]()
        if target is not None:
            text = rendered if isinstance(rendered, str) else terminal.plain(rendered)
            from dgpin import files  # noqa: PLC0415 - start-up: most results go to stdout

            files.write_result(target, text)
        elif isinstance(rendered, str):
            typer.echo(rendered, nl=not rendered.endswith("\n"))
        else:
            terminal.write(rendered)


def parse(
    wanted: Sequence[str] | None, *, json: bool, known: Sequence[str]
) -> tuple[tuple[str, Path | None], ...]:
    """Return the forms and their files; at most one form goes to stdout."""
    words = [*(wanted or ()), *(["json"] if json else [])] or ["text"]
    parsed: list[tuple[str, Path | None]] = []
    for word in words:
        name, _, target = word.partition("=")
        if name not in known:
            raise UsageError(
                f"-o {word}: this command has no form `{name}`",
                hint=f"Its forms are {', '.join(known)}.",
            )
        parsed.append((name, Path(target) if target else None))
    if sum(target is None for _, target in parsed) > 1:
        raise UsageError(
            "two forms would both go to stdout", hint="Give all but one a file: -o FORMAT=FILE."
        )
    return tuple(parsed)
