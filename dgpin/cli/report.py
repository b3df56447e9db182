"""`dgpin report FILE…`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dgpin.cli.architectures import architectures
from dgpin.cli.exit import DONE, FINDINGS, INCOMPLETE
from dgpin.cli.output import JsonOption, OutputOption, Target, parse, write
from dgpin.errors import UsageError
from dgpin.evidence.join import join
from dgpin.render import report as shown
from dgpin.verdict import Verdict

_CODES = {Verdict.FAIL: FINDINGS, Verdict.UNKNOWN: INCOMPLETE, Verdict.PASS: DONE}


def report(
    evidence: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="JSON of smoke, check, diff-api, …")
    ],
    *,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="ARCH,…", help="Architectures without which there is no pass."),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Join evidence of several machines into one verdict.

    Exits 1 where something failed, 3 where an architecture is not proven or something is open.
    """
    forms = parse(output, json=json, known=shown.FORMS)
    named = [architectures([each.replace(" ", "")]) for each in require or ()]
    if not all(named):
        # An empty variable of a script must not make every pass easy.
        raise UsageError("--require names no architecture", hint="Name them, or leave it out.")
    _spare(evidence, forms)
    joined = join(evidence, required=[arch for each in named for arch in each])
    write(shown.renderers(joined), forms)
    return _CODES[joined.verdict]


def _spare(evidence: Sequence[Path], forms: Sequence[Target]) -> None:
    """Refuse to write the report over what it is made of."""
    given = {os.path.realpath(path) for path in evidence}
    for name, target in forms:
        if target is not None and os.path.realpath(target) in given:
            raise UsageError(
                f"-o {name}={target}: that file is evidence, and would be written over",
                hint="Write the report to another file, or name the evidence without it.",
            )
