"""Mirrors of real git repositories."""

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from dgpin import cache, process
from dgpin.errors import UnavailableError, UsageError
from dgpin.process import MissingProgramError
from dgpin.source import address, git, history, invocation, store, transfer
from dgpin.source.gittree import NotFetchedError
from tests import gitrepo
from tests.gitrepo import Repo


@pytest.fixture
def upstream(tmp_path: Path) -> Repo:
    """A repository with a history, a tag and a pull request."""
    repo = gitrepo.make(tmp_path / "upstream")
    repo.commit("Start", {"setup.py": "1", "logo.png": b"\x89PNG"})
    repo.git("tag", "-a", "v1", "-m", "one")
    repo.commit("Add a kernel", {"csrc/k.hpp": "k", "link": ""}, remove=("link",))
    repo.git("update-ref", "refs/pull/3/head", "HEAD")
    return repo


def _objects(mirror: git.Mirror) -> set[str]:
    """Return the kinds of object in a mirror, asked of git itself."""
    words = ["cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"]
    done = process.run(["git", "--git-dir", mirror.path, *words], env=invocation.environment())
    return set(done.check().text.split())


def test_mirror_has_no_contents(upstream: Repo) -> None:
    """A mirror holds every commit, tree and tag, and no file's contents."""
    mirror = git.open_mirror(str(upstream.root), fetch=True)

    assert {"commit", "tree", "tag"} == _objects(mirror)


def test_refs(upstream: Repo) -> None:
    """Branches, peeled tags and pull requests are mirrored; what is gone goes."""
    first, second = upstream.git("rev-list", "--reverse", "main").split()
    upstream.git("branch", "old", first)
    mirror = git.open_mirror(str(upstream.root), fetch=True)
    before = {ref.name: ref.commit for ref in mirror.refs()}
    upstream.git("branch", "-D", "old")
    upstream.git("update-ref", "-d", "refs/pull/3/head")
    after = {ref.name: ref.commit for ref in git.open_mirror(str(upstream.root), fetch=True).refs()}

    assert {
        "refs/heads/main": second,
        "refs/heads/old": first,
        "refs/tags/v1": first,
        "refs/pull/3/head": second,
    } == before
    assert {"refs/heads/main": second, "refs/tags/v1": first} == after


def test_refs_that_mean_no_commit(upstream: Repo) -> None:
    """Tags of a tree and of a blob are no refs of a commit, and do no harm."""
    upstream.git("tag", "of-tree", "HEAD^{tree}")
    upstream.git("tag", "-a", "of-blob", "-m", "x", "HEAD:setup.py")
    head = upstream.git("rev-parse", "HEAD")
    mirror = git.open_mirror(str(upstream.root), fetch=True)

    assert ["refs/heads/main", "refs/pull/3/head", "refs/tags/v1"] == [
        r.name for r in mirror.refs()
    ]
    assert ["refs/heads/main", "refs/pull/3/head"] == [
        ref.name for ref in mirror.refs(containing=head)
    ]


