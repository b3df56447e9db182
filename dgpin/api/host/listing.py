"""The host's Python files: which there are, and which mention the API."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.api.uses import Skipped
from dgpin.pin import worktree

WORD = b"deep_gemm"
LARGEST = 8 << 20  # bytes; generated tables are longer, host code is not
# No part of the library imports it by its whole name when it is loaded.
_IMPORTS = re.compile(rb"^[ \t]*(?:import|from)[ \t]+deep_gemm\b", re.MULTILINE)
_SPECIAL = "it is not a regular file"
_SKIPPED = frozenset(
    {".git", ".hg", ".deps", ".venv", "venv", ".tox", "node_modules", "__pycache__", "build"}
    | {"dist", "site-packages"}
)
# Directories under which a host keeps a copy of the library.
VENDORS = frozenset({"third_party", "thirdparty", "3rdparty", "_vendor", "vendor", "vendored"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The host's Python files, with `/`, sorted; those of a vendored copy are not the host's."""

    root: Path
    paths: tuple[str, ...]


def listing(root: Path) -> Listing:
    """Return git's list of the tracked and the new files, or walk where there is no git."""
    inside = any((folder / ".git").exists() for folder in (root, *root.parents))
    found = _git_files(root) if inside else None
    paths = list(_walk(root)) if found is None else found
    kept = {home: _is_library(root, home) for home in set(filter(None, map(_home, paths)))}
    return Listing(
        root=root, paths=tuple(sorted(p for p in paths if not kept.get(_home(p), False)))
    )


def _git_files(root: Path) -> list[str] | None:
    argv: list[str | Path] = [
        "git",
        "-C",
        root,
        "ls-files",
        "-z",
        "-c",
        "-o",
        "--exclude-standard",
        "--",
        "*.py",
    ]
    done = process.run(argv, env=worktree.environment())
    if done.returncode != 0:
        return None
    return list({os.fsdecode(name) for name in done.stdout.split(b"\0") if name})


def _walk(root: Path) -> Iterator[str]:
    top = os.fspath(root)
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        # 5000 Path objects would take longer than the walk.
        prefix = "" if folder == top else f"{folder[len(top) :].strip('/')}/"
        yield from (prefix + name for name in names if name.endswith(".py"))


def _home(path: str) -> str:
    """Return the directory in which a file may belong to a copy of the library, or ""."""
    if "deep_gemm/" not in path:
        return ""
    parts = path.split("/")[:-1]
    for index, name in enumerate(parts):
        if name == "deep_gemm" and (not index or parts[index - 1] in VENDORS):
            return "/".join(parts[: index + 1])
    return ""


def _is_library(root: Path, home: str) -> bool:
    """Whether a directory is a copy of the library, and not the host's wrapper around it."""
    initial = read(root, f"{home}/__init__.py")
    return not (isinstance(initial, bytes) and _IMPORTS.search(initial))


def read(root: Path, path: str) -> bytes | Skipped | None:
    """Return a file's bytes; None for a link, whose target is listed itself or is not the host's.

    A file that cannot be read, or is too large to be written by hand, is a Skipped.
    """
    whole = f"{root}/{path}"  # 5000 Path objects would take longer than the reading
    try:
        # By the system's calls: a file object takes twice as long to make. What is no regular
        # file any more is neither followed nor waited for.
        file = os.open(whole, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return _unopened(whole, path, error)
    try:
        return _content(file, path)
    except OSError as error:
        return _unread(path, error)
    finally:
        os.close(file)


def _unopened(whole: str, path: str, error: OSError) -> Skipped | None:
    """Return why a file could not be opened; None for a link that leads somewhere."""
    try:
        mode = os.lstat(whole).st_mode
        if stat.S_ISLNK(mode):
            os.stat(whole)  # noqa: PTH116 - a link in a circle is worth a line
            return None
    except FileNotFoundError:
        return Skipped(path=path, reason="it is listed and is not there", is_there=False)
    except OSError as further:
        return _unread(path, further)
    return _unread(path, error) if stat.S_ISREG(mode) else Skipped(path=path, reason=_SPECIAL)


def _unread(path: str, error: OSError) -> Skipped:
    return Skipped(path=path, reason=error.strerror or type(error).__name__)


def _content(file: int, path: str) -> bytes | Skipped:
    facts = os.fstat(file)
    if not stat.S_ISREG(facts.st_mode):
        return Skipped(path=path, reason=_SPECIAL)
    if facts.st_size > LARGEST:
        return Skipped(path=path, reason=f"it is larger than {LARGEST >> 20} MiB")
    whole = os.read(file, facts.st_size + 1)
    if len(whole) == facts.st_size:  # one byte more was asked for: that is its end
        return whole
    while more := os.read(file, facts.st_size + 1):
        whole += more
    return whole
