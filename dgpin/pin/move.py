"""A bump, worked out: from a request to everything that it would write and say."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin.config import Config, Hold, Need
from dgpin.errors import RefusedError, UsageError
from dgpin.pin import capability, comments, grammar, hazards, judge, plan, stray, worktree
from dgpin.pin.capability import Loss, LossKind, RecipeChange
from dgpin.pin.comments import Block, Stale
from dgpin.pin.facts import Facts
from dgpin.pin.host import Fit, Host
from dgpin.pin.import_check import ImportFault
from dgpin.pin.pinned import DisagreeError, Pinned, disagreements, read_pinned
from dgpin.pin.plan import Plan, Target
from dgpin.pin.sites import Reading, SiteError, read_sites
from dgpin.pin.sources import Sources
from dgpin.pin.stray import Search, Stray
from dgpin.pin.template import line_of
from dgpin.source.commits import Log
from dgpin.source.resolve import Resolved
from dgpin.verdict import Place, Row, Verdict

_WHEEL = re.compile(grammar.value_pattern("wheel"))
_SHA = re.compile(r"[0-9a-fA-F]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user asked for."""

    ref: str | None = None
    repo: str | None = None
    old: str | None = None  # --from: what the pin was, where the sites disagree
    accepted: tuple[str, ...] = ()  # --accept-loss
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A comment block beside a site, with the words in it that the new pin makes stale."""

    block: Block
    stale: tuple[Stale, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A bump before it is written: where from, where to, every edit, and what a reviewer needs.

    `rows` are the findings that the new source brings and that no site can take (floors, gates,
    files); `cures` are commands for what dgpin does not write.
    """

    config: Config
    pinned: Pinned
    target: Target
    resolved: Resolved
    log: Log | None
    plan: Plan
    losses: tuple[Loss, ...]
    recipe: tuple[RecipeChange, ...]
    beside: tuple[Beside, ...]
    rows: tuple[Row, ...]
    strays: tuple[Stray, ...]
    hazards: tuple[Row, ...]
    cures: tuple[str, ...]


class HeldError(RefusedError):
    """The pin is frozen."""

    def __init__(self, hold: Hold, source: str) -> None:
        until = f", until {hold.until}" if hold.until else ""
        super().__init__(
            f"the pin is held{until}: {hold.reason}",
            hint=f"Take [hold] out of {source} when that no longer holds.",
        )


class NoRepositoryError(UsageError):
    """Neither the sites nor the configuration name a repository."""

    hint = "Name it: --repo URL, or [pin] repo in dgpin.toml."

    def __init__(self) -> None:
        super().__init__("nothing says which repository the pin is in")


class UnstatedPinError(UsageError):
    """No site states the pin: no commit, no version and no wheel."""

    hint = "Name the place in dgpin.toml: docs/how-to/pin-deepgemm.md shows how."

    def __init__(self, config: Config) -> None:
        what = (
            f"git records no submodule at {config.gitlink}"
            if config.gitlink
            else "no site states the pin: a commit, a version or a wheel"
        )
        super().__init__(f"{config.source}: {what}")


class NeedError(RefusedError):
    """The host's build cannot take the new source."""

    def __init__(self, need: Need, facts: Facts, config: Config) -> None:
        binding = facts.scalar("binding") or "of a kind that dgpin does not know"
        super().__init__(
            f"{config.source} needs `{need}`, which commit {facts.commit[:8]} does not have "
            f"(its binding is {binding})",
            hint="The host's build script must change with this pin; change it first, then the "
            "`needs` in dgpin.toml.",
        )


class LossError(RefusedError):
    """The new source lacks what the old one has."""

    def __init__(self, losses: Sequence[Loss]) -> None:
        shown = "".join(f"\n  {spoken_loss(loss)}" for loss in losses)
        names = " ".join(f"--accept-loss {loss.name}" for loss in losses[:4])
        super().__init__(
            f"the new source lacks what the old one has:{shown}",
            hint=f"Pin a commit that has it, or accept each by name: {names}",
        )