def test_contents_come_in_one_batch(upstream: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree's contents are fetched once and together; a second tree needs nothing more."""
    batches: list[list[str]] = []
    real = transfer.fetch_contents

    def count(path: Path, where: address.Address, blobs: list[str]) -> None:
        batches.append(blobs)
        real(path, where, blobs)

    monkeypatch.setattr(transfer, "fetch_contents", count)
    mirror = git.open_mirror(str(upstream.root), fetch=True)
    head = upstream.git("rev-parse", "HEAD")

    tree = mirror.tree(head)
    again = git.open_mirror(str(upstream.root), fetch=True).tree(head)

    assert {"setup.py", "csrc/k.hpp", "logo.png"} == tree.paths()
    assert (b"1", b"k", b"k") == (
        tree.read("setup.py"),
        tree.read("csrc/k.hpp"),
        again.read("csrc/k.hpp"),
    )
    assert [2] == [len(batch) for batch in batches]


@pytest.mark.parametrize("settings", [{}, {"GIT_NO_LAZY_FETCH": "0"}], ids=["as-is", "lazy"])
def test_reading_never_fetches(upstream: Repo, settings: dict[str, str]) -> None:
    """A file that was not fetched stays so, though the remote is there and git may be lazy."""
    mirror = git.open_mirror(str(upstream.root), fetch=True)
    head = upstream.git("rev-parse", "HEAD")
    blob = upstream.git("rev-parse", "HEAD:logo.png")
    tree = mirror.tree(head)

    with pytest.raises(NotFetchedError, match=r"logo\.png"):
        tree.read("logo.png")
    env = {**invocation.environment(), **settings}
    done = process.run(["git", "--git-dir", mirror.path, "cat-file", "-e", blob], env=env)
    assert 0 != done.returncode
    assert (
        blob
        not in process.run(
            ["git", "--git-dir", mirror.path, "cat-file", "--batch-all-objects", "--batch-check"],
            env=env,
        ).text
    )


def test_lazy_git_would_fetch(upstream: Repo) -> None:
    """The test above can fail: with the remote configured, git 2.39 fetches what it misses."""
    mirror = git.open_mirror(str(upstream.root), fetch=True)
    blob = upstream.git("rev-parse", "HEAD:logo.png")
    remote = {"remote.origin.url": str(upstream.root), "remote.origin.promisor": "true"}
    env = {**invocation.environment(remote), "GIT_NO_LAZY_FETCH": "0"}

    done = process.run(["git", "--git-dir", mirror.path, "cat-file", "-e", blob], env=env)

    assert 0 == done.returncode


def test_nothing_of_the_address_is_written(upstream: Repo, tmp_path: Path) -> None:
    """No file of the mirror holds the address, which may hold a password."""
    mirror = git.open_mirror(f"file://{upstream.root}", fetch=True)
    files = [path for path in mirror.path.rglob("*") if path.is_file()]

    assert files
    assert [] == [
        path for path in files if str(tmp_path / "upstream").encode() in path.read_bytes()
    ]


def test_offline(upstream: Repo) -> None:
    """Without fetching, the copy is used as it is, and says when it was made."""
    url = str(upstream.root)
    online = git.open_mirror(url, fetch=True)
    new = upstream.commit("Later")

    offline = git.open_mirror(url, fetch=False)

    assert (False, online.as_of, False) == (offline.fetched, offline.as_of, offline.has(new))


def test_no_network_and_no_mirror(tmp_path: Path) -> None:
    """A repository that was never fetched cannot be used offline; the cure is named."""
    with pytest.raises(UnavailableError, match="no copy of") as raised:
        git.open_mirror(str(tmp_path / "never"), fetch=False)

    assert "without --offline" in raised.value.hint


def test_unreachable_host() -> None:
    """A host that does not answer is said so, without the password of the address."""
    with pytest.raises(UnavailableError, match="could not be fetched") as raised:
        git.open_mirror("https://me:s3cret@127.0.0.1:9/a/b", fetch=True)

    assert "s3cret" not in raised.value.message + raised.value.hint
    assert 3 == raised.value.exit_code


def test_ssh_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ssh is started so that it fails instead of asking for a password or a host key."""
    ssh = tmp_path / "bin/ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexit 255\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)

    with pytest.raises(UnavailableError, match="could not be fetched"):
        git.open_mirror("git@example.org:a/b", fetch=True)

    assert "-o BatchMode=yes" in (tmp_path / "asked").read_text()


def test_failed_fetch_leaves_the_copy(upstream: Repo) -> None:
    """A repository that cannot be reached any more is refused, and its copy still serves."""
    url = str(upstream.root)
    git.open_mirror(url, fetch=True)
    upstream.root.rename(upstream.root.with_name("moved"))

    with pytest.raises(UsageError, match="no git repository"):
        git.open_mirror(url, fetch=True)
    assert git.open_mirror(url, fetch=False).refs()


def test_no_repository(tmp_path: Path) -> None:
    """A local path without a repository is a wrong configuration."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match="no git repository at"):
        git.open_mirror(str(tmp_path / "empty"), fetch=True)


def test_no_git(upstream: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a git program the failure names what is missing."""
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(MissingProgramError, match="`git`"):
        git.open_mirror(str(upstream.root), fetch=True)


def test_old_git(upstream: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that cannot be told its remote by environment is named as the cause."""
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    old.write_text('#!/bin/sh\n[ "$1" = version ] && echo git version 2.25.1 || exit 128\n')
    old.chmod(0o755)
    monkeypatch.setattr(transfer, "create", lambda path: path.mkdir(parents=True))
    monkeypatch.setenv("PATH", str(old.parent))

    with pytest.raises(UnavailableError, match=r"git version 2\.25\.1 is too old") as raised:
        git.open_mirror(str(upstream.root), fetch=True)

    assert "git 2.31 or newer" in raised.value.hint


def test_hooks_do_not_run(upstream: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the user's hooks nor a template's run in a mirror."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    hook = hooks / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text(
        f"[core]\n\thooksPath = {hooks}\n[init]\n\ttemplateDir = {tmp_path}\n"
    )
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path))

    git.open_mirror(str(upstream.root), fetch=True)

    assert not (tmp_path / "ran").exists()


