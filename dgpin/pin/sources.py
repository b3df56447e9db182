"""Where commits and their facts come from: mirrors, and the cache of what was derived from them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from dgpin.pin import facts as cached
from dgpin.pin.facts import Facts
from dgpin.source import address as addresses
from dgpin.source import elsewhere, store
from dgpin.source.commits import Log
from dgpin.source.resolve import Resolved, resolve
from dgpin.source.tree import Tree

if TYPE_CHECKING:  # GitPython is loaded when the first mirror is opened, and not before
    from dgpin.pin.import_check import ImportFault
    from dgpin.source.git import Mirror


class Sources(Protocol):
    """What a bump asks of repositories."""

    def resolve(
        self, ref: str | None, *, repo: str, follow: str | None, old: str | None
    ) -> Resolved:
        """Return the commit that a REF means in a repository."""
        ...

    def facts(self, repo: str, commit: str) -> Facts:
        """Return the facts of a repository's commit."""
        ...

    def holds(self, repo: str, commit: str, *, path: str, text: str) -> bool:
        """Return whether a commit has a file, and the text in it (`""`: any)."""
        ...

    def import_faults(self, repo: str, commit: str) -> "tuple[ImportFault, ...]":
        """Return why the Python half of a commit could not be imported."""
        ...

    def log(self, repo: str, old: str, new: str) -> Log | None:
        """Return what lies between two commits, None when the repository lacks one of them."""
        ...


class Mirrors:
    """Sources that are mirrors in the cache, each fetched once in a run and only if it is needed.

    `others` are further repositories, named when they offer a commit that the right one does not.
    """

    def __init__(
        self, *, fetch: bool, others: Sequence[str] = (), allow_unreachable: bool = False
    ) -> None:
        self._fetch = fetch
        self._others = others
        self._allow_unreachable = allow_unreachable
        self._open: dict[str, Mirror] = {}
        self._trees: dict[str, Tree] = {}

    def resolve(
        self, ref: str | None, *, repo: str, follow: str | None, old: str | None
    ) -> Resolved:
        """Return the commit that a REF means; see `dgpin.source.resolve.resolve` for refusals."""
        others = [other for other in self._others if other != repo]
        return resolve(
            ref,
            mirror=self.mirror(repo),
            follow=follow,
            old=old,
            elsewhere=elsewhere.search(others, fetch=self._fetch),
            allow_unreachable=self._allow_unreachable,
        )

    def facts(self, repo: str, commit: str) -> Facts:
        """Return the facts of a commit, derived from its files unless they are cached.

        Raises:
            NoCommitError: the repository does not have it.
            UnknownHeaderError: the source includes a header that no table knows.
        """
        known = cached.load(commit)
        if known is not None:
            return known
        from dgpin.pin.derive import derive  # noqa: PLC0415 - cached facts do without

        derived = derive(self._tree(repo, commit), commit=commit)
        cached.store(derived)
        return derived

    def holds(self, repo: str, commit: str, *, path: str, text: str) -> bool:
        """Return whether a commit has a file, and the text in it."""
        try:
            return text.encode() in self._tree(repo, commit).read(path)
        except KeyError:
            return False

    def import_faults(self, repo: str, commit: str) -> "tuple[ImportFault, ...]":
        """Return why the Python half of a commit could not be imported; nothing of it is run."""
        from dgpin.pin.import_check import import_faults  # noqa: PLC0415 - only a bump asks

        return import_faults(self._tree(repo, commit))

    def log(self, repo: str, old: str, new: str) -> Log | None:
        """Return what lies between two commits."""
        mirror = self.mirror(repo)
        return mirror.log(old, new) if mirror.has(old) and mirror.has(new) else None

    def _tree(self, repo: str, commit: str) -> Tree:
        if commit not in self._trees:
            # A fork has its upstream's commits: what is open already saves fetching another.
            holders = (mirror for mirror in self._open.values() if mirror.has(commit))
            self._trees[commit] = (next(holders, None) or self.mirror(repo)).tree(commit)
        return self._trees[commit]

    def mirror(self, repo: str) -> "Mirror":
        """Return the mirror of a repository, brought up to date the first time."""
        if repo not in self._open:
            if not self._fetch:
                store.known(addresses.parse(repo))
            from dgpin.source.git import open_mirror  # noqa: PLC0415 - brings GitPython

            self._open[repo] = open_mirror(repo, fetch=self._fetch)
        return self._open[repo]
