"""`dgpin smoke`."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from dgpin.cli.output import JsonOption, OutputOption, emit, parse
from dgpin.cli.smoke_progress import Progress
from dgpin.errors import UsageError
from dgpin.render import smoke as shown
from dgpin.render import terminal
from dgpin.smoke import catalogue
from dgpin.smoke.case import SANITIZE
from dgpin.smoke.report import ARCHITECTURES

_GPU_LEVEL = 1


def smoke(
    *,
    level: Annotated[
        int,
        typer.Option(
            "--level",
            min=0,
            max=SANITIZE,
            help="0: facts, without a GPU. 1: the core list. 2: further shapes too. 3: and under"
            " compute-sanitizer.",
        ),
    ] = _GPU_LEVEL,
    sanitize: Annotated[bool, typer.Option("--sanitize", help="The same as --level 3.")] = False,
    arch: Annotated[
        str | None,
        typer.Option("--arch", metavar="SM", help="Refuse any other GPU. Default: this one's."),
    ] = None,
    build: Annotated[
        str,
        typer.Option(
            "--build",
            metavar="BUILD",
            help="A directory, a wheel, `installed`, pypi:NAME==VERSION, or a built commit.",
        ),
    ] = "installed",
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="OLD", help="Run this build too, and compare."),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PYTHON", help="The interpreter that has torch."),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect",
            metavar="NAME,…",
            help="What the host needs: its being unsupported is a failure.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="CHECK,…", help="Run these checks.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="CHECK,…", help="Leave these out.")
    ] = None,
    list_checks: Annotated[
        bool, typer.Option("--list", help="Print the checks with what each would have caught.")
    ] = False,
    shards: Annotated[
        int | None,
        typer.Option("--shards", min=1, help="Processes at a time. Default: by the cores."),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Is this build sound on this GPU? A short list of kernels against plain references."""
    known = catalogue.load()
    if list_checks:
        terminal.write(tuple(shown.listing(known)))
        return 0
    _check_arch(arch)
    parse(output, json=json, known=shown.FORMS)
    from dgpin.smoke.session import Request, run  # noqa: PLC0415 - --list does without

    request = Request(
        build=build,
        against=against,
        python=python,
        level=SANITIZE if sanitize else level,
        arch=arch,
        expected=_expected(known_names=catalogue.capabilities(known), given=_words(expect)),
        only=_words(only),
        skip=_words(skip),
        shards=shards,
        env=dict(os.environ),
    )
    progress = Progress()
    try:
        report = run(request, known, progress)
    finally:
        progress.stop()
    # What level 3 adds is named after its tool, which the lines on screen do not say.
    complete = progress.on_screen and report.level < SANITIZE
    emit(shown.renderers(report, shown=complete), output, json=json)
    return report.exit_code()


def _words(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(word for text in given or () for word in text.split(",") if word)


def _check_arch(arch: str | None) -> None:
    if arch is not None and arch not in ARCHITECTURES:
        raise UsageError(
            f"--arch {arch}: there are no checks for it",
            hint=f"There are checks for {', '.join(ARCHITECTURES)}.",
        )


def _expected(*, known_names: Sequence[str], given: Sequence[str]) -> frozenset[str]:
    """Return what the host needs: from the command line and from `[smoke] expect`."""
    names = (*given, *_configured())
    for name in names:
        if name not in known_names:
            raise UsageError(
                f"--expect {name}: no check knows it",
                hint=f"What can be expected: {', '.join(known_names)}.",
            )
    return frozenset(names)


def _configured() -> tuple[str, ...]:
    """Return `[smoke] expect` of the host's dgpin.toml, if there is one."""
    from dgpin import config  # noqa: PLC0415 - --list does without
    from dgpin.pin import host  # noqa: PLC0415 - the same

    path = host.find_host(None).root / config.FILE
    if not path.is_file():
        return ()
    table = config.load(path).smoke
    names = table.get("expect", [])
    if set(table) - {"expect"} or not isinstance(names, list):
        raise config.ConfigError(path.name, "[smoke] has one key, `expect`, a list of names")
    return tuple(str(name) for name in names)
