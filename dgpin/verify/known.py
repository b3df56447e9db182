"""Commits of a repository that cannot be asked here: what the cache knows of them."""

from dgpin import cache
from dgpin.errors import UnavailableError
from dgpin.pin import facts as cached
from dgpin.pin.facts import Facts
from dgpin.pin.import_check import ImportFault
from dgpin.source.commits import Log
from dgpin.source.resolve import FULL, SHORTEST, Kind, Resolved

_DIGITS = frozenset("0123456789abcdef")


class UnknownSourceError(UnavailableError):
    """Nothing is known of a commit's source."""

    hint = "Run it once with network; or name a source's directory with --old and --new."

    def __init__(self, commit: str, why: str) -> None:
        super().__init__(f"nothing is known of {commit[:12]}: {why}")


def commit(ref: str) -> str | None:
    """Return the one commit with cached facts that a SHA of four digits or more means."""
    if not SHORTEST <= len(ref) <= FULL or not _DIGITS.issuperset(ref):
        return None
    if len(ref) == FULL:
        return ref
    folder = cache.root() / "facts" / str(cached.SCHEMA)
    found = {path.stem for path in folder.glob(f"{ref}*.json")}
    return found.pop() if len(found) == 1 else None


class Known:
    """Sources that answer from the cache alone; `why` says why the repository was not asked.

    What only the repository could answer is collected in `untold`.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        self.untold: list[str] = []

    def resolve(
        self, ref: str | None, *, repo: str, follow: str | None, old: str | None
    ) -> Resolved:
        """Return the commit that a SHA means.

        Raises:
            UnknownSourceError: the cache does not know it.
        """
        del follow, old
        found = commit(ref or "")
        if found is None:
            raise UnknownSourceError(ref or "the branch that the pin follows", self.why)
        return Resolved(
            commit=found,
            asked=ref or "",
            kind=Kind.FULL_SHA if ref == found else Kind.SHORT_SHA,
            name="",
            repository=repo,
            branches=(),
            tags=(),
            pulls=(),
            subject="",
            author="",
            author_date="",
            distance=None,
            verified=False,
            as_of="",
        )

    def facts(self, repo: str, commit: str) -> Facts:
        """Return the cached facts of a commit.

        Raises:
            UnknownSourceError: there are none.
        """
        del repo
        known = cached.load(commit)
        if known is None:
            raise UnknownSourceError(commit, self.why)
        return known

    def holds(self, repo: str, commit: str, *, path: str, text: str) -> bool:
        """Return whether a commit has a file. A text in it cannot be looked for."""
        there = path in self.facts(repo, commit).items("files")
        if there and text:
            self.untold.append(f"whether {path} holds `{text}`")
        return there

    def import_faults(self, repo: str, commit: str) -> tuple[ImportFault, ...]:
        """Return none: that needs the files."""
        del repo, commit
        self.untold.append("whether its Python half can be imported")
        return ()

    def log(self, repo: str, old: str, new: str) -> Log | None:
        """Return None: that needs the history."""
        del repo, old, new
        return None
