"""`dgpin ci ENGINE`."""

from typing import Annotated

import typer

from dgpin import config as configuration
from dgpin.ci import pipeline
from dgpin.ci.pipeline import Engine
from dgpin.cli.architectures import RequireOption, architectures
from dgpin.cli.exit import DONE
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import write
from dgpin.errors import UsageError
from dgpin.pin import worktree
from dgpin.pin.pinned import read_pinned


class NoArchitectureError(UsageError):
    """Nothing says which architectures the pipeline is for."""

    hint = "Name them: --require sm_90,sm_100."

    def __init__(self) -> None:
        super().__init__("the host names no architecture, and none was required")


def ci(
    engine: Annotated[Engine, typer.Argument(metavar="github|buildkite|slurm")],
    *,
    host: HostOption = None,
    require: RequireOption = None,
    package: Annotated[
        str,
        typer.Option(
            "--package",
            metavar="SPEC",
            help="What pip installs where there is no dgpin: a version, a wheel, a git URL.",
        ),
    ] = "dgpin",
) -> int:
    """Write the pipeline that runs smoke on each architecture and joins the evidence.

    It goes to stdout; its first lines say where it belongs.
    """
    from dgpin.verify import gates  # noqa: PLC0415 - start-up

    found, fit = open_host(host, lenient=True)
    link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
    pinned = read_pinned(fit.reading, gitlink=link)
    named = architectures(require) or gates.architectures(fit.reading, pinned.commit)
    if not named:
        raise NoArchitectureError
    paths = {site.entry.path for site in fit.reading.sites(watch=False)}
    paths |= {fit.config.gitlink} if fit.config.gitlink else set()
    below = worktree.from_top(found.root, "")
    text = pipeline.write(
        engine,
        architectures=named,
        paths=[*sorted(paths), configuration.FILE],
        package=package,
        folder="" if below == "." else below,
    )
    write({"text": lambda: text}, (("text", None),))
    return DONE
