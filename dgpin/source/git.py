"""Mirrors of git repositories in the cache. The only module that uses GitPython.

For example:

    mirror = open_mirror("https://github.com/deepseek-ai/DeepGEMM", fetch=True)
    found = resolve("nv_dev", mirror=mirror, old=OLD)  # dgpin.source.resolve
    tree = mirror.tree(found.commit)  # a dgpin.source.tree.Tree
    log = mirror.log(OLD, found.commit)
"""

import os
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from dgpin.errors import UnavailableError, UsageError
from dgpin.source import address as addresses
from dgpin.source import checkout, commits, entries, invocation, store, transfer
from dgpin.source.address import Address
from dgpin.source.checkout import Wanted
from dgpin.source.commits import Commit, Distance, Log, Ref
from dgpin.source.entries import Entry
from dgpin.source.gittree import GitTree

# GitPython looks for git when it is imported and raises where there is none; whether there is one
# is asked, and said in our words, when a mirror is opened.
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
import git

_SHARED = 1 << 20  # bytes; what is larger is read anew each time


class NoHistoryError(UnavailableError):
    """A mirror that knows the commits of a history but not all that was in them."""

    hint = "Run the same command once with network, without --offline."

    def __init__(self, commit: str) -> None:
        super().__init__(f"the mirror does not hold what the history of {commit[:12]} contained")


class NoCommitError(UsageError):
    """A commit that a mirror does not have."""

    hint = "If it is the old pin, name another commit to compare the new one with: --from SHA."

    def __init__(self, commit: str, shown: str) -> None:
        super().__init__(f"{shown} has no commit {commit}")


