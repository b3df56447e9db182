"""`dgpin explain RULE`."""

from typing import Annotated

import typer

from dgpin.cli.output import JsonOption, OutputOption, emit
from dgpin.errors import UsageError
from dgpin.render import explain as shown


def explain(
    rule: Annotated[
        str | None, typer.Argument(metavar="RULE", help="A rule's name; all when left out.")
    ] = None,
    *,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Say what a rule means: why it matters, what to do, before and after."""
    from dgpin.api.rules import BY_ID, RULES  # noqa: PLC0415 - start-up

    if rule is not None and rule not in BY_ID:
        raise UsageError(f"there is no rule `{rule}`", hint="`dgpin explain` lists them all.")
    emit(shown.renderers(RULES if rule is None else (BY_ID[rule],)), output, json=json)
    return 0
