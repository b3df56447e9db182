"""Stray occurrences: the old pin in places that no site covers."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from dgpin.pin.worktree import environment, is_git
from dgpin.verdict import Place

_LARGEST = 4 << 20  # bytes of a file that is still searched outside git
_SKIPPED = {".git", ".hg", ".deps", ".venv", "venv", "node_modules", "__pycache__", "build", "dist"}
SHORTEST = 7  # digits of a commit that still name it

# Yields path, line number (from 1) and the line of every line that holds one of the texts.
Search = Callable[[Iterable[str]], Iterator[tuple[str, int, str]]]


class Kind(str, Enum):
    """What a stray holds."""

    COMMIT = "commit"
    REPOSITORY = "repository"


class Stray(NamedTuple):
    """A line outside the sites that names the old pin."""

    kind: Kind
    place: Place
    text: str


def find_strays(
    search: Search, *, commit: str, slug: str | None, covered: frozenset[Place]
) -> tuple[Stray, ...]:
    """Return the lines that hold a prefix (7 digits or more) of a commit, or point at a repository.

    `covered` are the lines of the sites. A permalink to another commit or tag, an issue or a pull
    request is provenance, and no pin.
    """
    wanted = [commit[:SHORTEST], *([slug] if slug else [])]
    found = []
    for path, number, line in search(wanted):
        place = Place(path, number)
        if place in covered:
            continue
        if _names_commit(line, commit):
            found.append(Stray(kind=Kind.COMMIT, place=place, text=line.strip()))
        elif slug and _points_at(line, slug):
            found.append(Stray(kind=Kind.REPOSITORY, place=place, text=line.strip()))
    return tuple(sorted(found, key=lambda stray: (stray.kind.value, stray.place)))


def _names_commit(line: str, commit: str) -> bool:
    runs = re.findall(rf"(?<![0-9a-f]){commit[:SHORTEST]}[0-9a-f]*", line)
    return any(commit.startswith(run) for run in runs)


def _points_at(line: str, slug: str) -> bool:
    rest = re.findall(rf"{re.escape(slug)}(?:\.git)?(/[a-z]+/|#[0-9]+|@[\w.]+)?", line)
    return any(tail not in _PROVENANCE and not tail.startswith("#") for tail in rest)


_PROVENANCE = {"/blob/", "/tree/", "/commit/", "/pull/", "/issues/", "/releases/", "/compare/"}


def search_in(root: Path) -> Search:
    """Return a search over the host's tracked files, or over all of its text without git."""
    if is_git(root):
        return lambda texts: _git_grep(root, texts)
    return lambda texts: _walk(root, [text.encode() for text in texts])


# A user's own settings would add a column, count from another directory, or enter submodules.
_PLAIN = ("-c", "grep.column=false", "-c", "grep.fullName=false", "-c", "submodule.recurse=false")
# A name may hold an end of line, and a line what `str.splitlines` takes for one.
_RECORD = re.compile(rb"([^\0]+)\0([0-9]+)\0([^\n]*)\n")


def _git_grep(root: Path, texts: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    from dgpin import process  # noqa: PLC0415 - start-up: `check` seldom searches

    patterns = [word for text in texts for word in ("-e", text)]
    argv: list[str | Path] = [
        "git",
        *_PLAIN,
        "-C",
        root,
        "grep",
        "--no-color",
        "-nzIF",
        *patterns,
        "--",
        ".",
    ]
    done = process.run(argv, env=environment())
    if done.returncode not in (0, 1):  # 1: no line holds any of them
        done.check()
    for path, number, line in _RECORD.findall(done.stdout):
        yield os.fsdecode(path), int(number), line.decode(errors="replace")


def _walk(root: Path, texts: list[bytes]) -> Iterator[tuple[str, int, str]]:
    top = os.fspath(root)
    for directory, names, files in os.walk(top):
        names[:] = sorted(set(names) - _SKIPPED)
        for name in sorted(files):
            path = f"{directory}/{name}"  # 7000 Path objects would take longer than the reading
            data = _readable(path)
            if data is None or not any(text in data for text in texts):
                continue
            relative = os.path.relpath(path, top).replace(os.sep, "/")
            for number, line in enumerate(data.splitlines(), start=1):
                if any(text in line for text in texts):
                    yield relative, number, line.decode(errors="replace")


def _readable(path: str) -> bytes | None:
    try:
        facts = os.lstat(path)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
            return None
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
            data = file.read(facts.st_size)
    except OSError:
        return None
    return None if b"\0" in data[:8192] else data
