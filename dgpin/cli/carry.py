"""`dgpin carry OLD NEW`."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from dgpin import config as configuration
from dgpin.cli import refs
from dgpin.cli.exit import DONE, FINDINGS
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.cli.progress import task
from dgpin.config import Config
from dgpin.errors import UsageError
from dgpin.pin import host as hosts
from dgpin.pin.pinned import read_pinned
from dgpin.render import carry as shown
from dgpin.source import accepting
from dgpin.source.kept import carried
from dgpin.source.losses import Carried
from dgpin.source.operands import Operands, is_directory
from dgpin.source.sides import Side


class NoRepositoryError(UsageError):
    """A ref was named, and nothing says of which repository."""

    hint = "Name it with --repo, or give directories."

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root} pins no repository of which OLD and NEW could be refs")


def carry(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="The source that is used today.", autocompletion=refs.complete
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(metavar="NEW", help="The source to move to.", autocompletion=refs.complete),
    ],
    *,
    host: HostOption = None,
    repo: Annotated[
        str | None,
        typer.Option(metavar="PATH|URL", help="The repository of refs. Default: the pin's."),
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="What OLD is a fork of; its lines do not count. Default: the pin's.",
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use the mirror as it is; ask no network.")
    ] = False,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Which changes of OLD do not survive in NEW?

    OLD and NEW are directories, or refs of the pin's repository. Exits 1 when a change that looks
    like a fix is lost and is not accepted in dgpin.toml.
    """
    forms = parse(output, json=json, known=shown.FORMS)
    with task("comparing both sources"):
        found = _carry(old, new, host=host, repo=repo, upstream=upstream, fetch=not offline)
    write(shown.renderers(found), forms)
    return FINDINGS if found.fixes else DONE


def _carry(
    old: str, new: str, *, host: Path | None, repo: str | None, upstream: str | None, fetch: bool
) -> Carried:
    of_pin = repo is None and not (is_directory(old) and is_directory(new))
    config, pinned = _pin(host) if of_pin else (_config(host), None)
    operands = Operands(repo or pinned or "", fetch=fetch)
    sides = operands.side(old), operands.side(new)
    base: Side | None = None
    if upstream is not None:
        base = operands.side(upstream)
    elif of_pin and config is not None and config.upstream:
        base = operands.tip(config.upstream, config.branch(config.upstream))
    entries = config.carry_accept if config is not None else ()
    accepted = accepting.reasons(entries, datetime.now().astimezone().date())
    return carried(*sides, upstream=base, accepted=accepted)


def _pin(host: Path | None) -> tuple[Config, str]:
    """Return the configuration and the repository that the pin names."""
    opened, fit = open_host(host, lenient=True)
    pinned = read_pinned(fit.reading).repo or fit.config.repo
    if pinned is None:
        raise NoRepositoryError(opened.root)
    return fit.config, pinned


def _config(host: Path | None) -> Config | None:
    """Return the host's dgpin.toml, if it has one: directories can be compared anywhere."""
    path = hosts.find_host(host).root / configuration.FILE
    return configuration.load(path) if path.is_file() else None