class Mirror:
    """A repository in the cache: every commit and tree, and the contents that were asked for.

    Reading never reaches for the network. `fetched` tells whether this run has asked the remote,
    `as_of` when it was last asked (ISO 8601 with offset).
    """

    def __init__(self, address: Address, path: Path, *, fetched: bool, as_of: str) -> None:
        self.address = address
        self.path = path
        self.fetched = fetched
        self.as_of = store.shown(as_of)
        self._trees: dict[tuple[str, Wanted, bool], GitTree] = {}
        self._listings: dict[str, Mapping[str, Entry]] = {}
        self._blobs: dict[str, bytes] = {}  # two commits have most files in common

    @cached_property
    def _git(self) -> git.Git:
        # Not git.Repo: inside a hook, the variables of the hook's repository would win.
        found = git.Git(str(self.path))
        found.set_persistent_git_options(git_dir=str(self.path))
        found.update_environment(
            **invocation.settings(),
            GIT_OBJECT_DIRECTORY=str(self.path / "objects"),
            GIT_ALTERNATE_OBJECT_DIRECTORIES="",
            GIT_NAMESPACE="",
        )
        # GitPython ends its processes when it is collected, which may be late or never.
        weakref.finalize(self, found.clear_cache)
        return found

    def _ask(self, command: str, *words: str, **options: Any) -> Any:  # noqa: ANN401 - GitPython answers text or bytes, as the options say
        return getattr(self._git, command)(*words, **options)

    def _read(self, command: str, *words: str) -> str:
        try:
            return str(self._ask(command, *words))
        except git.GitCommandError as error:
            raise store.DamagedError(self.path, str(error.stderr).strip()) from error

    def refs(self, *, containing: str | None = None) -> tuple[Ref, ...]:
        """Return every branch, tag (peeled) and pull request, or those that contain a commit."""
        only = ["--contains", containing] if containing else []
        listed = self._read("for_each_ref", *only, f"--format={commits.REFS}", *commits.KINDS)
        return tuple(commits.refs(listed))

    def has(self, commit: str) -> bool:
        """Tell whether the full SHA is that of a commit in the mirror."""
        return self.peel(commit) == commit

    def peel(self, sha: str) -> str | None:
        """Return the commit that a commit or an annotated tag means; None for anything else."""
        found = self._header(f"{sha}^{{commit}}")
        return found[0] if found is not None and found[1] == "commit" else None

    def abbreviated(self, prefix: str) -> tuple[str, ...]:
        """Return the commits whose SHA begins so, and those that such annotated tags mean."""
        listed = self._read("rev_parse", f"--disambiguate={prefix}").split()
        peeled = {self.peel(sha) for sha in listed}
        return tuple(sorted(sha for sha in peeled if sha is not None))

    def describe(self, commit: str) -> Commit:
        """Return what is known of one commit that is in the mirror."""
        return self._commits("--no-walk", commit)[0]

    def describe_all(self, shas: Sequence[str]) -> tuple[Commit, ...]:
        """Return what is known of several commits."""
        return self._commits("--no-walk=unsorted", *shas) if shas else ()

    def log(self, old: str, new: str) -> Log:
        """Return the commits between two commits that are both in the mirror, newest first."""
        slug = self.address.slug
        return Log(
            base=self.merge_base(old, new),
            commits=self._commits(f"{old}..{new}"),
            dropped=self._commits(f"{new}..{old}"),
            compare=f"https://github.com/{slug}/compare/{old}...{new}" if slug else "",
        )

    def merge_base(self, one: str, other: str) -> str:
        """Return the best common ancestor of two commits; empty when there is none."""
        try:
            return str(self._ask("merge_base", one, other))
        except git.GitCommandError as error:
            if error.status == 1:
                return ""
            raise store.DamagedError(self.path, str(error.stderr).strip()) from error

    def distance(self, commit: str, *, since: str) -> Distance | None:
        """Return how far `commit` is from `since`; None when either is not in the mirror."""
        if not (self.has(commit) and self.has(since)):
            return None
        count = self._read("rev_list", "--left-right", "--count", f"{since}...{commit}")
        return commits.distance(count)

    def _commits(self, *words: str) -> tuple[Commit, ...]:
        return commits.parse(self._read("rev_list", f"--format={commits.FORMAT}", *words, "--"))

    def tree(
        self,
        commit: str,
        *,
        wanted: Wanted = checkout.wanted_by_default,
        submodules: bool = True,
    ) -> GitTree:
        """Return the files at a commit; those for which `wanted` is true can be read.

        `wanted` gets paths as `paths()` has them, and by default is true for everything that a
        fact can come from. Their contents are fetched in one batch per repository when the mirror
        was opened with `fetch=True`, and so are the submodules at the commits recorded. A
        submodule whose mirror lacks the commit is left out of `paths()`; `gitlinks()` tells it
        either way. With `submodules=False` none is looked at. Without fetching the tree shows what
        the cache holds.

        Raises:
            NoCommitError: the commit is not in the mirror.
            FetchError: contents or a submodule could not be fetched.
            AddressError: a submodule's address is refused.
        """

        def open_one(address: Address, recorded: str) -> Mirror | None:
            return open_submodule(address, recorded, fetch=self.fetched) if submodules else None

        known = (commit, wanted, submodules)
        if known not in self._trees:
            tree = checkout.build(self, commit, open_submodule=open_one, wanted=wanted)
            self._trees[known] = tree
        return self._trees[known]

    def listing(self, commit: str) -> Mapping[str, Entry]:
        """Return every entry of a commit by path.

        Raises:
            NoCommitError: the commit is not in the mirror.
        """
        if commit not in self._listings:
            words = ("-r", "-z", "--full-tree", commit)
            try:
                listed = self._ask("ls_tree", *words, stdout_as_string=False)
            except git.GitCommandError as error:
                raise NoCommitError(commit, self.address.shown) from error
            self._listings[commit] = {entry.path: entry for entry in entries.parse(listed)}
        return self._listings[commit]

    def blob(self, sha: str) -> bytes:
        """Return a blob's bytes.

        Raises:
            KeyError: it is not in the mirror.
        """
        known = self._blobs.get(sha)
        if known is None:
            try:
                _sha, _kind, _size, known = self._git.get_object_data(sha)
            except ValueError:
                raise KeyError(sha) from None
            if len(known) <= _SHARED:
                self._blobs[sha] = known
        return known

    def missing(self, blobs: Iterable[str]) -> list[str]:
        """Return those blobs whose contents are not in the mirror."""
        return transfer.missing(self.path, blobs)

    def bring(self, blobs: Iterable[str]) -> None:
        """Fetch those blobs that are missing, if the mirror was opened with `fetch=True`.

        Raises:
            FetchError: the remote could not be reached or does not give them.
        """
        if not self.fetched:
            return
        missing = self.missing(blobs)
        if missing:
            with store.locked(self.path, shown=self.address.shown, limit=invocation.FETCH_LIMIT):
                transfer.fetch_contents(self.path, self.address, missing)
            self._forget()

    def bring_history(self, commit: str) -> None:
        """Fetch every content that the history of a commit had, for blame and patches.

        Raises:
            FetchError: the remote could not be reached or does not give them.
            NoHistoryError: some are missing, and the mirror was not opened with `fetch=True`.
        """
        listed = self._read("rev_list", "--objects", "--missing=print", commit)
        missing = [line[1:] for line in listed.split("\n") if line.startswith("?")]
        if missing and not self.fetched:
            raise NoHistoryError(commit)
        self.bring(missing)

    def fetch_commit(self, commit: str) -> bool:
        """Ask the remote for one commit that none of its refs contains; False if it has none such.

        Raises:
            FetchError: the remote could not be reached.
        """
        with store.locked(self.path, shown=self.address.shown, limit=invocation.FETCH_LIMIT):
            found = transfer.fetch_commit(self.path, self.address, commit)
        self._forget()
        return found and self.has(commit)

    def lengthened(self, short: str) -> str | None:
        """Return the full SHA of a commit that GitHub has but none of its refs contains.

        The commit is fetched. None where the repository is elsewhere, or GitHub cannot be asked.
        """
        from dgpin.source import github  # noqa: PLC0415 - httpx costs 73 ms

        if not self.address.slug:
            return None
        full = github.full_sha(self.address.slug, short)
        return full if full is not None and self.fetch_commit(full) else None

    def _header(self, name: str) -> tuple[str, str] | None:
        """Return the SHA and kind of an object, or None when the mirror does not have it."""
        header: Any  # declared as text by GitPython, which gives bytes in some releases
        try:
            header = self._git.get_object_header(name)
        except ValueError:
            return None
        sha, kind = (part.decode() if isinstance(part, bytes) else part for part in header[:2])
        return sha, kind

    def _forget(self) -> None:
        # A running `cat-file --batch` may know only the packs that were there when it started.
        self._git.clear_cache()


