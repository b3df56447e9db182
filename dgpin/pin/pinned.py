"""The pin as the sites state it: repository, commit, version; and where they disagree."""

from collections.abc import Mapping
from typing import NamedTuple

from dgpin.errors import UsageError
from dgpin.pin.sites import Reading
from dgpin.verdict import Place

_FULL = 40


class Pinned(NamedTuple):
    """What the sites of a host say, each value with the places that say it.

    `commit` is None where no site states one: then `wheel` or `version` does, as the tag `vN`.
    """

    repo: str | None
    commit: str | None
    wheel: str | None
    version: str | None
    stated: Mapping[str, Mapping[str, tuple[Place, ...]]]

    @property
    def is_full(self) -> bool:
        """Whether the commit has all its digits."""
        return self.commit is not None and len(self.commit) == _FULL

    @property
    def ref(self) -> str | None:
        """Return what names the pinned commit in the repository."""
        release = self.wheel or self.version
        return self.commit or (f"v{release}" if release else None)

    def places(self, fact: str) -> tuple[Place, ...]:
        """Return every place that states a fact."""
        return tuple(place for places in self.stated.get(fact, {}).values() for place in places)


class DisagreeError(UsageError):
    """Two sites state different values of one fact."""

    def __init__(self, fact: str, stated: Mapping[str, tuple[Place, ...]]) -> None:
        shown = "; ".join(
            f"{', '.join(map(str, places))} says {value}" for value, places in stated.items()
        )
        decide = (
            "--repo URL, which all of them will say"
            if fact == "repo"
            else "--from SHA, which says what the pin was"
        )
        super().__init__(
            f"the sites disagree on the {fact}: {shown}",
            hint=f"Decide with {decide}, or mend the odd one first.",
        )


def read_pinned(reading: Reading, *, gitlink: tuple[str, Place] | None = None) -> Pinned:
    """Return what the sites state. Sites that disagree leave the value to the first of them."""
    stated: dict[str, dict[str, list[Place]]] = {}
    seen = set()
    for site in reading.sites("repo", "slug", "commit", "wheel", "version", watch=False):
        if (where := (site.entry.path, site.hole.start)) in seen:
            continue  # two entries read one site
        seen.add(where)
        value = site.hole.value.removesuffix(".git").rstrip("/")
        stated.setdefault(site.hole.fact, {}).setdefault(value, []).append(site.place)
    if gitlink is not None:
        stated.setdefault("commit", {}).setdefault(gitlink[0], []).append(gitlink[1])
    frozen = {
        fact: {value: tuple(places) for value, places in values.items()}
        for fact, values in stated.items()
    }
    return Pinned(
        repo=next(iter(frozen.get("repo", {})), None) or reading.config.repo,
        commit=max(frozen.get("commit", {}), key=len, default=None),
        wheel=next(iter(frozen.get("wheel", {})), None),
        version=next(iter(frozen.get("version", {})), None),
        stated=frozen,
    )


def disagreements(pinned: Pinned, fact: str) -> Mapping[str, tuple[Place, ...]]:
    """Return the values of a fact and their places if there are several that differ.

    A short commit agrees with the long one that it begins.
    """
    values = pinned.stated.get(fact, {})
    if fact == "commit":
        longest = max(values, key=len, default="")
        if all(longest.startswith(value) for value in values):
            return {}
    return values if len(values) > 1 else {}
