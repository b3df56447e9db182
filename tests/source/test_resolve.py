"""Which commit a REF means."""

import contextlib
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.errors import RefusedError, UsageError
from dgpin.source import address, resolve
from dgpin.source.address import Address
from dgpin.source.commits import Commit, Distance, Ref
from dgpin.source.resolve import Kind

A, A2, B, C, LOST = (letters * 20 for letters in ("ab", "ac", "bb", "cc", "dd"))
TAG_OBJECT = "ee" * 20


@dataclass
class Repository:
    """A repository whose every ref contains just the commit it names."""

    refs_: dict[str, str]
    commits: frozenset[str] = frozenset({A, A2, B, C})
    remote: frozenset[str] = frozenset()
    fetched: bool = True
    as_of: str = "2026-01-01T00:00:00+00:00"
    address: Address = field(default_factory=lambda: address.parse("https://example.org/r"))

    def refs(self, *, containing: str | None = None) -> tuple[Ref, ...]:
        return tuple(
            Ref(name=name, commit=commit)
            for name, commit in self.refs_.items()
            if containing in {None, commit}
        )

    def peel(self, sha: str) -> str | None:
        return C if sha == TAG_OBJECT else sha if sha in self.commits else None

    def abbreviated(self, prefix: str) -> tuple[str, ...]:
        return tuple(sorted(commit for commit in self.commits if commit.startswith(prefix)))

    def describe(self, commit: str) -> Commit:
        return Commit(sha=commit, subject=f"About {commit[:2]}", author="Ada", date="2026-01-01")

    def distance(self, commit: str, *, since: str) -> Distance | None:
        return Distance(ahead=1, behind=0) if {commit, since} <= self.commits else None

    def fetch_commit(self, commit: str) -> bool:
        self.commits |= {commit} & self.remote
        return commit in self.commits

    def lengthened(self, short: str) -> str | None:
        return next((c for c in self.remote if c.startswith(short) and self.fetch_commit(c)), None)


