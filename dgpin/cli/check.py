"""`dgpin check`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dgpin.cli.exit import code
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.cli.progress import task
from dgpin.config import Config
from dgpin.errors import UsageError
from dgpin.pin import facts as cached
from dgpin.pin import stray, worktree
from dgpin.pin.check import check as judge_pin
from dgpin.pin.facts import Facts
from dgpin.pin.pinned import Pinned, read_pinned
from dgpin.render import check as shown
from dgpin.verdict import Row


class NothingToAskError(UsageError):
    """An interpreter was named, and nothing was asked of it."""

    hint = "Add --env, or --artefact with the wheel, directory or .so to judge."

    def __init__(self) -> None:
        super().__init__("--python is for `dgpin check --artefact` and `--env`")


class TwoQuestionsError(UsageError):
    """One command was asked to judge two things, each in the place of the other."""

    hint = "Ask in two commands."

    def __init__(self, option: str, other: str) -> None:
        super().__init__(f"{other} judges something else than {option} asks about")


def check(
    host: HostOption = None,
    *,
    remote: Annotated[
        bool, typer.Option("--remote", help="Read the pinned source first, over the network.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 3 where something could not be told.")
    ] = False,
    docs: Annotated[
        bool, typer.Option("--docs", help="Judge documents that pin a DeepGEMM as well.")
    ] = False,
    artefact: Annotated[
        Path | None,
        typer.Option(
            "--artefact", metavar="PATH", help="Judge a wheel, a directory or a .so instead."
        ),
    ] = None,
    env: Annotated[
        bool, typer.Option("--env", help="Judge what an interpreter would import instead.")
    ] = False,
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="P",
            help="The interpreter for --artefact and --env. Default: the active virtual "
            "environment's, else python3.",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Do the sites agree, and do they fit the source they pin?

    Read-only, and offline unless --remote. What cannot be told is shown as unknown.
    """
    if artefact is not None or env:
        given = {"--host": host is not None, "--remote": remote, "--docs": docs}
        given["--env"] = env and artefact is not None
        for option in (name for name, is_given in given.items() if is_given):
            raise TwoQuestionsError(option, "--env" if artefact is None else "--artefact")
        return _artefact(artefact, python, output, json=json, strict=strict)
    if python is not None:
        raise NothingToAskError
    forms = parse(output, json=json, known=shown.FORMS)
    found, fit = open_host(host, lenient=True)
    link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
    pinned = read_pinned(fit.reading, gitlink=link)
    facts, offered = _ask(pinned, fit.config) if remote else (_known(pinned), ())
    search = stray.search_in(found.root)
    rows = (*offered, *judge_pin(found, fit, pinned, facts, search=search))
    if docs:
        from dgpin.pin.advice import advice  # noqa: PLC0415 - start-up: only --docs asks

        rows += advice(pinned, search)
    answer = shown.Answer(root=found.root, fit=fit, pinned=pinned, rows=rows)
    write(shown.renderers(answer), forms)
    return code((row.verdict for row in rows), asked=remote or strict)


def _artefact(
    path: Path | None, python: str | None, output: Sequence[str] | None, *, json: bool, strict: bool
) -> int:
    from dgpin.build import artefact, interpreter  # noqa: PLC0415 - start-up: sites need neither
    from dgpin.render import artefact as rendered  # noqa: PLC0415 - as above

    forms = parse(output, json=json, known=rendered.FORMS)
    asked = interpreter.read(python or interpreter.default(os.environ))
    with task(f"reading {path or asked.path}"):
        if path is None:
            rows = artefact.check_environment(asked)
        else:
            rows = artefact.check_artefact(path, interpreter=asked)
    write(rendered.renderers(str(path or asked.path), rows), forms)
    return code((row.verdict for row in rows), asked=strict)


def _known(pinned: Pinned) -> Facts | None:
    commit = pinned.commit
    return cached.load(commit) if commit is not None and pinned.is_full else None


def _ask(pinned: Pinned, config: Config) -> tuple[Facts | None, tuple[Row, ...]]:
    from dgpin.pin import offered  # noqa: PLC0415 - brings GitPython
    from dgpin.pin.sources import Mirrors  # noqa: PLC0415 - as above

    mirrors = Mirrors(fetch=True, others=config.others, allow_unreachable=True)
    with task("reading the pinned source"):
        return offered.ask(pinned, mirrors)
