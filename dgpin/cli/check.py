"""`dgpin check`."""

from typing import Annotated

import typer

from dgpin.cli.exit import code
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.pin import facts as cached
from dgpin.pin import stray, worktree
from dgpin.pin.check import check as judge_pin
from dgpin.pin.facts import Facts
from dgpin.pin.pinned import Pinned, read_pinned
from dgpin.render import check as shown


def check(
    host: HostOption = None,
    *,
    remote: Annotated[
        bool, typer.Option("--remote", help="Read the pinned source first, over the network.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 3 where something could not be told.")
    ] = False,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Do the sites agree, and do they fit the source they pin?

    Read-only, and offline unless --remote. What cannot be told is shown as unknown.
    """
    forms = parse(output, json=json, known=shown.FORMS)
    found, fit = open_host(host, lenient=True)
    link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
    pinned = read_pinned(fit.reading, gitlink=link)
    facts = _facts(pinned, remote=remote)
    rows = judge_pin(found, fit, pinned, facts, search=stray.search_in(found.root))
    answer = shown.Answer(root=found.root, fit=fit, pinned=pinned, rows=rows)
    write(shown.renderers(answer), forms)
    return code((row.verdict for row in rows), asked=remote or strict)


def _facts(pinned: Pinned, *, remote: bool) -> Facts | None:
    commit = pinned.commit
    if pinned.is_full and commit is not None and (known := cached.load(commit)) is not None:
        return known
    if not remote or pinned.repo is None:
        return None
    from dgpin.pin.sources import Mirrors  # noqa: PLC0415 - brings GitPython

    sources = Mirrors(fetch=True, allow_unreachable=True)
    resolved = sources.resolve(pinned.ref, repo=pinned.repo, follow=None, old=None)
    return sources.facts(pinned.repo, resolved.commit)