def test_inside_a_hook(upstream: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run from another repository's hook, dgpin still reads its own mirror."""
    other = gitrepo.make(tmp_path / "other")
    other.commit("Other")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.root / ".git/objects"))

    mirror = git.open_mirror(str(upstream.root), fetch=True)
    head = mirror.refs()[0].commit

    assert "Add a kernel" == mirror.describe(head).subject
    assert b"k" == mirror.tree(head).read("csrc/k.hpp")
    assert mirror.describe(head) == history.describe(str(upstream.root), "main")


def test_two_at_once(upstream: Repo) -> None:
    """While one dgpin fetches, another waits for it and uses what it fetched."""
    url = str(upstream.root)
    path = history.mirror_path(url)
    opened: list[git.Mirror] = []
    with store.locked(path, shown=url, limit=1):
        waiting = threading.Thread(target=lambda: opened.append(git.open_mirror(url, fetch=True)))
        waiting.start()
        time.sleep(0.3)
        assert [] == opened
        transfer.create(path)
        transfer.fetch_refs(path, address.parse(url))
        stamp = store.now()
        store.set_stamp(path, stamp)
    waiting.join(20)

    assert [store.shown(stamp)] == [mirror.as_of for mirror in opened]
    assert stamp == store.stamp(path)


def test_busy(upstream: Repo) -> None:
    """A lock that is not given back in time ends the wait with a reason."""
    path = history.mirror_path(str(upstream.root))

    with (
        store.locked(path, shown="x", limit=1),
        pytest.raises(UnavailableError, match="another dgpin is fetching x"),
        store.locked(path, shown="x", limit=0.1),
    ):
        pass


def test_killed_fetch(upstream: Repo) -> None:
    """Locks that a killed git left behind do not stop the next fetch."""
    mirror = git.open_mirror(str(upstream.root), fetch=True)
    (mirror.path / "packed-refs.lock").touch()
    (mirror.path / "refs/heads/new.lock").touch()
    upstream.git("branch", "new")

    names = [ref.name for ref in git.open_mirror(str(upstream.root), fetch=True).refs()]

    assert "refs/heads/new" in names


def test_half_made_mirror(upstream: Repo) -> None:
    """A mirror whose making was cut short is completed."""
    path = history.mirror_path(str(upstream.root))
    (path / "objects").mkdir(parents=True)
    (path / "HEAD").write_text("")

    assert git.open_mirror(str(upstream.root), fetch=True).refs()


def test_damaged_mirror(upstream: Repo) -> None:
    """A mirror that git cannot read any more is said so, with the cure."""
    path = git.open_mirror(str(upstream.root), fetch=True).path
    (path / "HEAD").write_text("")

    with pytest.raises(UnavailableError, match=f"the mirror {path} cannot be read") as raised:
        git.open_mirror(str(upstream.root), fetch=True)

    assert "Delete that directory" in raised.value.hint


def test_damaged_objects(upstream: Repo) -> None:
    """What git cannot read of the mirror is no fault of the network's."""
    mirror = git.open_mirror(str(upstream.root), fetch=True)
    for index in mirror.path.glob("objects/pack/*.idx"):
        index.chmod(0o600)
        index.write_bytes(b"")

    with pytest.raises(store.DamagedError, match="index file"):
        git.open_mirror(str(upstream.root), fetch=True)


def test_a_file_in_the_mirror_s_place(upstream: Repo) -> None:
    """It is none that was ever completed, and makes room."""
    place = history.mirror_path(str(upstream.root))
    place.parent.mkdir(parents=True)
    place.write_text("")

    assert git.open_mirror(str(upstream.root), fetch=True).refs()


