"""`dgpin init`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from dgpin import config, files
from dgpin.cli.exit import DONE
from dgpin.cli.host import HostOption, open_host, tell_recovery
from dgpin.errors import UsageError
from dgpin.files import Edit
from dgpin.pin import host as hosts
from dgpin.pin.pinned import read_pinned


class AlreadyError(UsageError):
    """The host has a configuration of its own."""

    hint = "Edit it, or remove it first; dgpin does not overwrite it."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already")


def init(
    host: HostOption = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Print the file and write nothing.")
    ] = False,
) -> int:
    """Write the preset that fits this host to dgpin.toml, its comments included."""
    found, fit = open_host(host)
    path = found.root / config.FILE
    if os.path.lexists(path):
        raise AlreadyError(path)
    pinned = read_pinned(fit.reading)
    branch = fit.config.branch(pinned.repo)
    values = {"repo": pinned.repo, "follow": branch}
    text = hosts.written(fit, found, {k: v for k, v in values.items() if v is not None})
    if dry_run:
        typer.echo(text, nl=False)
        return DONE
    with files.locked(found.root, command="init") as tree:
        tell_recovery(tree.recovery)
        tree.apply([Edit(path=config.FILE, old=None, new=text.encode())])
    typer.echo(f"{path} written, from the preset {fit.config.source}")
    return DONE
