"""What a mirror that is already there tells, without GitPython and without the network.

For `show` and `check`, which must start at once: GitPython costs 79 ms, one git a few. None
means that it cannot be told: no mirror, or the mirror lacks the commit.
"""

import re
from pathlib import Path

from dgpin import process
from dgpin.source import address, commits, entries, invocation, store
from dgpin.source.commits import Commit, Distance


def mirror_path(url: str) -> Path:
    """Return where the mirror of a repository lies or would lie.

    Raises:
        AddressError: the address is refused.
    """
    return store.place(address.parse(url))


def fetched_at(url: str) -> str | None:
    """Return when the mirror was last brought up to date (ISO 8601, UTC)."""
    stamp = store.stamp(mirror_path(url))
    return store.shown(stamp) if stamp else None


def describe(url: str, commit: str) -> Commit | None:
    """Return what is known of a commit (SHA, or branch)."""
    listed = _ask(url, ["rev-list", "--no-walk", f"--format={commits.FORMAT}"], commit)
    found = commits.parse(listed) if listed else ()
    return found[0] if found else None


def distance(url: str, commit: str, *, since: str) -> Distance | None:
    """Return how far a commit (SHA, or branch) is from another."""
    if (one := _revision(since)) is None or (other := _revision(commit)) is None:
        return None
    count = _ask(url, ["rev-list", "--left-right", "--count"], f"{one}...{other}", plain=True)
    return commits.distance(count) if count else None


def branches_with(url: str, commit: str) -> tuple[str, ...] | None:
    """Return the branches that contain a commit."""
    if _revision(commit) != commit or describe(url, commit) is None:
        return None
    words = ["for-each-ref", "--format=%(refname)", f"--contains={commit}"]
    listed = _ask(url, words, "refs/heads", plain=True)
    return None if listed is None else tuple(n[len("refs/heads/") :] for n in listed.split())


def listing(url: str, commit: str) -> dict[str, str] | None:
    """Return git's id of each file of a commit, by path."""
    words = ["ls-tree", "-r", "-z", "--full-tree"]
    listed = _ask(url, words, commit) if re.fullmatch(r"[0-9a-f]{7,40}", commit) else None
    if listed is None:
        return None
    return {entry.path: entry.sha for entry in entries.parse(listed.encode()) if entry.is_file}


def _ask(url: str, words: list[str], last: str, *, plain: bool = False) -> str | None:
    path = mirror_path(url)
    revision = last if plain else _revision(last)
    if revision is None or not store.stamp(path):
        return None
    done = process.run(
        ["git", "--git-dir", path, *words, revision],
        env=invocation.environment(),
        timeout=invocation.READ_LIMIT,
    )
    return done.text if done.returncode == 0 else None


def _revision(text: str) -> str | None:
    if re.fullmatch(r"[0-9a-f]{7,40}", text):
        return text
    return f"refs/heads/{text}" if re.fullmatch(r"\w[\w./+-]*", text) else None
