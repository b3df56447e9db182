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
    from dgpin.api import bind_rules, lint_rules, rules  # noqa: PLC0415 - start-up

    every = (*rules.RULES, *bind_rules.RULES, *lint_rules.RULES)
    by_id = {row.id: row for row in every}
    if rule is not None and rule not in by_id:
        raise UsageError(
            f"there is no rule `{rule}` of diff-api or lint",
            hint="`dgpin explain` lists them; those of check are in docs/reference/check-rules.md.",
        )
    emit(shown.renderers(every if rule is None else (by_id[rule],)), output, json=json)
    return 0
