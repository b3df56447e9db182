"""A host pinned to the example's DeepGEMM, and dgpin run in it."""

import hashlib
import io
import os
import shutil
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dgpin import process
from dgpin.cli import app
from tests.example import Example


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    err: str
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A host of the test's own, the repositories that it may be moved in, and the command line."""

    example: Example
    host: Path

    def dgpin(self, *words: str) -> Said:
        """Run dgpin on the host."""
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            code = app.main([words[0], "--host", str(self.host), *words[1:]])
        return Said(code, err.getvalue(), out.getvalue())

    def git(self, *words: str) -> str:
        """Run git in the host."""
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        return process.run(["git", "-C", self.host, *who, *words]).text

    def repository(self, name: str) -> Path:
        """Return a copy of upstream's repository to add to; its submodules are in reach."""
        target = self.example.directory / name / "DeepGEMM.git"
        shutil.copytree(self.example.url.removeprefix("file://") + ".git", target)
        return target

    def configure(self, old: str = "", new: str = "") -> None:
        """Write and commit the preset as `dgpin.toml`, with one text in it replaced."""
        assert self.dgpin("init")[0] == 0
        self.edit("dgpin.toml", old, new)
        self.git("add", "dgpin.toml")
        self.git("commit", "-q", "-m", "Configure dgpin")

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that stands in a file of the host."""
        text = (self.host / path).read_text()
        assert old in text
        (self.host / path).write_text(text.replace(old, new, 1))

    def refuses(self, code: int, *said: str, words: tuple[str, ...]) -> str:
        """Bump, and return the message of the refusal, after which nothing may have changed."""
        before = state(self.host)
        answer = self.dgpin("bump", *words)
        assert code == answer[0], answer
        for text in said:
            assert text in answer[1]
        assert before == state(self.host)
        return answer[1]


def state(root: Path) -> dict[str, tuple[int, str]]:
    """Return mode and contents of everything below a directory, git's own files included."""
    return {
        path.relative_to(root).as_posix(): (path.lstat().st_mode, _contents(path))
        for path in sorted(root.rglob("*"))
    }


def _contents(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return "" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()


def git(repository: Path, *words: str, stdin: str | None = None) -> str:
    """Run git in a bare repository, with an author and a date that are always the same."""
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_AUTHOR_DATE": "1767225600 +0000"}
    who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
    data = None if stdin is None else stdin.encode()
    argv = ["git", "--git-dir", str(repository), *words]
    return process.run(argv, env={**os.environ, **who}, stdin=data).check().text.strip()


def changed(repository: Path, branch: str, files: Mapping[str, str], *, to: str) -> str:
    """Commit changed files on top of a branch, as a new branch, and return the commit."""
    git(repository, "read-tree", branch)
    for path, text in files.items():
        blob = git(repository, "hash-object", "-w", "--stdin", stdin=text)
        git(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    tree = git(repository, "write-tree")
    commit = git(repository, "commit-tree", tree, "-p", branch, "-m", f"Begin {to}")
    git(repository, "update-ref", f"refs/heads/{to}", commit)
    return commit
