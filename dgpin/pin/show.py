"""Which DeepGEMM is this? The pin and everything known of it without the network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dgpin.config import Config, Hold
from dgpin.pin import facts as cached
from dgpin.pin.facts import Facts
from dgpin.pin.host import Fit
from dgpin.pin.pinned import Pinned
from dgpin.pin.roles import Role, is_production, role
from dgpin.source import history
from dgpin.source.commits import Commit, Distance
from dgpin.verdict import Place

if TYPE_CHECKING:
    from dgpin.pin.environment import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One site as `show` lists it."""

    place: Place
    role: Role
    fact: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A host's pin. What the cache does not tell is None or empty.

    `behind` is the distance to the followed branch as the mirror knew it at `as_of` (ISO 8601).
    """

    root: Path
    config: Config
    pinned: Pinned
    sites: tuple[Stated, ...]
    facts: Facts | None
    commit: Commit | None
    branches: tuple[str, ...]
    follow: str | None
    behind: Distance | None
    as_of: str | None
    hold: Hold | None

    @property
    def submodules(self) -> Mapping[str, str]:
        """Return the commit that the source records for each submodule."""
        if self.facts is None:
            return {}
        found = {
            path: self.facts.scalar(f"{path.rsplit('/', 1)[-1]}.commit")
            for path in self.facts.items("submodules")
        }
        return {path: commit for path, commit in found.items() if commit is not None}

    @property
    def has_production_site(self) -> bool:
        """Whether a site states the pin for something that ships."""
        return any(
            is_production(site.role)
            for site in self.sites
            if site.fact in ("commit", "wheel", "version")
        )


def show(root: Path, fit: Fit, pinned: Pinned) -> Shown:
    """Gather what is known of a pin: from the sites, the cached facts and the mirror that is there.

    Raises:
        AddressError: the repository at the sites is none that dgpin would ask.
    """
    commit, repo = pinned.commit, pinned.repo
    follow = fit.config.branch(repo)
    known = describe = behind = as_of = None
    branches: tuple[str, ...] = ()
    if commit is not None:
        known = cached.load(commit)
        if repo is not None and (as_of := history.fetched_at(repo)) is not None:
            describe = history.describe(repo, commit)
            branches = history.branches_with(repo, commit) or ()
            behind = history.distance(repo, follow, since=commit) if follow else None
    return Shown(
        root=root,
        config=fit.config,
        pinned=pinned,
        sites=(*_stated(fit), *_gitlink(fit.config, commit)),
        facts=known,
        commit=describe,
        branches=branches,
        follow=follow,
        behind=behind,
        as_of=as_of,
        hold=fit.config.hold,
    )


def identified(found: "Environment", pinned: Pinned) -> "Environment":
    """Return an environment whose copies are named after the pin where their files are the pin's.

    Without a mirror that has the commit, nothing can be compared and nothing changes.
    """
    listing = history.listing(pinned.repo, pinned.commit) if pinned.repo and pinned.commit else None
    if listing is None or pinned.commit is None:
        return found
    from dgpin.pin.environment import identify  # noqa: PLC0415 - only `show --env` asks

    known = {pinned.commit: listing}
    return replace(
        found,
        installed=identify(found.installed, known) if found.installed else None,
        hidden=tuple(identify(copy, known) for copy in found.hidden),
        vendored=tuple(identify(copy, known) for copy in found.vendored),
    )


def _stated(fit: Fit) -> Iterator[Stated]:
    for site in fit.reading.sites(watch=False):
        path, hole = site.entry.path, site.hole
        yield Stated(place=site.place, role=role(path), fact=hole.fact, value=hole.value)


def _gitlink(config: Config, commit: str | None) -> Iterator[Stated]:
    """Yield the submodule as a site: git states its commit, in no file of the host."""
    if config.gitlink is not None and commit is not None:
        place = Place(config.gitlink)
        yield Stated(place=place, role=role(config.gitlink), fact="commit", value=commit)
