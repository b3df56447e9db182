"""`dgpin lint`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dgpin.cli.exit import DONE, FINDINGS, INCOMPLETE
from dgpin.cli.host import HostOption, open_host, repositories
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.cli.progress import task
from dgpin.errors import UsageError
from dgpin.pin import host as hosts
from dgpin.pin import worktree
from dgpin.pin.pinned import read_pinned

if TYPE_CHECKING:
    from dgpin.api.surface import Surface

_FORMS = ("text", "json", "markdown", "github", "sarif")


class NoPinError(UsageError):
    """The host does not say which commit it pins, and no build was named."""

    hint = "Name one: `dgpin lint --build BUILD`."

    def __init__(self) -> None:
        super().__init__("the host's pin names no commit whose API could be read")


def lint(
    host: HostOption = None,
    *,
    build: Annotated[
        str | None,
        typer.Option(
            "--build",
            metavar="BUILD",
            help="The API to hold the host against, as in diff-api. Default: the pin's.",
            show_default=False,
        ),
    ] = None,
    python: Annotated[
        str | None, typer.Option(help="The interpreter that loads the build; it must have torch.")
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Read text and binaries; load nothing.")
    ] = False,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """What is fragile at the host's boundary to the API that it pins today?

    `# dgpin: ignore[RULE] reason` on a line leaves it alone. `dgpin explain RULE` says what a rule
    means. Exits 1 for errors, 3 when there were none but something could not be told.
    """
    from dgpin.api.host.scan import scan  # noqa: PLC0415 - start-up
    from dgpin.api.lint import lint as judge  # noqa: PLC0415
    from dgpin.render import lint as shown  # noqa: PLC0415

    forms = parse(output, json=json, known=_FORMS)
    with task("reading the host and the API"):
        if build is None:
            root, spec, places = _pin(host)
        else:
            root, spec, places = hosts.find_host(host).root, build, repositories(host)
        surface = _surface(spec, places, python=python, static=static)
        answer = judge(scan(root), surface)
    write(shown.renderers(answer), forms)
    if answer.errors:
        return FINDINGS
    return INCOMPLETE if answer.is_incomplete else DONE


def _pin(host: Path | None) -> tuple[Path, str, tuple[str, ...]]:
    """Return the host's root, the ref that it pins, and the repositories that may have it."""
    found, fit = open_host(host, lenient=True)
    config = fit.config
    link = worktree.gitlink(found.root, config.gitlink) if config.gitlink else None
    pinned = read_pinned(fit.reading, gitlink=link)
    if pinned.ref is None:
        raise NoPinError
    named = [pinned.repo, config.repo, config.upstream, *config.forks]
    return found.root, pinned.ref, tuple(dict.fromkeys(filter(None, named)))


def _surface(spec: str, places: tuple[str, ...], *, python: str | None, static: bool) -> "Surface":
    """Return the API of a build or a ref: loaded where there is a build, else from its text."""
    from dgpin.api import load, locate  # noqa: PLC0415 - start-up
    from dgpin.api.builds import Build  # noqa: PLC0415
    from dgpin.api.references import REPOSITORIES, Lookup, NowhereError  # noqa: PLC0415
    from dgpin.build import interpreter  # noqa: PLC0415

    asked = interpreter.read(python or interpreter.default(os.environ), modules=load.MODULES)
    lookup = Lookup(repositories=tuple(dict.fromkeys((*places, *REPOSITORIES))), text_only=static)
    try:
        named = locate.named(spec, python=asked, static=static) or lookup.find(spec, asked)
    except NowhereError as error:
        error.hint = (  # lint has no --repo
            "It is looked for where the pin is, and where DeepGEMM is made. Name a build with "
            "--build; `dgpin check --remote` says whether the pin is there."
        )
        raise
    if isinstance(named, Build) and not static:
        return load.surface(load.Side(build=named, python=asked))
    from dgpin.api import static as texts  # noqa: PLC0415 - brings the C++ parser

    return texts.of_build(named) if isinstance(named, Build) else texts.of_source(named)
