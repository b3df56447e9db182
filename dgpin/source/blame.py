"""Which commit last wrote each line, and what a commit took away."""

import os
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.source import align, invocation

WORKERS = 4  # gits at once; each reads the same packs, so more of them wait for the disk


@dataclass(frozen=True, slots=True)
class History:
    """A mirror, with others that lend it their objects.

    `deadline` is the time (of `time.monotonic`) at which git is stopped.
    """

    mirror: Path
    others: tuple[Path, ...] = ()
    deadline: float | None = None

    def git(self, words: Sequence[str], *, stdin: bytes | None = None) -> str:
        """Return what git prints.

        Raises:
            CommandError: git failed, or was stopped.
        """
        limit = invocation.READ_LIMIT
        if self.deadline is not None:
            limit = max(0.0, min(limit, self.deadline - time.monotonic()))
        lent = os.pathsep.join(str(other / "objects") for other in self.others)
        done = process.run(
            ["git", "--git-dir", self.mirror, *words],
            env={**invocation.environment(), "GIT_ALTERNATE_OBJECT_DIRECTORIES": lent},
            stdin=stdin,
            timeout=limit,
        )
        return done.check().text


def authors(
    history: History, commit: str, paths: Collection[str], *, beyond: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return for each path the commit of every line; "" for lines that `beyond` has already.

    White space is left aside, renames are followed.

    Raises:
        CommandError: git could not read the history, for example because contents are missing.
    """

    def one(path: str) -> tuple[str, ...]:
        limits = [f"^{sha}" for sha in beyond]
        words = ["blame", "-w", "--porcelain", commit, *limits, "--", path]
        return parse(history.git(words), keep_boundary=not beyond)

    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip(paths, pool.map(one, paths), strict=True))


def parse(porcelain: str, *, keep_boundary: bool = False) -> tuple[str, ...]:
    """Return the commit of each line of `git blame --porcelain`.

    A boundary is a commit that the range leaves out; without a range it is the history's root.
    """
    lines: list[str] = []
    outside: set[str] = set()
    current = ""
    for line in porcelain.split("\n"):
        if line.startswith("\t"):
            lines.append(current)
        elif line == "boundary" and not keep_boundary:
            outside.add(current)
        elif len(word := line.split(" ", 1)[0]) == 40 and _is_hex(word):  # noqa: PLR2004 - a SHA
            current = word
    return tuple("" if sha in outside else sha for sha in lines)


def taken_away(history: History, commits: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the lines, without white space, that each commit removed; none for merges."""
    shas = "".join(f"{sha}\n" for sha in commits)
    words = ["diff-tree", "--stdin", "-p", "-U0", "-r", "-w", "--root", "--no-ext-diff"]
    removed: dict[str, set[str]] = {}
    current: set[str] = set()
    for line in history.git([*words, "--no-textconv"], stdin=shas.encode()).split("\n"):
        if len(line) == 40 and _is_hex(line):  # noqa: PLR2004 - a SHA
            current = removed.setdefault(line, set())
        elif line.startswith("-") and not line.startswith("---"):
            current.add(align.normal(line[1:]))
    return {sha: frozenset(lines) for sha, lines in removed.items()}


def equivalents(history: History, old: str, *, of: str) -> frozenset[str]:
    """Return the commits of `old` whose patch `of` has under another id (`git cherry`)."""
    listed = history.git(["cherry", of, old]).splitlines()
    return frozenset(line[2:] for line in listed if line.startswith("- "))


def _is_hex(word: str) -> bool:
    return all(letter in "0123456789abcdef" for letter in word)
