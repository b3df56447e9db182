"""Bringing objects from a remote into a mirror: the only place that reaches for the network.

A mirror is made without contents (`blob:none`). Its configuration names no remote at all: the
remote exists only for the git that fetches. So no other git, of any version, can fetch behind the
user's back what a reader misses (`GIT_NO_LAZY_FETCH` alone is unknown before git 2.44, and to
releases without its backport).
"""

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from dgpin import process
from dgpin.errors import DgpinError, UnavailableError, UsageError
from dgpin.process import Completed, MissingProgramError
from dgpin.source import invocation, store
from dgpin.source.address import Address

OLDEST = (2, 31)  # the first that reads GIT_CONFIG_COUNT
REFS = (
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    "+refs/pull/*/head:refs/pull/*/head",
)


class NoRepositoryError(UsageError):
    """A local path that holds no repository."""

    hint = "Name a clone, or a bare repository; `git -C PATH rev-parse` says what git sees there."

    def __init__(self, shown: str) -> None:
        super().__init__(f"there is no git repository at {shown}")


class OldGitError(UnavailableError):
    """A git that does not take its configuration from the environment."""

    hint = f"Put git {OLDEST[0]}.{OLDEST[1]} or newer on PATH."

    def __init__(self, version: str) -> None:
        super().__init__(f"{version} is too old")


class FetchError(UnavailableError):
    """The remote could not be reached, or did not give what it was asked for."""

    hint = "Check the network and the address, then run the same command again."

    def __init__(self, shown: str, why: str, *, as_of: str = "") -> None:
        hint = f"{self.hint} With --offline the copy of {as_of} is used." if as_of else None
        super().__init__(f"{shown} could not be fetched: {why}", hint=hint)


def require_git() -> None:
    """Raise MissingProgramError unless there is a git to start."""
    if shutil.which("git") is None:
        raise MissingProgramError("git")


def create(path: Path) -> None:
    """Make an empty bare repository."""
    process.run(
        ["git", "init", "--quiet", "--bare", "--template=", path],
        env=invocation.environment(),
        timeout=invocation.READ_LIMIT,
    ).check()


def missing(path: Path, blobs: Iterable[str]) -> list[str]:
    """Return the objects that a mirror does not have, sorted."""
    asked = sorted(set(blobs))
    if not asked:
        return []
    done = process.run(
        ["git", "--git-dir", path, "cat-file", "--batch-check=%(objectname)"],
        env=invocation.environment(),
        stdin="".join(f"{sha}\n" for sha in asked).encode(),
        timeout=invocation.READ_LIMIT,
    ).check()
    lines = done.text.splitlines()
    return [sha for sha, line in zip(asked, lines, strict=True) if line != sha]


def fetch_refs(path: Path, address: Address) -> None:
    """Fetch every branch, tag and pull request; those that are gone go here too.

    Raises:
        NoRepositoryError: a local path holds no repository.
        FetchError: the remote could not be reached.
    """
    done = _fetch(path, address, ["--prune", "--no-tags", "--force", "origin", *REFS])
    if done.returncode != 0:
        raise _failure(path, address, done)


def fetch_commit(path: Path, address: Address, commit: str, *, shallow: bool = False) -> bool:
    """Fetch one commit by its SHA; False when the remote answered but does not give it.

    Raises:
        FetchError: the remote could not be reached.
    """
    depth = ["--depth=1"] if shallow else []
    done = _fetch(path, address, [*depth, "--no-tags", "origin", commit])
    if done.returncode == 0:
        return True
    if re.search(r"not our ref|unadvertised object|no such remote ref", _text(done)):
        return False
    raise _failure(path, address, done)


def fetch_contents(path: Path, address: Address, blobs: Iterable[str]) -> None:
    """Fetch blobs in one batch.

    Raises:
        FetchError: the remote could not be reached or does not give them.
    """
    wanted = "".join(f"{sha}\n" for sha in blobs).encode()
    words = ["--no-tags", "--stdin", "origin"]
    # Negotiation compares commits; for single blobs it would only cost round trips.
    extra = {"fetch.negotiationAlgorithm": "noop"}
    done = _fetch(path, address, words, stdin=wanted, config=extra)
    if done.returncode != 0:
        raise _failure(path, address, done)


def _fetch(
    path: Path,
    address: Address,
    words: Sequence[str],
    *,
    stdin: bytes | None = None,
    config: dict[str, str] | None = None,
) -> Completed:
    remote = {
        "remote.origin.url": address.secret,
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        **(config or {}),
    }
    store.clear_stale_locks(path)
    env = invocation.environment(remote)
    return process.run(
        ["git", "--git-dir", path, "fetch", "--quiet", "--no-write-fetch-head", *words],
        env=env if address.local else _with_batch_ssh(env),
        stdin=stdin,
        timeout=invocation.FETCH_LIMIT,
    )


def _with_batch_ssh(env: dict[str, str]) -> dict[str, str]:
    if "GIT_SSH_COMMAND" not in env and "GIT_SSH" not in env:
        configured = process.run(["git", "config", "--get", "core.sshCommand"], env=env)
        env["GIT_SSH_COMMAND"] = configured.text.strip() or "ssh"
    if "GIT_SSH_COMMAND" in env:
        env["GIT_SSH_COMMAND"] += " -o BatchMode=yes"
    return env


def _too_old() -> str | None:
    said = process.run(["git", "version"], timeout=invocation.READ_LIMIT).text.strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) >= OLDEST:
        return None
    return said


def _text(done: Completed) -> str:
    return done.stderr.decode(errors="replace")


# What git says of an object store of its own that it cannot read.
_BROKEN = re.compile(r"^(?:error|fatal): .*(?:index file|pack ?file|corrupt).*$", re.MULTILINE)


def _failure(path: Path, address: Address, done: Completed) -> DgpinError:
    if (version := _too_old()) is not None:
        return OldGitError(version)
    text = _text(done)
    if f"not a git repository: '{path}'" in text:
        return store.DamagedError(path, "it is not a git repository")
    if (broken := _BROKEN.search(text)) is not None and str(path) in broken[0]:
        return store.DamagedError(path, broken[0])
    if address.local and "does not appear to be a git repository" in text:
        return NoRepositoryError(address.shown)
    if done.returncode is None:
        why = f"no end after {invocation.FETCH_LIMIT:.0f} s"
    else:
        lines = [line for line in text.splitlines() if line.startswith(("fatal:", "error:"))]
        why = (lines or text.strip().splitlines() or ["git gave no reason"])[0]
    shown = re.sub(r"://[^/@\s]*@", "://", why.replace(address.secret, address.shown))
    return FetchError(address.shown, shown, as_of=store.shown(store.stamp(path)))
