"""The host that a command is about: its option, and what every reading command does first."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dgpin.errors import DgpinError, UnavailableError
from dgpin.files.home import is_quiet
from dgpin.pin import host as hosts
from dgpin.pin.host import Fit, Host

if TYPE_CHECKING:  # reading commands start without what writing needs
    from dgpin.files import Recovery

HostOption = Annotated[
    Path | None,
    typer.Option(
        "--host",
        metavar="DIR",
        help="The project that pins DeepGEMM. Default: from here upward.",
        show_default=False,
    ),
]


_PATIENCE = 2.0  # seconds: how long a reading command waits for a writing one
_PAUSE = 0.005


def open_host(given: Path | None, *, lenient: bool = False) -> tuple[Host, Fit]:
    """Return the host and what its configuration, or the preset that fits, found in it.

    Raises:
        InterruptedBumpError: an interrupted run left the tree in between.
        UsageError: no host, no preset, or a configuration that cannot be used.
    """
    host = hosts.find_host(given)
    give_up = time.monotonic() + _PATIENCE
    while True:
        fit = hosts.fit(host, lenient=lenient)
        # What reads the same before and after a look that finds no bump under way stood so at
        # that moment. The look has to come between the two.
        if is_quiet(host.root) and fit.reading.is_as_read(host.read):
            return host, fit
        _refuse_interrupted(host)
        if time.monotonic() > give_up:
            raise RestlessError(host.root)
        time.sleep(_PAUSE)


def repositories(given: Path | None) -> tuple[str, ...]:
    """Return where refs are: the host's pin and its forks, and where DeepGEMM is made."""
    from dgpin.api.references import REPOSITORIES  # noqa: PLC0415 - start-up: builds only
    from dgpin.pin.pinned import read_pinned  # noqa: PLC0415 - as above

    try:
        fit = hosts.fit(hosts.find_host(given), lenient=True)
    except DgpinError:
        return REPOSITORIES
    config = fit.config
    named = [read_pinned(fit.reading).repo, config.repo, config.upstream, *config.forks]
    return tuple(dict.fromkeys([*filter(None, named), *REPOSITORIES]))


class RestlessError(UnavailableError):
    """The host's files are being written all the time."""

    hint = "Wait until the other program has ended, then run the same command again."

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root}: the site files change while they are read")


def _refuse_interrupted(host: Host) -> None:
    from dgpin import files  # noqa: PLC0415 - start-up: it is seldom needed

    interrupted = files.pending(host.root)
    if interrupted is not None:
        raise files.InterruptedBumpError(interrupted)


def tell_recovery(found: "Recovery | None") -> None:
    """Say on stderr what became of an interrupted run, whatever becomes of this one."""
    if found is None:
        return
    names = ", ".join(found.paths) or "its files"
    what = "hold the new text now" if found.finished else "had not been touched"
    typer.echo(f"dgpin: an interrupted {found.command} was put in order: {names} {what}", err=True)
