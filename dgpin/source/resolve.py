"""Which commit a REF means, and whether the repository really offers it."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from dgpin.errors import RefusedError, UsageError
from dgpin.source.address import Address
from dgpin.source.commits import Commit, Distance, Ref

SHORTEST = 4  # digits of a SHA
FULL = 40
_UNMISTAKABLE = 7  # from here on a word of such digits is no mistyped name


class Kind(str, Enum):
    """What a REF was."""

    FULL_SHA = "full sha"
    SHORT_SHA = "short sha"
    BRANCH = "branch"
    TAG = "tag"
    PULL_REQUEST = "pull request"
    FOLLOW = "follow"  # no REF: the branch that the pin follows


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


class Repository(Protocol):
    """What is asked of a mirror; see `dgpin.source.git.Mirror`."""

    address: Address
    fetched: bool
    as_of: str

    def refs(self, *, containing: str | None = None) -> tuple[Ref, ...]: ...
    def peel(self, sha: str) -> str | None: ...
    def abbreviated(self, prefix: str) -> tuple[str, ...]: ...
    def describe(self, commit: str) -> Commit: ...
    def distance(self, commit: str, *, since: str) -> Distance | None: ...
    def fetch_commit(self, commit: str) -> bool: ...
    def lengthened(self, short: str) -> str | None: ...


class Elsewhere(Protocol):
    """Finds another repository that offers a commit; `dgpin.source.elsewhere.search` makes one.

    The commit may be given by its first digits.
    """

    def __call__(self, commit: str) -> tuple[str, str] | None:
        """Return the repository as shown and the branch, tag or pull request, or None."""
        ...


class MalformedRefError(UsageError):
    """A REF that cannot be a name in any repository."""

    hint = "A REF is a SHA of 4 digits or more, a branch, a tag, or pull/N/head."

    def __init__(self, ref: str, why: str) -> None:
        super().__init__(f"the ref {ref!r} {why}")


class UnknownRefError(UsageError):
    """A REF that the repository does not have."""

    hint = "A REF is a SHA of 4 digits or more, a branch, a tag, or pull/N/head."

    def __init__(self, ref: str, repository: Address, *, near: Sequence[str], notice: str) -> None:
        aside = f" ({notice})" if notice else ""
        hint = f"It has {', '.join(near)}." if near else self.hint
        if repository.local:
            hint += " Of a clone, branches that it only fetched (origin/NAME) are not looked at."
        what = f"{repository.shown} has no commit, branch or tag `{ref}`{aside}"
        super().__init__(what, hint=hint)


class NothingFollowedError(UsageError):
    """No REF was given, and the pin follows no branch."""

    hint = "Give a REF, or name the branch in dgpin.toml: [pin] follow."

    def __init__(self) -> None:
        super().__init__("no REF was given, and the pin follows no branch")


class AmbiguousRefError(UsageError):
    """A REF that means several commits."""

    hint = "Give more digits, or say which: heads/NAME, tags/NAME."

    def __init__(self, ref: str, candidates: Sequence[tuple[str, Commit]]) -> None:
        self.candidates = tuple(commit.sha for _, commit in candidates)
        rows = "".join(
            f"\n  {commit.sha[:12]}  {name}  {commit.date[:10]}  {commit.subject}"
            for name, commit in candidates
        )
        super().__init__(f"the ref `{ref}` is ambiguous; it could be{rows}")


class UnreachableError(RefusedError):
    """A commit that no branch, tag or pull request of the repository contains."""

    hint = (
        "Whoever builds the pin may not get it, and it may vanish. Pin a commit that a branch or "
        "tag contains, or allow it with --allow-unreachable."
    )

    def __init__(
        self, commit: str, repository: str, *, elsewhere: tuple[str, str] | None, present: bool
    ) -> None:
        what = "has it, but no branch, tag or pull request contains it" if present else "lacks it"
        hint = None
        where = ""
        if elsewhere is not None:
            where = f"; {elsewhere[0]} has it ({elsewhere[1]})"
            hint = f"Move the pin to that repository: --repo {elsewhere[0]}."
        super().__init__(f"commit {commit}: {repository} {what}{where}", hint=hint)


def resolve(
    ref: str | None,
    *,
    mirror: Repository,
    follow: str | None = None,
    old: str | None = None,
    elsewhere: Elsewhere | None = None,
    allow_unreachable: bool = False,
) -> Resolved:
    """Return the commit that a REF means in the mirrored repository.

    `ref` is a SHA of 4 to 40 digits, a branch, a tag (peeled), `pull/N/head`, any of the names
    also as `refs/…` or `heads/…` and `tags/…`, or None: then the branch `follow`. `old` is the
    full SHA of the old pin. `elsewhere` (made by `elsewhere.search(urls, fetch=…)`) is asked only
    for a commit that this repository does not offer. Of a mirror that was opened without fetching
    nothing is asked over the network.

    Raises:
        UsageError: the ref is malformed, unknown, or ambiguous (the candidates are named).
        RefusedError: no branch, tag or pull request contains the commit.
        FetchError: the repository could not be reached when it had to be.
    """
    kind, name, commit = _find(ref, mirror=mirror, follow=follow, elsewhere=elsewhere)
    holders = mirror.refs(containing=commit)
    if not holders and not allow_unreachable:
        other = elsewhere(commit) if elsewhere is not None else None
        raise UnreachableError(commit, mirror.address.shown, elsewhere=other, present=True)
    found = mirror.describe(commit)
    if old is not None and mirror.fetched and mirror.peel(old) is None and len(old) == FULL:
        mirror.fetch_commit(old)
    return Resolved(
        commit=commit,
        asked=ref or "",
        kind=kind,
        name=name,
        repository=mirror.address.shown,
        branches=_named(holders, "refs/heads/"),
        tags=_named(holders, "refs/tags/"),
        pulls=tuple(sorted(_named(holders, "refs/", only="pull/"), key=_number)),
        subject=found.subject,
        author=found.author,
        author_date=found.date,
        distance=mirror.distance(commit, since=old) if old is not None else None,
        verified=mirror.fetched,
        as_of=mirror.as_of,
    )


def _find(
    ref: str | None, *, mirror: Repository, follow: str | None, elsewhere: Elsewhere | None
) -> tuple[Kind, str, str]:
    names = {found.name: found.commit for found in mirror.refs()}
    if ref is None:
        if follow is None:
            raise NothingFollowedError
        branch = follow.removeprefix("refs/heads/")
        commit = names.get(f"refs/heads/{branch}")
        if commit is None:
            raise _unknown(follow, mirror, names)
        return Kind.FOLLOW, branch, commit
    _refuse_malformed(ref)
    candidates = _by_name(ref, names)
    if _is_sha(ref):
        candidates += _by_sha(ref.lower(), mirror, reachable=set(names.values()))
    if len({commit for _, _, commit in candidates}) > 1:
        rows = [(f"{kind.value} {name}".strip(), sha) for kind, name, sha in candidates]
        raise AmbiguousRefError(ref, [(label, mirror.describe(sha)) for label, sha in rows])
    if candidates:
        return candidates[0]
    if len(ref) >= _UNMISTAKABLE and _is_sha(ref):
        other = elsewhere(ref.lower()) if elsewhere is not None else None
        if other is not None:
            raise UnreachableError(
                ref.lower(), mirror.address.shown, elsewhere=other, present=False
            )
    raise _unknown(ref, mirror, names)


def _by_name(ref: str, names: Mapping[str, str]) -> list[tuple[Kind, str, str]]:
    found = []
    for kind, prefix in ((Kind.BRANCH, "refs/heads/"), (Kind.TAG, "refs/tags/")):
        found += [
            (kind, spelling.removeprefix(prefix), names[spelling])
            for spelling in (ref, f"refs/{ref}", f"{prefix}{ref}")
            if spelling in names and spelling.startswith(prefix)
        ]
    pull = re.fullmatch(r"(?:refs/)?(pull/\d+/head)", ref)
    if pull is not None and f"refs/{pull[1]}" in names:
        found.append((Kind.PULL_REQUEST, pull[1], names[f"refs/{pull[1]}"]))
    return found


def _by_sha(sha: str, mirror: Repository, *, reachable: set[str]) -> list[tuple[Kind, str, str]]:
    if len(sha) == FULL:
        commit = mirror.peel(sha)
        if commit is None and mirror.fetched and mirror.fetch_commit(sha):
            commit = mirror.peel(sha)
        return [(Kind.FULL_SHA, "", commit)] if commit is not None else []
    found = mirror.abbreviated(sha)
    if not found and mirror.fetched and (full := mirror.lengthened(sha)):
        found = (full,)
    # What an earlier run fetched and no ref contains must not make today's answer another.
    offered = [commit for commit in found if commit in reachable or mirror.refs(containing=commit)]
    return [(Kind.SHORT_SHA, "", commit) for commit in offered or found]


def _is_sha(ref: str) -> bool:
    return re.fullmatch(rf"[0-9a-fA-F]{{{SHORTEST},{FULL}}}", ref) is not None


def _refuse_malformed(ref: str) -> None:
    if not ref:
        raise MalformedRefError(ref, "is empty")
    if ref.startswith("-"):
        raise MalformedRefError(ref, "begins with `-`, so git would take it for an option")
    # git-check-ref-format(1); it also keeps expressions such as HEAD~1 and a..b out.
    if re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/$|\.$|\.lock$", ref):
        raise MalformedRefError(ref, "is not a name that git allows")


def _unknown(ref: str, mirror: Repository, names: Mapping[str, str]) -> UnknownRefError:
    short = [name.removeprefix("refs/heads/").removeprefix("refs/tags/") for name in names]
    notice = "" if mirror.fetched else f"not verified against the remote since {mirror.as_of}"
    near = difflib.get_close_matches(ref.removeprefix("origin/"), short, n=3)
    return UnknownRefError(ref, mirror.address, near=near, notice=notice)


def _named(holders: Sequence[Ref], prefix: str, *, only: str = "") -> tuple[str, ...]:
    names = (ref.name.removeprefix(prefix) for ref in holders if ref.name.startswith(prefix))
    return tuple(name for name in names if name.startswith(only))


def _number(pull: str) -> int:
    return int(pull.split("/")[1])
