"""Refs of real repositories."""

import itertools
from pathlib import Path

import pytest

from dgpin.errors import RefusedError, UsageError
from dgpin.source import git, resolve
from dgpin.source.commits import Distance
from dgpin.source.elsewhere import search
from dgpin.source.resolve import Kind
from tests import gitrepo
from tests.gitrepo import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Two commits on main, an annotated tag on the first, a pull request beside them."""
    made = gitrepo.make(tmp_path / "repo")
    made.commit("First")
    made.git("tag", "-a", "v1", "-m", "one")
    made.commit("Second")
    made.git("checkout", "-q", "-b", "work")
    made.commit("Proposed")
    made.git("update-ref", "refs/pull/12/head", "HEAD")
    made.git("checkout", "-q", "main")
    made.git("branch", "-q", "-D", "work")
    return made


def _commit(repo: Repo, name: str) -> str:
    return repo.git("rev-parse", f"{name}^{{commit}}")


def test_every_kind(repo: Repo) -> None:
    """A full and a short SHA, a branch, a tag object and a pull request find their commits."""
    mirror = git.open_mirror(str(repo.root), fetch=True)
    first, second, pull = (_commit(repo, name) for name in ("v1", "main", "refs/pull/12/head"))

    def meaning(ref: str) -> tuple[Kind, str]:
        found = resolve.resolve(ref, mirror=mirror)
        return found.kind, found.commit

    assert (Kind.FULL_SHA, first) == meaning(first)
    assert (Kind.SHORT_SHA, first) == meaning(first[:9])
    assert (Kind.BRANCH, second) == meaning("main")
    assert (Kind.TAG, first) == meaning("v1")
    assert (Kind.FULL_SHA, first) == meaning(repo.git("rev-parse", "v1"))
    assert (Kind.PULL_REQUEST, pull) == meaning("pull/12/head")


def test_what_is_known_of_it(repo: Repo) -> None:
    """Subject, author, date, holders and distance come with the commit."""
    mirror = git.open_mirror(str(repo.root), fetch=True)

    found = resolve.resolve("v1", mirror=mirror, old=_commit(repo, "main"))

    assert ("First", "Ada", "2026-01-01T12:00:00+00:00") == (
        found.subject,
        found.author,
        found.author_date,
    )
    assert (("main",), ("v1",), ("pull/12/head",)) == (found.branches, found.tags, found.pulls)
    assert (Distance(ahead=0, behind=1), True, "") == (
        found.distance,
        found.verified,
        found.notice,
    )


def test_unreachable_commit(repo: Repo) -> None:
    """A commit that the remote still has but no ref contains is found, and refused."""
    lost = repo.commit("Lost")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    mirror = git.open_mirror(str(repo.root), fetch=True)

    with pytest.raises(RefusedError, match="no branch, tag or pull request contains it"):
        resolve.resolve(lost, mirror=mirror)

    allowed = resolve.resolve(lost, mirror=mirror, allow_unreachable=True)
    assert ("Lost", False) == (allowed.subject, allowed.is_reachable)


def test_branch_that_was_forced_back(repo: Repo) -> None:
    """A commit that the mirror once saw on a branch is unreachable when the branch left it."""
    lost = repo.commit("Lost")
    git.open_mirror(str(repo.root), fetch=True)
    repo.git("reset", "-q", "--hard", "HEAD~1")

    with pytest.raises(RefusedError, match=lost):
        resolve.resolve(lost, mirror=git.open_mirror(str(repo.root), fetch=True))


def test_commit_of_another_repository(repo: Repo, tmp_path: Path) -> None:
    """A commit of a fork is refused, and the fork that has it is named."""
    fork = gitrepo.make(tmp_path / "fork")
    theirs = fork.commit("Only here")
    empty = gitrepo.make(tmp_path / "empty")
    empty.commit("Nothing")
    mirror = git.open_mirror(str(repo.root), fetch=True)
    others = search([str(empty.root), str(tmp_path / "missing"), str(fork.root)], fetch=True)

    with pytest.raises(RefusedError) as raised:
        resolve.resolve(theirs, mirror=mirror, elsewhere=others)

    assert f"{fork.root} has it (branch main)" in raised.value.message
    assert f"--repo {fork.root}" in raised.value.hint


def test_unknown_commit(repo: Repo) -> None:
    """A SHA that no repository has is an unknown ref."""
    mirror = git.open_mirror(str(repo.root), fetch=True)

    with pytest.raises(UsageError, match="has no commit"):
        resolve.resolve("0" * 39 + "1", mirror=mirror)


def test_tag_and_branch_of_one_name(repo: Repo) -> None:
    """A tag and a branch of one name are refused with both commits; a prefix decides."""
    repo.git("branch", "v1", "main")
    mirror = git.open_mirror(str(repo.root), fetch=True)

    with pytest.raises(UsageError, match="ambiguous") as raised:
        resolve.resolve("v1", mirror=mirror)

    assert "branch v1" in raised.value.message
    assert "tag v1" in raised.value.message
    assert _commit(repo, "tags/v1") == resolve.resolve("tags/v1", mirror=mirror).commit
    assert _commit(repo, "main") == resolve.resolve("heads/v1", mirror=mirror).commit


def test_ambiguous_short_sha(tmp_path: Path) -> None:
    """Of enough commits two share four digits; that prefix is refused with both."""
    repo = gitrepo.make(tmp_path / "many")
    head = repo.commit("Start")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    commands = [
        f"commit refs/heads/n{n}\ncommitter A <a@b> {n} +0000\ndata 1\nx\nfrom {head}\n"
        for n in range(700)
    ]
    repo.git("fast-import", "--quiet", stdin="".join(commands).encode())
    assert tree
    shas = sorted(repo.git("for-each-ref", "--format=%(objectname)", "refs/heads").split())
    twin = next(
        one[:4] for one, other in itertools.pairwise(shas) if one[:4] == other[:4] != head[:4]
    )
    mirror = git.open_mirror(str(repo.root), fetch=True)

    with pytest.raises(UsageError, match="ambiguous") as raised:
        resolve.resolve(twin, mirror=mirror)

    expected = {sha[:12] for sha in shas if sha.startswith(twin)}
    assert all(sha in raised.value.message for sha in expected)
