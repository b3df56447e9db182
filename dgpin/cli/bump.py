"""`dgpin bump`."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dgpin import files
from dgpin.cli import progress, refs
from dgpin.cli.exit import DONE
from dgpin.cli.host import HostOption, open_host, tell_recovery
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.pin import host as hosts
from dgpin.pin import move, stray, worktree
from dgpin.pin.host import Fit, Host
from dgpin.pin.move import Move, Request
from dgpin.pin.sources import Mirrors
from dgpin.render import bump as shown
from dgpin.source import accepting, offhand
from dgpin.source.offhand import NotCompared

if TYPE_CHECKING:
    from dgpin.source.losses import Carried


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How a bump is carried out; what it does is the Request."""

    offline: bool
    allow_unreachable: bool
    dirty: bool


def bump(
    ref: Annotated[
        str | None,
        typer.Argument(
            metavar="REF",
            help="A SHA of 4 digits or more, a branch, a tag, pull/N/head. "
            "Default: the branch that the pin follows.",
            show_default=False,
            autocompletion=refs.complete,
        ),
    ] = None,
    *,
    host: HostOption = None,
    repo: Annotated[
        str | None, typer.Option("--repo", metavar="URL", help="Move to this repository.")
    ] = None,
    old: Annotated[
        str | None,
        typer.Option("--from", metavar="SHA", help="What the pin was, where the sites disagree."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show the diff and write nothing.")
    ] = False,
    accept_loss: Annotated[
        list[str] | None,
        typer.Option("--accept-loss", metavar="NAME", help="Move although NAME is lost."),
    ] = None,
    allow_unreachable: Annotated[
        bool,
        typer.Option("--allow-unreachable", help="Take a commit that no branch or tag contains."),
    ] = False,
    note: Annotated[
        str | None,
        typer.Option("--note", metavar="TEXT", help="Say TEXT in the comments above the commit."),
    ] = None,
    dirty: Annotated[
        bool, typer.Option("--dirty", help="Write although site files have uncommitted changes.")
    ] = False,
    commit: Annotated[
        bool, typer.Option("--commit", help="Commit the sites with the pull request's text.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use the mirror as it is; ask no network.")
    ] = False,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Move the pin: rewrite every site to REF, all or none."""
    forms = parse(output, json=json, known=shown.FORMS)
    request = Request(ref=ref, repo=repo, old=old, accepted=tuple(accept_loss or ()), note=note)
    how = _How(offline=offline, allow_unreachable=allow_unreachable, dirty=dirty)
    if dry_run:
        found, fit = open_host(host)
        moved = _work_out(found, fit, request, how)
        result = shown.Result(move=moved, carried=_carried(moved), behind=_behind(found, moved))
    else:
        result = _write(host, request, how, commit=commit)
    write(shown.renderers(result), forms)
    return DONE


def _work_out(host: Host, fit: Fit, request: Request, how: _How) -> Move:
    config = fit.config
    sources = Mirrors(
        fetch=not how.offline,
        others=config.others,
        allow_unreachable=how.allow_unreachable,
    )
    link = worktree.gitlink(host.root, config.gitlink) if config.gitlink else None
    with progress.task("reading the repositories"):
        moved = move.work_out(
            host, fit, request, sources=sources, search=stray.search_in(host.root), gitlink=link
        )
    if not how.dirty:
        worktree.refuse_dirty(host.root, (edit.path for edit in moved.plan.edits))
    return moved


def _write(given: Path | None, request: Request, how: _How, *, commit: bool) -> shown.Result:
    host = hosts.find_host(given)
    if commit:
        worktree.require_committer(host.root)
    with files.locked(host.root, command="bump") as tree:
        tell_recovery(tree.recovery)
        moved = _work_out(host, hosts.fit(host), request, how)
        carried = _carried(moved)
        tree.apply(moved.plan.edits)
    paths = [edit.path for edit in moved.plan.edits]
    result = shown.Result(
        move=moved, carried=carried, written=bool(paths), behind=_behind(host, moved)
    )
    if commit and paths:
        return replace(result, commit=worktree.commit(host.root, paths, shown.message(result)))
    return result


def _behind(host: Host, moved: Move) -> dict[str, str]:
    return {edit.path: worktree.real(host.root, edit.path) for edit in moved.plan.edits}


def _carried(moved: Move) -> "Carried | NotCompared | None":
    """Return what the move loses, as far as that can be told at once."""
    target, upstream = moved.target, moved.config.upstream
    if target.old.commit == target.new.commit:
        return None
    pair = offhand.Pair(
        old_repo=moved.pinned.repo or target.repo,
        old=target.old.commit,
        new_repo=target.repo,
        new=target.new.commit,
        upstream=upstream,
        branch=moved.config.branch(upstream) if upstream else None,
    )
    today = datetime.now().astimezone().date()
    with progress.task("comparing both sources"):
        return offhand.carried(pair, accepting.reasons(moved.config.carry_accept, today))
