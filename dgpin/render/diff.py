"""Unified diffs that `git apply` takes."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from dgpin.files import Edit
from dgpin.pin.sites import decode
from dgpin.render.terminal import Line

_NO_NEWLINE = "\\ No newline at end of file\n"
_STYLES = {"+++": "bold", "---": "bold", "@@": "cyan", "+": "green", "-": "red"}


def unified(edits: Iterable[Edit], *, behind: Mapping[str, str] | None = None) -> str:
    """Return the diff of whole files; bytes that are not UTF-8 are kept as surrogates.

    `behind` names the files behind links, by the edits' paths: `git apply` writes through no
    link. A file with two names is shown once.
    """
    real: dict[str, Edit] = {}
    for edit in edits:
        path = (behind or {}).get(edit.path, edit.path)
        real.setdefault(path, replace(edit, path=path))
    return "".join(line for edit in real.values() for line in _file(edit))


def _file(edit: Edit) -> Iterator[str]:
    old = "/dev/null" if edit.old is None else f"a/{edit.path}"
    lines = difflib.unified_diff(
        _lines(edit.old or b""), _lines(edit.new), fromfile=old, tofile=f"b/{edit.path}"
    )
    for line in lines:
        yield line
        if not line.endswith("\n"):
            yield "\n" + _NO_NEWLINE


def _lines(data: bytes) -> list[str]:
    # str.splitlines would also break at form feeds and the like, which git does not.
    lines = decode(data).split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def painted(diff: str) -> tuple[Line, ...]:
    """Return a diff as lines with the styles that every diff has."""
    return tuple(((line, _style(line)),) for line in diff.split("\n")[:-1])


def _style(line: str) -> str:
    return next((style for start, style in _STYLES.items() if line.startswith(start)), "")
