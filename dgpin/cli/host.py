"""The host that a command is about: its option, and what every reading command does first."""

from pathlib import Path
from typing import Annotated

import typer

from dgpin.errors import UnavailableError
from dgpin.files.home import is_quiet
from dgpin.pin import host as hosts
from dgpin.pin.host import Fit, Host

HostOption = Annotated[
    Path | None,
    typer.Option(
        "--host",
        metavar="DIR",
        help="The project that pins DeepGEMM. [default: from here upward]",
        show_default=False,
    ),
]


def open_host(given: Path | None, *, lenient: bool = False) -> tuple[Host, Fit]:
    """Return the host and what its configuration, or the preset that fits, found in it.

    Raises:
        InterruptedBumpError: an interrupted run left the tree in between.
        UsageError: no host, no preset, or a configuration that cannot be used.
    """
    host = hosts.find_host(given)
    if not is_quiet(host.root):
        _refuse_interrupted(host)
    try:
        return host, hosts.fit(host, lenient=lenient)
    except PermissionError as error:
        raise UnreadableError(error) from error


def _refuse_interrupted(host: Host) -> None:
    from dgpin import files  # noqa: PLC0415 - start-up: it is seldom needed

    interrupted = files.pending(host.root)
    if interrupted is not None:
        raise files.InterruptedBumpError(interrupted)


class UnreadableError(UnavailableError):
    """A file of the host cannot be read."""

    hint = "Run as a user who may read the host's files."

    def __init__(self, error: OSError) -> None:
        super().__init__(f"{error.filename}: {error.strerror}")