def spoken_loss(loss: Loss) -> str:
    """Return a loss as words: its name, what kind of thing it is, and what goes with it."""
    kind = {
        LossKind.ARCHITECTURE: "architecture",
        LossKind.FAMILY: "kernel family",
        LossKind.EXPORT: "exported name",
    }[loss.kind]
    covers = f", with {len(loss.covers)} kernel families" if loss.covers else ""
    return f"{loss.name} ({kind}{covers})"


class EmptyOptionError(UsageError):
    """An option was given an empty text: a variable that is not set, say."""

    hint = "Give it a value, or leave the option out."

    def __init__(self, option: str) -> None:
        super().__init__(f"{option} is empty")


class NoSuchLossError(UsageError):
    """`--accept-loss` names what is not lost."""

    hint = "Give the names as the refusal spelled them, or leave the option out."

    def __init__(self, name: str, losses: Sequence[Loss]) -> None:
        lost = ", ".join(loss.name for loss in losses) or "nothing"
        super().__init__(f"--accept-loss {name}: that is not lost; lost is {lost}")


def work_out(
    host: Host,
    fit: Fit,
    request: Request,
    *,
    sources: Sources,
    search: Search,
    gitlink: tuple[str, Place] | None = None,
) -> Move:
    """Work out a bump; nothing is written.

    Raises:
        RefusedError: held, a need that does not hold, a loss, a commit that nothing contains.
        UsageError: a ref, a site or an option that is wrong.
        UnavailableError: a repository could not be read.
    """
    config, reading = fit.config, fit.reading
    _refuse_empty(request)
    if config.hold is not None:
        raise HeldError(config.hold, config.source)
    for problem in reading.problems:
        raise SiteError(reading, problem)
    pinned = read_pinned(reading, gitlink=gitlink)
    repo, old_repo = _repositories(pinned, config, request)
    old_commit = _old_commit(pinned, config, request, sources, repo=old_repo)
    resolved = sources.resolve(
        _ref(config, request.ref), repo=repo, follow=config.branch(repo), old=old_commit
    )
    old, new = sources.facts(old_repo, old_commit), sources.facts(repo, resolved.commit)
    for need in config.needs:
        if not sources.holds(repo, resolved.commit, path=need.path, text=need.text):
            raise NeedError(need, new, config)
    # The same command again: the pin is there already, and the loss behind it.
    names = request.accepted if old.commit != new.commit else ()
    losses = _weigh(capability.losses(old, new), names)
    target = Target(repo=repo, old=old, new=new, wheel=_wheel(config, request.ref))
    planned = plan.plan(reading, target, note=request.note)
    recipe = capability.recipe_changes(old, new)
    return Move(
        config=config,
        pinned=pinned,
        target=target,
        resolved=resolved,
        log=sources.log(repo, old_commit, resolved.commit),
        plan=planned,
        losses=losses,
        recipe=recipe,
        beside=_beside(reading, config, target, resolved),
        rows=(
            *judge.failed(judge.judge(_after(reading, planned), new)),
            *_vanished(reading, recipe),
            *_faults(sources.import_faults(repo, resolved.commit), resolved.commit),
        ),
        strays=stray.find_strays(
            search,
            commit=old_commit,
            slug=plan.slug(old_repo) if repo != old_repo else None,
            covered=_covered(reading),
        ),
        hazards=hazards.hazards(host, fit.reading, resolved.commit),
        cures=tuple(_cures(config, resolved, root=host.root, repo=repo, old=old_commit)),
    )


def _refuse_empty(request: Request) -> None:
    given = {"--repo": request.repo, "--from": request.old, "--note": request.note}
    for option, value in given.items():
        if value is not None and not value.strip():
            raise EmptyOptionError(option)


def _repositories(pinned: Pinned, config: Config, request: Request) -> tuple[str, str]:
    """Return the repository to pin and the one that is pinned."""
    if request.repo is None and (stated := disagreements(pinned, "repo")):
        raise DisagreeError("repo", stated)
    # A preset's repository is the one where no site states any: only the host's own is a policy.
    wanted = request.repo or (None if config.is_preset else config.repo) or pinned.repo
    if wanted is None:
        raise NoRepositoryError
    return wanted.removesuffix(".git").rstrip("/"), pinned.repo or wanted


