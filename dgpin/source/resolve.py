"""Which commit a REF means, and whether the repository really offers it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # GitPython costs 79 ms, which only those pay who open a mirror
    from dgpin.source.git import Mirror


class Kind(str, Enum):
    """What a REF was."""

    FULL_SHA = "full sha"
    SHORT_SHA = "short sha"
    BRANCH = "branch"
    TAG = "tag"
    PULL_REQUEST = "pull request"
    FOLLOW = "follow"  # no REF: the branch that the pin follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """How far one commit is from another: commits that only it has, and that only the other has."""

    ahead: int
    behind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A commit that a repository offers, and what is known of it.

    `branches`, `tags` and `pulls` (`pull/N/head`) contain the commit. `distance` is that from the
    old pin, None when the repository does not have the old commit. `author_date` and `as_of` are
    ISO 8601 with offset; `as_of` is when the mirror was last fetched, and `verified` says that
    this run did it.
    """

    commit: str
    asked: str
    kind: Kind
    name: str  # the branch, tag or pull request that was asked for or followed, else ""
    repository: str  # as shown: never with credentials
    branches: tuple[str, ...]
    tags: tuple[str, ...]
    pulls: tuple[str, ...]
    subject: str
    author: str
    author_date: str
    distance: Distance | None
    verified: bool
    as_of: str

    @property
    def is_reachable(self) -> bool:
        """Whether a branch, tag or pull request contains the commit."""
        return bool(self.branches or self.tags or self.pulls)

    @property
    def notice(self) -> str:
        """Say what was not verified; empty when everything was."""
        return "" if self.verified else f"not verified against the remote since {self.as_of}"


def resolve(
    ref: str | None,
    *,
    mirror: "Mirror",
    follow: str | None = None,
    old: str | None = None,
    others: Sequence[str] = (),
    allow_unreachable: bool = False,
) -> Resolved:
    """Return the commit that a REF means in the mirrored repository.

    `ref` is a SHA of 4 to 40 digits, a branch, a tag (peeled), `pull/N/head`, any of them written
    as `refs/…`, or None: then the branch `follow`. `old` is the commit of the old pin. `others`
    are the addresses of further repositories, asked only for a commit that this one does not
    offer. Of a mirror that was opened without fetching nothing is asked over the network.

    Raises:
        UsageError: the ref is malformed, unknown, or ambiguous (the candidates are named).
        RefusedError: no branch, tag or pull request contains the commit.
        UnavailableError: the repository could not be reached when it had to be.
    """
    raise NotImplementedError
