"""Mirrors of git repositories in the cache. The only module that uses GitPython."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin.source.address import Address
from dgpin.source.resolve import Distance
from dgpin.source.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit of a log; dates are ISO 8601 with offset."""

    sha: str
    subject: str
    author: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What lies between two commits, newest first.

    `commits` are on the new side only, `dropped` on the old side only. `base` is the merge base,
    empty when the histories have nothing in common. `compare` is GitHub's page, else empty.
    """

    base: str
    commits: tuple[Commit, ...]
    dropped: tuple[Commit, ...]
    compare: str


class Mirror:
    """A repository in the cache: every commit and tree, and the contents that were asked for.

    Reading never reaches for the network. `fetched` tells whether this run has asked the remote.
    """

    address: Address
    path: Path
    fetched: bool
    as_of: str  # ISO 8601 with offset; when the remote was last asked

    def tree(self, commit: str, *, wanted: Callable[[str], bool] | None = None) -> Tree:
        """Return the files at a commit; those for which `wanted` is true can be read.

        Their contents are fetched in one batch when the mirror was opened with `fetch=True`, and
        so are the submodules at the commits recorded. A submodule whose mirror lacks the commit
        is left out of `paths()`; `gitlinks()` tells it either way.

        Raises:
            UsageError: the commit is not in the mirror.
            UnavailableError: the contents could not be fetched.
        """
        raise NotImplementedError

    def log(self, old: str, new: str) -> Log:
        """Return the commits between two commits."""
        raise NotImplementedError

    def distance(self, commit: str, *, since: str) -> Distance | None:
        """Return how far `commit` is from `since`; None when either is not in the mirror."""
        raise NotImplementedError

    def has(self, commit: str) -> bool:
        """Tell whether the full SHA of a commit is in the mirror."""
        raise NotImplementedError


def open_mirror(url: str, *, fetch: bool) -> Mirror:
    """Return the mirror of a repository, made or brought up to date first with `fetch=True`.

    Without, what the cache holds is used as it is (`--offline`).

    Raises:
        AddressError: the address is refused.
        UnavailableError: no network and no mirror, no git, or the cache cannot be written.
    """
    raise NotImplementedError


def open_mirrors(urls: Sequence[str], *, fetch: bool) -> tuple[Mirror, ...]:
    """Return several mirrors."""
    return tuple(open_mirror(url, fetch=fetch) for url in urls)