def _old_commit(
    pinned: Pinned, config: Config, request: Request, sources: Sources, *, repo: str
) -> str:
    if request.old is None and (stated := disagreements(pinned, "commit")):
        raise DisagreeError("commit", stated)
    old = request.old or pinned.ref
    if old is None:
        raise UnstatedPinError(config)
    if _SHA.fullmatch(old):
        return old.lower()
    return sources.resolve(old, repo=repo, follow=None, old=None).commit


def _ref(config: Config, ref: str | None) -> str | None:
    """Return the ref to resolve; where the pin is a wheel's version, version N is the tag vN."""
    wheel = _wheel(config, ref)
    return f"v{wheel}" if wheel is not None else ref


def _wheel(config: Config, ref: str | None) -> str | None:
    version = (ref or "").removeprefix("v")
    is_version = _WHEEL.fullmatch(version) is not None and "." in version
    return version if config.release is not None and is_version else None


def _weigh(losses: tuple[Loss, ...], names: Sequence[str]) -> tuple[Loss, ...]:
    weighed = capability.accept(losses, names)
    for name in weighed.unused:
        raise NoSuchLossError(name, losses)
    if weighed.refused:
        raise LossError(weighed.refused)
    return weighed.accepted


def _vanished(reading: Reading, recipe: Sequence[RecipeChange]) -> Iterator[Row]:
    """Lines of the host that call a way to build the source that the new one does not have."""
    gone = [name for change in recipe if change.fact == "entry_points" for name in change.removed]
    for name in gone:
        call = re.compile(rf"^[^#\n]*(?<![\w./-])(?:\./)?{re.escape(name)}(?![\w.-])", re.MULTILINE)
        for path in sorted({site.entry.path for site in reading.sites(watch=False)}):
            for found in call.finditer(reading.texts[path]):
                yield Row(
                    rule="entry-point",
                    verdict=Verdict.FAIL,
                    message=f"calls {name}, which the new source does not have",
                    places=(Place(path, line_of(reading.texts[path], found.end())),),
                    hint="The way to build changed; see what the new source offers.",
                )


def _faults(faults: Sequence[ImportFault], commit: str) -> Iterator[Row]:
    for fault in faults:
        yield Row(
            rule="import",
            verdict=Verdict.FAIL,
            message=f"importing the new source fails: {str(fault).partition(': ')[2]}",
            places=(Place(f"{commit[:8]}:{fault.place.path}", fault.place.line),),
            hint="Pin a commit in which its Python half can be imported.",
        )


def _after(reading: Reading, planned: Plan) -> Reading:
    texts = dict(reading.raw) | {edit.path: edit.new for edit in planned.edits}
    return read_sites(reading.config, texts.get)


def _covered(reading: Reading) -> frozenset[Place]:
    return frozenset(site.place for site in reading.sites())


def _beside(
    reading: Reading, config: Config, target: Target, resolved: Resolved
) -> tuple[Beside, ...]:
    truth = comments.Truth(
        facts=target.new,
        branch=resolved.name or next(iter(resolved.branches), None),
        other_branches=comments.known_branches(config),
        gone_submodules=frozenset(
            path.rsplit("/", 1)[-1]
            for path in target.old.items("submodules")
            if path not in target.new.items("submodules")
        ),
    )
    return tuple(
        Beside(block=block, stale=comments.stale(block, truth))
        for block in comments.blocks(reading)
    )


def _cures(config: Config, resolved: Resolved, *, root: Path, repo: str, old: str) -> Iterator[str]:
    if config.gitlink is not None and resolved.commit != old:
        entry = f"160000,{resolved.commit},{worktree.from_top(root, config.gitlink)}"
        yield f"git update-index --cacheinfo {shlex.quote(entry)}"
    if not config.is_preset and config.repo not in {None, repo}:
        yield f'set [pin] repo = "{repo}" in {config.source}, or the next bump goes back'
