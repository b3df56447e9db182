"""`dgpin smoke --bisect A..B CHECK`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dgpin.cli.output import Target, write
from dgpin.cli.progress import task
from dgpin.errors import UsageError
from dgpin.render import smoke_bisect as shown
from dgpin.render import terminal
from dgpin.smoke.case import Check

if TYPE_CHECKING:  # a plain run does without
    from dgpin.smoke.bisect import Found
    from dgpin.smoke.session import Request


def refuse(
    bisect: str | None, check: str | None, known: Sequence[Check], *, others: Sequence[object]
) -> None:
    """Refuse half a question, and options that say which builds or checks to run otherwise.

    Raises:
        UsageError: it is one of these.
    """
    if bisect is None or check is None:
        raise UsageError(
            "--bisect A..B and CHECK go together",
            hint="`dgpin smoke --bisect A..B CHECK`; --only runs one check of one build.",
        )
    if any(others):
        raise UsageError(
            "--bisect runs CHECK alone, on the builds of A..B",
            hint="Leave out --against, --only and --skip.",
        )
    if check not in {each.id for each in known}:
        raise UsageError(
            f"{check}: there is no such check", hint="`dgpin smoke --list` names them all."
        )


def run(
    between: str,
    check: str,
    request: "Request",
    known: Sequence[Check],
    forms: Sequence[Target],
) -> int:
    """Search, with a line on stderr for each commit that was tried, and show what was found."""
    from dataclasses import replace  # noqa: PLC0415 - a plain run does without

    from dgpin.build import interpreter  # noqa: PLC0415 - as above
    from dgpin.smoke import bisect  # noqa: PLC0415 - as above

    with task(f"reading {between}"):
        mirror, good, bad = bisect.ends(between, request.repositories())
    attempt = bisect.Attempt(
        mirror=mirror,
        python=interpreter.read(request.python or interpreter.default(request.env)),
        request=replace(request, level=1, only=(check,)),
        known=tuple(known),
    )
    found: Found | None = None
    try:
        for found in bisect.search(mirror, good, bad, check=check, attempt=attempt):
            if found.outcome is None:
                _tell(shown.step(found.steps[-1]))
    except KeyboardInterrupt:
        _tell(*shown.so_far(found, between, check))
        raise
    if found is None or found.outcome is None:
        raise AssertionError("a search ends with an outcome")
    write(shown.renderers(found), forms)
    return found.outcome.exit_code


def _tell(*lines: terminal.Line) -> None:
    import sys  # noqa: PLC0415 - as above

    terminal.write(lines, sys.stderr)
    sys.stderr.flush()