def test_foreign_mirror(upstream: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror of another user's, whose configuration could run programs, is not used."""
    git.open_mirror(str(upstream.root), fetch=True)
    monkeypatch.setattr(os, "getuid", lambda: 12345)

    with pytest.raises(UnavailableError, match="belongs to another user"):
        git.open_mirror(str(upstream.root), fetch=False)


def test_cache_that_cannot_be_written(upstream: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be made names the way out."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", "/proc/dgpin")

    with pytest.raises(UnavailableError, match="cannot be used") as raised:
        git.open_mirror(str(upstream.root), fetch=True)

    assert "DGPIN_CACHE_DIR" in raised.value.hint


def test_log(upstream: Repo) -> None:
    """A log tells what the new side has, what it dropped, and where they parted."""
    base = upstream.git("rev-parse", "HEAD")
    upstream.git("checkout", "-q", "-b", "fork")
    old = upstream.commit("Guard the bound")
    upstream.git("checkout", "-q", "main")
    new = upstream.commit("Release")
    mirror = git.open_mirror(str(upstream.root), fetch=True)

    log = mirror.log(old, new)

    assert (base, ["Release"], ["Guard the bound"], "") == (
        log.base,
        [commit.subject for commit in log.commits],
        [commit.subject for commit in log.dropped],
        log.compare,
    )
    assert ("Ada", "2026-01-04T12:00:00+00:00") == (log.commits[0].author, log.commits[0].date)


def test_log_without_a_common_commit(upstream: Repo) -> None:
    """Histories that have nothing in common have no merge base, and still a log."""
    old = upstream.git("rev-parse", "HEAD")
    upstream.git("checkout", "-q", "--orphan", "squashed")
    new = upstream.commit("Squash")

    log = git.open_mirror(str(upstream.root), fetch=True).log(old, new)

    assert ("", 1, 2) == (log.base, len(log.commits), len(log.dropped))


def test_submodules(upstream: Repo, tmp_path: Path) -> None:
    """Submodules are read at the commit that the source records, whatever theirs is now."""
    library = gitrepo.make(tmp_path / "library")
    library.commit("One", {"include/l.h": "one"})
    recorded = library.git("rev-parse", "HEAD")
    upstream.add_submodule("../library", "third-party/library")
    head = upstream.commit("Add the library")
    library.commit("Two", {"include/l.h": "two"})

    tree = git.open_mirror(str(upstream.root), fetch=True).tree(head)
    offline = git.open_mirror(str(upstream.root), fetch=False).tree(head)

    assert b"one" == tree.read("third-party/library/include/l.h")
    assert {"third-party/library": recorded} == tree.gitlinks()
    assert b"one" == offline.read("third-party/library/include/l.h")


def test_submodule_that_lacks_its_commit(upstream: Repo, tmp_path: Path) -> None:
    """A submodule whose repository lost the recorded commit is named with it."""
    library = gitrepo.make(tmp_path / "library")
    library.commit("One", {"l.h": "one"})
    upstream.add_submodule("../library", "lib")
    head = upstream.commit("Add the library")
    lost = library.git("rev-parse", "HEAD")
    (tmp_path / "library").rename(tmp_path / "gone")
    gitrepo.make(tmp_path / "library").commit("Other")

    with pytest.raises(UnavailableError, match=lost):
        git.open_mirror(str(upstream.root), fetch=True).tree(head)


def test_remote_without_filters(tmp_path: Path) -> None:
    """A server that cannot leave contents out is mirrored all the same."""
    repo = gitrepo.make(tmp_path / "plain", promises=False)
    head = repo.commit("One", {"setup.py": "1"})

    assert b"1" == git.open_mirror(str(repo.root), fetch=True).tree(head).read("setup.py")


def test_history_tells_the_same_without_gitpython(upstream: Repo) -> None:
    """The cheap door and the mirror agree; what it cannot tell is None."""
    url = str(upstream.root)
    first, second = upstream.git("rev-list", "--reverse", "main").split()
    assert (None, None) == (history.fetched_at(url), history.distance(url, "main", since=first))
    mirror = git.open_mirror(url, fetch=True)

    assert mirror.path == history.mirror_path(url)
    assert mirror.as_of == history.fetched_at(url)
    assert mirror.distance(second, since=first) == history.distance(url, "main", since=first)
    assert mirror.describe(second) == history.describe(url, second)
    assert ("main",) == history.branches_with(url, first)
    assert None is history.describe(url, "f" * 40)
    assert None is history.branches_with(url, "f" * 40)
    assert None is history.describe(url, "--all")


def test_cache_is_the_only_place_written(upstream: Repo) -> None:
    """Mirroring leaves the mirrored repository as it was."""
    before = subprocess.check_output(["find", upstream.root, "-printf", "%p %T@ %s\n"])

    mirror = git.open_mirror(str(upstream.root), fetch=True)

    assert before == subprocess.check_output(["find", upstream.root, "-printf", "%p %T@ %s\n"])
    assert mirror.path.is_relative_to(cache.root())