def _repository(**more: str) -> Repository:
    return Repository(
        {
            "refs/heads/main": A,
            "refs/heads/dev": B,
            "refs/heads/beef": A,
            "refs/tags/v1": C,
            "refs/pull/7/head": A2,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("ref", "kind", "name", "commit"),
    [
        ("main", Kind.BRANCH, "main", A),
        ("heads/main", Kind.BRANCH, "main", A),
        ("refs/heads/main", Kind.BRANCH, "main", A),
        ("v1", Kind.TAG, "v1", C),
        ("tags/v1", Kind.TAG, "v1", C),
        ("refs/tags/v1", Kind.TAG, "v1", C),
        ("pull/7/head", Kind.PULL_REQUEST, "pull/7/head", A2),
        ("refs/pull/7/head", Kind.PULL_REQUEST, "pull/7/head", A2),
        (A, Kind.FULL_SHA, "", A),
        (A.upper(), Kind.FULL_SHA, "", A),
        (TAG_OBJECT, Kind.FULL_SHA, "", C),
        ("abab", Kind.SHORT_SHA, "", A),
        ("ABABAB", Kind.SHORT_SHA, "", A),
        ("beef", Kind.BRANCH, "beef", A),
        (None, Kind.FOLLOW, "dev", B),
    ],
)
def test_meaning(ref: str | None, kind: Kind, name: str, commit: str) -> None:
    """SHAs of 4 digits and more, branches, tags and pull requests mean their commit."""
    found = resolve.resolve(ref, mirror=_repository(), follow="dev")

    assert (kind, name, commit) == (found.kind, found.name, found.commit)


@pytest.mark.parametrize(
    ("ref", "refused"),
    [
        ("", "is empty"),
        ("-x", "begins with `-`"),
        ("--output=x", "begins with `-`"),
        ("main~1", "not a name"),
        ("main..dev", "not a name"),
        ("main@{1}", "not a name"),
        ("v1^{}", "not a name"),
        ("a b", "not a name"),
        (":/fix", "not a name"),
        ("a\n", "not a name"),
        ("unknown", "has no commit, branch or tag `unknown`"),
        ("aba", "has no commit, branch or tag `aba`"),
        ("f" * 40, "has no commit, branch or tag"),
        ("HEAD", "has no commit, branch or tag `HEAD`"),
        ("pull/8/head", "has no commit, branch or tag"),
        ("pull/7", "has no commit, branch or tag"),
        ("tags/main", "has no commit, branch or tag"),
    ],
)
def test_refused(ref: str, refused: str) -> None:
    """A ref that is malformed or unknown is refused with exit 2."""
    with pytest.raises(UsageError, match=refused) as raised:
        resolve.resolve(ref, mirror=_repository())

    assert 2 == raised.value.exit_code


def test_unknown_ref_names_what_is_near() -> None:
    """A misspelt ref is answered with what the repository has."""
    with pytest.raises(resolve.UnknownRefError) as raised:
        resolve.resolve("origin/devv", mirror=_repository())

    assert "It has dev." == raised.value.hint


def test_a_clone_s_remote_branches_are_said_not_to_be_looked_at() -> None:
    """`--repo CLONE` sees the clone's own branches, and not origin's in it."""
    mirror = _repository()
    mirror.address = address.parse("/somewhere/clone")

    with pytest.raises(resolve.UnknownRefError) as raised:
        resolve.resolve("origin/devv", mirror=mirror)

    assert raised.value.hint.startswith("It has dev. Of a clone, branches that it only fetched")


@pytest.mark.parametrize(
    ("ref", "more", "candidates"),
    [("v1", {"refs/heads/v1": A}, {A, C}), ("bbbb", {"refs/heads/bbbb": A}, {A, B})],
)
def test_one_name_two_commits(ref: str, more: dict[str, str], candidates: set[str]) -> None:
    """A tag, a branch or a SHA of one spelling and different commits is refused, all named."""
    with pytest.raises(resolve.AmbiguousRefError) as raised:
        resolve.resolve(ref, mirror=_repository(**more))

    assert candidates == set(raised.value.candidates)
    assert all(f"About {sha[:2]}" in raised.value.message for sha in candidates)
    assert 2 == raised.value.exit_code


def test_one_name_one_commit() -> None:
    """A tag and a branch of one name that mean the same commit are not ambiguous."""
    assert C == resolve.resolve("v1", mirror=_repository(**{"refs/heads/v1": C})).commit


def test_ambiguous_short_sha() -> None:
    """A short SHA that several commits share is refused with all of them."""
    twin = "abab" + "0" * 36
    repository = _repository(**{"refs/heads/twin": twin})
    repository.commits |= {twin}

    with pytest.raises(resolve.AmbiguousRefError) as raised:
        resolve.resolve("abab", mirror=repository)

    assert {A, twin} == set(raised.value.candidates)
    assert A == resolve.resolve("ababa", mirror=repository).commit


def test_leftover_of_another_run_is_no_candidate() -> None:
    """A commit that no ref contains does not make a short SHA ambiguous."""
    repository = _repository()
    repository.commits |= {"abab" + "0" * 36}

    assert A == resolve.resolve("abab", mirror=repository).commit


def test_unreachable() -> None:
    """A commit that no branch, tag or pull request contains is refused on its merits."""
    repository = _repository()
    repository.commits |= {LOST}

    with pytest.raises(RefusedError, match="no branch, tag or pull request contains it") as raised:
        resolve.resolve(LOST, mirror=repository)

    assert 1 == raised.value.exit_code
    assert "--allow-unreachable" in raised.value.hint
    allowed = resolve.resolve(LOST, mirror=repository, allow_unreachable=True)
    assert (LOST, False) == (allowed.commit, allowed.is_reachable)


@pytest.mark.parametrize("present", [True, False])
def test_another_repository_has_it(present: bool) -> None:
    """A commit that another configured repository offers is refused with that one's name."""
    repository = _repository()
    repository.commits |= {LOST} if present else set()

    with pytest.raises(
        RefusedError, match=r"https://example.org/fork has it \(branch dev\)"
    ) as raised:
        resolve.resolve(
            LOST, mirror=repository, elsewhere=lambda _: ("https://example.org/fork", "branch dev")
        )

    assert "--repo https://example.org/fork" in raised.value.hint


@pytest.mark.parametrize("ref", [LOST, "dddd"])
def test_remote_is_asked_for_what_no_ref_contains(ref: str) -> None:
    """A SHA that the remote has beside its refs is found, and refused as unreachable."""
    repository = _repository()
    repository.remote = frozenset({LOST})

    with pytest.raises(resolve.UnreachableError):
        resolve.resolve(ref, mirror=repository)


def test_offline_asks_nothing() -> None:
    """Without fetching the remote is not asked, and the answer says since when."""
    repository = _repository()
    repository.remote = frozenset({LOST})
    repository.fetched = False

    with pytest.raises(resolve.UnknownRefError, match="not verified against the remote since 2026"):
        resolve.resolve(LOST, mirror=repository)
    found = resolve.resolve("main", mirror=repository)
    assert (False, "not verified against the remote since 2026-01-01T00:00:00+00:00") == (
        found.verified,
        found.notice,
    )


def test_nothing_followed() -> None:
    """Without a REF and without a followed branch there is nothing to move to."""
    with pytest.raises(UsageError, match="follows no branch"):
        resolve.resolve(None, mirror=_repository())


def test_followed_branch_is_gone() -> None:
    """A followed branch that the repository does not have is named."""
    with pytest.raises(resolve.UnknownRefError, match="`gone`"):
        resolve.resolve(None, mirror=_repository(), follow="gone")


def test_distance_from_the_old_pin() -> None:
    """The distance is told where the repository has the old commit, and is unknown elsewhere."""
    near = resolve.resolve("main", mirror=_repository(), old=B)
    far = resolve.resolve("main", mirror=_repository(), old=LOST)

    assert (Distance(ahead=1, behind=0), None) == (near.distance, far.distance)


def test_what_contains_it() -> None:
    """Branches, tags and pull requests are listed apart, the latter by number."""
    repository = _repository(**{"refs/pull/10/head": A, "refs/pull/9/head": A, "refs/tags/t": A})

    found = resolve.resolve("main", mirror=repository)

    assert (("main", "beef"), ("t",), ("pull/9/head", "pull/10/head")) == (
        found.branches,
        found.tags,
        found.pulls,
    )


@given(st.text(max_size=20))
def test_any_text_is_answered(ref: str) -> None:
    """Whatever is asked for, the answer is a commit or an explained refusal."""
    with contextlib.suppress(UsageError):
        assert resolve.resolve(ref, mirror=_repository()).commit in {A, A2, B, C}
