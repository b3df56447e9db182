"""`--require sm_90,sm_100`: the architectures that a command is about."""

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from dgpin.errors import UsageError

_ARCHITECTURE = re.compile(r"sm_[0-9]{2,3}")

RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="SM,…",
        help="The architectures to prove. Default: those that the host enables.",
        show_default=False,
    ),
]


def words(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words of an option that can be repeated and holds several with commas."""
    return tuple(word for text in given or () for word in text.split(",") if word)


def architectures(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the architectures, each once.

    Raises:
        UsageError: a word that names none.
    """
    names = words(given)
    for name in names:
        if _ARCHITECTURE.fullmatch(name) is None:
            raise UsageError(
                f"--require {name}: that is no architecture",
                hint="Write it as sm_90, several as sm_90,sm_100.",
            )
    return tuple(dict.fromkeys(names))
