"""Small git repositories for tests, made through the same door as dgpin's own programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.source import invocation

WHEN = "2026-01-{day:02d}T12:00:00+00:00"


@dataclass
class Repo:
    """A repository with a work tree; every commit is a day later than the one before."""

    root: Path
    day: int = 0

    def git(self, *words: str, stdin: bytes | None = None) -> str:
        """Run git in the work tree and return what it printed."""
        when = WHEN.format(day=max(self.day, 1))
        settings = {
            "user.name": "Ada",
            "user.email": "ada@example.org",
            "init.defaultBranch": "main",
            "commit.gpgSign": "false",
            "protocol.file.allow": "always",
        }
        env = {
            **invocation.environment(settings),
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
        }
        done = process.run(["git", "-C", self.root, *words], env=env, stdin=stdin, timeout=60)
        return done.check().text.strip()

    def commit(
        self,
        subject: str,
        files: Mapping[str, str | bytes] | None = None,
        *,
        remove: tuple[str, ...] = (),
    ) -> str:
        """Write and remove files, commit everything, and return the SHA."""
        self.day = min(self.day + 1, 31)
        for name, contents in (files or {}).items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        for name in remove:
            (self.root / name).unlink()
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def add_submodule(self, url: str, path: str) -> None:
        """Add a submodule, checked out; the next commit records it."""
        self.git("submodule", "--quiet", "add", "--", url, path)


def make(root: Path, *, promises: bool = True) -> Repo:
    """Make an empty repository on branch `main`.

    With `promises` it answers blobless fetches, as GitHub does.
    """
    root.mkdir(parents=True, exist_ok=True)
    repo = Repo(root)
    repo.git("init", "--quiet", "--initial-branch=main")
    if promises:
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return repo
