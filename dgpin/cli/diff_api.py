"""`dgpin diff-api A B`."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import cache as once
from pathlib import Path
from typing import Annotated

import typer

from dgpin import config as configuration
from dgpin.api import allow, diff, load, locate
from dgpin.api.diff import Question
from dgpin.api.references import Lookup
from dgpin.api.report import Report
from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter
from dgpin.cli import refs
from dgpin.cli.exit import DONE, FINDINGS, INCOMPLETE
from dgpin.cli.host import repositories
from dgpin.cli.output import JsonOption, OutputOption, Target, parse, write
from dgpin.cli.progress import task
from dgpin.config import Accepted
from dgpin.pin import host as hosts
from dgpin.render import diff_api as shown
from dgpin.verdict import Verdict

_CODES = {Verdict.FAIL: FINDINGS, Verdict.UNKNOWN: INCOMPLETE, Verdict.PASS: DONE}


def diff_api(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="The build that is used today.", autocompletion=refs.complete
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(metavar="B", help="The build to move to.", autocompletion=refs.complete),
    ],
    *,
    python: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The interpreter that loads them; it must have torch."),
    ] = None,
    python_a: Annotated[
        str | None, typer.Option(metavar="PATH", help="The interpreter for A alone.")
    ] = None,
    python_b: Annotated[
        str | None, typer.Option(metavar="PATH", help="The interpreter for B alone.")
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Read text and binaries; load nothing.")
    ] = False,
    compile_: Annotated[
        bool, typer.Option("--compile", help="Build a git ref that is not in the build cache.")
    ] = False,
    repo: Annotated[
        str | None,
        typer.Option(
            "--repo", metavar="URL", help="Where git refs are. Default: where the pin is."
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="The time limit of each load.")
    ] = load.TIMEOUT,
    host: Annotated[
        Path | None,
        typer.Option(
            "--host",
            metavar="DIR",
            help="A project that uses DeepGEMM: say which of its lines break, and how.",
        ),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """See what a move of DeepGEMM from A to B breaks.

    A and B are: a directory that holds deep_gemm/, a wheel (path or URL), `installed`,
    pypi:NAME==VERSION, or a git ref. Exits 1 for what breaks, 3 when none was seen but something
    could not be read.
    """
    forms = parse(output, json=json, known=shown.FORMS)
    today = datetime.now().astimezone().date()
    with task("reading both builds"):

        @once
        def lookup() -> Lookup:
            places = (repo,) if repo else repositories(host)
            return Lookup(repositories=places, text_only=static, compile=compile_)

        pythons = (python_a or python, python_b or python)
        questions = _questions((a, b), pythons, lookup, static=static)
        report = diff.report(
            *questions,
            accepted=_accepted(host),
            today=today,
            timeout=timeout,
        )
    if host is not None:
        return _host(host, report, forms, accepted=_accepted(host), today=today)
    write(shown.renderers(report), forms)
    return _CODES[report.verdict]


def _host(
    root: Path,
    report: Report,
    forms: Sequence[Target],
    *,
    accepted: Sequence[Accepted],
    today: date,
) -> int:
    """Show which uses of a host the move breaks; they decide, not the changes themselves."""
    from dgpin.api.bind_findings import impact  # noqa: PLC0415 - only --host pays for it
    from dgpin.api.host.scan import scan  # noqa: PLC0415
    from dgpin.render import host_impact  # noqa: PLC0415

    with task("reading the host"):
        found = impact(scan(hosts.find_host(root).root), report.comparison)
    uses = [each.fingerprint for each in found.breaks]
    allowed = allow.apply(accepted, report.comparison.changes, today=today, uses=uses)
    report, found = replace(report, allowed=allowed), replace(found, accepted=allowed.reasons)
    write(host_impact.renderers(report, found), forms)
    if found.breaks or allowed.rows:
        return FINDINGS
    return INCOMPLETE if found.is_incomplete or report.is_incomplete else DONE


def _questions(
    specs: tuple[str, str],
    pythons: tuple[str | None, str | None],
    lookup: Callable[[], Lookup],
    *,
    static: bool,
) -> tuple[Question, Question]:
    """Return both sides. `lookup` reads the host's pin, and is asked for refs alone."""
    asked: dict[str | None, Interpreter] = {}
    for name in pythons:
        if name not in asked:
            found = name or interpreter.default(os.environ)
            asked[name] = interpreter.read(found, modules=load.MODULES)
    questions = []
    for spec, name in zip(specs, pythons, strict=True):
        python = asked[name]
        named = locate.named(spec, python=python, static=static) or lookup().find(spec, python)
        questions.append(Question(named=named, python=None if static else python))
    return questions[0], questions[1]


def _accepted(host: Path | None) -> tuple[Accepted, ...]:
    path = Path(hosts.find_host(host).root, configuration.FILE)
    return configuration.load(path).allow if path.is_file() else ()
