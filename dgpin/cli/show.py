"""`dgpin show`."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from dgpin.cli.exit import DONE, FINDINGS
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.errors import UsageError
from dgpin.pin import worktree
from dgpin.pin.pinned import read_pinned
from dgpin.pin.show import show as gather
from dgpin.render import show as shown


class NoEnvironmentError(UsageError):
    """An interpreter was named, and nothing was asked of it."""

    hint = "Add --env to see what it would import."

    def __init__(self) -> None:
        super().__init__("--python is for `dgpin show --env`")


def show(
    host: HostOption = None,
    *,
    env: Annotated[
        bool, typer.Option("--env", help="What would an interpreter import? No host is read.")
    ] = False,
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="P",
            help="The interpreter for --env. [default: the active virtual environment's, "
            "else python3]",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Which DeepGEMM is this? The pin, its sites, and the distance to the branch it follows."""
    if env:
        return _environment(python, output, json=json)
    if python is not None:
        raise NoEnvironmentError
    forms = parse(output, json=json, known=shown.FORMS)
    found, fit = open_host(host, lenient=True)
    link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
    answer = gather(found.root, fit, read_pinned(fit.reading, gitlink=link))
    write(shown.renderers(answer), forms)
    return DONE


def _environment(python: str | None, output: Sequence[str] | None, *, json: bool) -> int:
    from dgpin.build import interpreter  # noqa: PLC0415 - only --env asks one
    from dgpin.pin import environment  # noqa: PLC0415 - as above
    from dgpin.render import environment as rendered  # noqa: PLC0415 - as above

    forms = parse(output, json=json, known=rendered.FORMS)
    found = environment.read(python or interpreter.default(os.environ))
    write(rendered.renderers(found), forms)
    return FINDINGS if found.contested else DONE
