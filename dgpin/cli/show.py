"""`dgpin show`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dgpin.cli.exit import DONE, code
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.errors import UsageError
from dgpin.pin import worktree
from dgpin.pin.host import Fit, Host
from dgpin.pin.pinned import Pinned, read_pinned
from dgpin.pin.show import identified
from dgpin.pin.show import show as gather
from dgpin.render import show as shown


class NoEnvironmentError(UsageError):
    """An interpreter was named, and its environment was not asked for."""

    hint = "Add --env to see what it would import."

    def __init__(self) -> None:
        super().__init__("--python is for `dgpin show --env`")


def show(
    host: HostOption = None,
    *,
    env: Annotated[
        bool,
        typer.Option("--env", help="What would an interpreter import? With --host: is it the pin?"),
    ] = False,
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="P",
            help="The interpreter for --env. Default: the active virtual environment's, "
            "else python3.",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Which DeepGEMM is this? The pin, its sites, and the distance to the branch it follows."""
    if env:
        return _environment(host, python, output, json=json)
    if python is not None:
        raise NoEnvironmentError
    forms = parse(output, json=json, known=shown.FORMS)
    found, fit = open_host(host, lenient=True)
    answer = gather(found.root, fit, _pinned(found, fit))
    write(shown.renderers(answer), forms)
    return DONE


def _pinned(host: Host, fit: Fit) -> Pinned:
    link = worktree.gitlink(host.root, fit.config.gitlink) if fit.config.gitlink else None
    return read_pinned(fit.reading, gitlink=link)


def _environment(
    host: Path | None, python: str | None, output: Sequence[str] | None, *, json: bool
) -> int:
    from dgpin.build import interpreter  # noqa: PLC0415 - only --env asks one
    from dgpin.pin import environment, environment_check  # noqa: PLC0415 - as above
    from dgpin.render import environment as rendered  # noqa: PLC0415 - as above

    forms = parse(output, json=json, known=rendered.FORMS)
    pinned = _pinned(*open_host(host, lenient=True)) if host is not None else None
    found = environment.read(python or interpreter.default(os.environ))
    if pinned is not None:
        found = identified(found, pinned)
    rows = environment_check.judge(found, pin=pinned.commit if pinned else None)
    write(rendered.renderers(found, rows), forms)
    return code((row.verdict for row in rows), asked=False)