def open_mirror(url: str, *, fetch: bool) -> Mirror:
    """Return the mirror of a repository, made or brought up to date first with `fetch=True`.

    Without, what the cache holds is used as it is (`--offline`).

    Raises:
        AddressError: the address is refused.
        NoRepositoryError: a local path holds no repository.
        store.NoMirrorError: there is no mirror, and none was to be fetched.
        FetchError: the remote could not be reached.
        UnavailableError: no git, or the cache cannot be written.
    """
    address = addresses.parse(url)
    transfer.require_git()
    path = store.place(address)
    if not fetch:
        return Mirror(address, path, fetched=False, as_of=store.known(address))
    asked = store.now()
    with store.locked(path, shown=address.shown, limit=invocation.FETCH_LIMIT):
        # Whoever held the lock may have fetched just what we were waiting for.
        if store.stamp(path) < asked:
            began = store.now()
            if not store.stamp(path):
                store.discard(path)
                transfer.create(path)
            transfer.fetch_refs(path, address)
            store.set_stamp(path, began)
    return Mirror(address, path, fetched=True, as_of=store.stamp(path))


def open_submodule(address: Address, commit: str, *, fetch: bool) -> Mirror | None:
    """Return the store of a submodule if it has, or with `fetch` can get, the recorded commit.

    Raises:
        FetchError: the remote could not be reached, or does not have the commit.
    """
    path = store.place(address, kind="submodules")
    mirror = Mirror(address, path, fetched=fetch, as_of=store.stamp(path))
    if mirror.as_of and mirror.has(commit):
        return mirror
    if not fetch:
        return None
    with store.locked(path, shown=address.shown, limit=invocation.FETCH_LIMIT):
        began = store.now()
        if not store.stamp(path):
            store.discard(path)
            transfer.create(path)
        if not transfer.fetch_commit(path, address, commit, shallow=True):
            # A server of the old protocol gives only what a ref names.
            transfer.fetch_refs(path, address)
        store.set_stamp(path, began)
    fresh = Mirror(address, path, fetched=True, as_of=began)
    if not fresh.has(commit):
        raise transfer.FetchError(address.shown, f"it does not have the recorded commit {commit}")
    return fresh
