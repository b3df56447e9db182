"""`dgpin smoke`."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dgpin.cli import refs, smoke_bisect
from dgpin.cli.host import repositories
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.cli.smoke_progress import Progress
from dgpin.errors import UsageError
from dgpin.pin import host as hosts
from dgpin.render import smoke as shown
from dgpin.render import smoke_bisect as bisect_shown
from dgpin.render import terminal
from dgpin.smoke import catalogue
from dgpin.smoke.case import SANITIZE
from dgpin.smoke.report import ARCHITECTURES

_GPU_LEVEL = 1


def smoke(
    check: Annotated[
        str | None,
        typer.Argument(metavar="CHECK", help="With --bisect: the check.", show_default=False),
    ] = None,
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
            help="A directory, a wheel, `installed`, pypi:NAME==VERSION, or a ref that is built.",
            autocompletion=refs.complete,
        ),
    ] = "installed",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="OLD",
            help="Run this build too, and compare.",
            autocompletion=refs.complete,
        ),
    ] = None,
    bisect: Annotated[
        str | None,
        typer.Option(
            "--bisect",
            metavar="A..B",
            help="Build the commits between, and find the first at which CHECK fails.",
        ),
    ] = None,
    host: Annotated[
        Path | None,
        typer.Option(
            "--host",
            metavar="DIR",
            help="The project whose names and keywords the build must have. Default: vLLM's list.",
            show_default=False,
        ),
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
    if against is not None and level == 0 and not sanitize:
        raise UsageError(
            "--against compares what runs, and level 0 runs nothing",
            hint="Leave out --level 0, or read each build by itself.",
        )
    searching = check is not None or bisect is not None
    if searching:
        smoke_bisect.refuse(bisect, check, known, others=(against, only, skip))
    forms = parse(output, json=json, known=bisect_shown.FORMS if searching else shown.FORMS)
    from dgpin.smoke.session import Request, run  # noqa: PLC0415 - --list does without

    request = Request(
        build=build,
        against=against,
        python=python,
        level=SANITIZE if sanitize else level,
        arch=arch,
        expected=_expected(host, known_names=catalogue.capabilities(known), given=_words(expect)),
        only=_words(only),
        skip=_words(skip),
        shards=shards,
        env=dict(os.environ),
        host=hosts.find_host(host).root if host is not None else None,
        repositories=partial(repositories, host),
    )
    if searching:
        return smoke_bisect.run(str(bisect), str(check), request, known, forms)
    progress = Progress()
    try:
        report = run(request, known, progress)
    finally:
        progress.stop()
    # What level 3 adds is named after its tool, which the lines on screen do not say.
    complete = progress.on_screen and report.level < SANITIZE
    write(shown.renderers(report, shown=complete), forms)
    return report.exit_code()


def _words(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(word for text in given or () for word in text.split(",") if word)


def _check_arch(arch: str | None) -> None:
    if arch is not None and arch not in ARCHITECTURES:
        raise UsageError(
            f"--arch {arch}: there are no checks for it",
            hint=f"There are checks for {', '.join(ARCHITECTURES)}.",
        )


def _expected(
    host: Path | None, *, known_names: Sequence[str], given: Sequence[str]
) -> frozenset[str]:
    """Return what the host needs: from the command line and from `[smoke] expect`."""
    names = (*given, *_configured(host))
    for name in names:
        if name not in known_names:
            raise UsageError(
                f"--expect {name}: no check knows it",
                hint=f"What can be expected: {', '.join(known_names)}.",
            )
    return frozenset(names)


def _configured(given: Path | None) -> tuple[str, ...]:
    """Return `[smoke] expect` of the host's dgpin.toml, if there is one."""
    from dgpin import config  # noqa: PLC0415 - --list does without

    path = hosts.find_host(given).root / config.FILE
    if not path.is_file():
        return ()
    table = config.load(path).smoke
    names = table.get("expect", [])
    if set(table) - {"expect"} or not isinstance(names, list):
        raise config.ConfigError(path.name, "[smoke] has one key, `expect`, a list of names")
    return tuple(str(name) for name in names)
