"""`dgpin verify [REF]`."""

import os
from typing import Annotated

import typer

from dgpin.cli import refs
from dgpin.cli.architectures import RequireOption, architectures, words
from dgpin.cli.exit import INCOMPLETE, code
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.cli.progress import task
from dgpin.errors import UsageError
from dgpin.pin import worktree
from dgpin.verdict import Verdict
from dgpin.verify.answer import Step


def verify(
    ref: Annotated[
        str | None,
        typer.Argument(
            metavar="[REF]",
            help="What would hold after a bump to it; nothing is written. "
            "Default: the pin as it stands.",
            show_default=False,
            autocompletion=refs.complete,
        ),
    ] = None,
    *,
    host: HostOption = None,
    repo: Annotated[
        str | None, typer.Option("--repo", metavar="URL", help="REF is in this repository.")
    ] = None,
    old: Annotated[
        str | None,
        typer.Option(
            "--old", metavar="BUILD|DIR", help="A build or a source of the pin, as in diff-api."
        ),
    ] = None,
    new: Annotated[
        str | None,
        typer.Option("--new", metavar="BUILD|DIR", help="A build or a source of REF."),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="The interpreter that has torch."),
    ] = None,
    accept_loss: Annotated[
        list[str] | None,
        typer.Option("--accept-loss", metavar="NAME", help="As in bump: NAME may be lost."),
    ] = None,
    require: RequireOption = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="STEP,…", help="Leave these steps out."),
    ] = None,
    build: Annotated[
        bool, typer.Option("--build", help="Compile it too, where the toolchain is complete.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use the mirrors as they are; ask no network.")
    ] = False,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Ask everything of the pin, or of a move to REF, that a reviewer would ask.

    check, diff-api with the host, lint, carry, build and smoke, as far as this machine can, with
    one verdict. Exits 1 for findings, 3 when there were none but something could not be told.
    """
    from dgpin.render import verify as shown  # noqa: PLC0415 - start-up
    from dgpin.verify import run  # noqa: PLC0415 - the same
    from dgpin.verify.request import Request  # noqa: PLC0415 - the same

    forms = parse(output, json=json, known=shown.FORMS)
    required, skipped = architectures(require), frozenset(map(_step, words(skip)))
    if required and Step.SMOKE in skipped:
        raise UsageError(
            f"--require {','.join(required)} and --skip smoke: nothing else can prove it",
            hint="Leave one of them out.",
        )
    request = Request(
        env=dict(os.environ),
        ref=ref,
        repo=repo,
        old=old,
        new=new,
        python=python,
        accepted=tuple(accept_loss or ()),
        required=required,
        skipped=skipped,
        compile=build,
        offline=offline,
        # What nobody reads is not written down.
        documents=shown.DOCUMENTS if any(name == "json" for name, _ in forms) else {},
    )
    found, fit = open_host(host, lenient=True)
    link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
    with task("verifying"):
        verified = run.verify(request, found, fit, link)
    write(shown.renderers(verified), forms)
    if verified.verdict is Verdict.SKIP:  # of nothing there is nothing good to say
        return INCOMPLETE
    return code((answer.verdict for answer in verified.answers), asked=True)


def _step(name: str) -> Step:
    try:
        return Step(name)
    except ValueError:
        known = ", ".join(step.value for step in Step)
        raise UsageError(
            f"--skip {name}: there is no such step", hint=f"The steps are {known}."
        ) from None
