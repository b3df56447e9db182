"""Variables that a host's build exports for DeepGEMM, and that no file of the host reads.

Only what is exported in a shell is looked at: a reader of it is a program that the same shell
starts. What an image sets with ENV may be for whoever uses the image.
"""

import re
from collections.abc import Iterator

from dgpin import lines
from dgpin.pin.sites import Reading
from dgpin.pin.stray import Search
from dgpin.verdict import Place, Row, Verdict

_PREFIX = "DEEPGEMM_"  # the host's own; DeepGEMM's are called DG_
_EXPORT = re.compile(rf"\bexport\s+({_PREFIX}[A-Z0-9_]{{0,60}}[A-Z0-9])=")
_SETTING = re.compile(rf"\b(?:export|ENV|ARG)\s+{_PREFIX}[A-Z0-9_]{{1,61}}=")
_NAME = re.compile(rf"(?<![A-Za-z0-9_]){_PREFIX}[A-Z0-9_]{{0,61}}")


def unread(reading: Reading, search: Search) -> Iterator[Row]:
    """Yield a row for each such variable; `search` is asked only where no site's file reads it."""
    exported: dict[str, list[Place]] = {}
    read: set[str] = set()
    for path, text in reading.texts.items():
        if _PREFIX in text:
            for number, line in enumerate(lines.split(text), 1):
                read |= _read_on(line)
                if not _is_comment(line):
                    for name in _EXPORT.findall(line):
                        exported.setdefault(name, []).append(Place(path, number))
    if not exported or all(_is_read(name, read) for name in exported):
        return
    for _, _, line in search([_PREFIX]):
        read |= _read_on(line)
    for name, places in exported.items():
        if not _is_read(name, read):
            yield Row(
                rule="unread-variable",
                verdict=Verdict.PASS,
                message=f"{name} is exported, and no file of the host reads it",
                places=tuple(places),
                hint="Take it out, unless the build of the pinned source reads it.",
            )


def _read_on(line: str) -> set[str]:
    """Return the names on a line that are not set there."""
    if _PREFIX not in line or _is_comment(line):
        return set()
    return set(_NAME.findall(_SETTING.sub("", line)))


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//"))


def _is_read(name: str, read: set[str]) -> bool:
    """Whether a name is read, or every name that begins as it does."""
    starts = (name[: found.end()] for found in re.finditer("_", name))
    return name in read or not read.isdisjoint(starts)
