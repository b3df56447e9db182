"""Sites: where a host states the facts of its pin, read through the entries of a Config."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import NamedTuple

from dgpin.config import Config, Entry
from dgpin.errors import UsageError
from dgpin.pin import template
from dgpin.pin.template import Hole, Match
from dgpin.verdict import Place

# A host file's bytes, or None when there is no such file.
Read = Callable[[str], bytes | None]

_COMMENT = re.compile(r"(?:^|\s)#|^[^\S\n]*//", re.MULTILINE)
_DIGITS = re.compile(r"[0-9a-f]{7,}")
_MOSTLY = 0.6  # the share of an entry's text that its closest line must hold
_LONGEST = 1_000  # characters of a line or a text of which so much is compared
_OURS = re.compile(r"^<{7} (.*)$", re.MULTILINE)
_THEIRS = re.compile(r"^>{7} (.*)$", re.MULTILINE)


class Problem(str, Enum):
    """Why an entry could not be read."""

    NO_FILE = "the file is not there"
    MISSING = "its text is not in the file"
    TWICE = "its text is there more than once"


class Site(NamedTuple):
    """One value that a host states, and where."""

    entry: Entry
    hole: Hole
    line: int

    @property
    def place(self) -> Place:
        """Return the site's file and line."""
        return Place(self.entry.path, self.line)


class Found(NamedTuple):
    """An entry and where it matches; none and no problem means an optional one is absent."""

    entry: Entry
    matches: tuple[Match, ...] = ()
    sites: tuple[Site, ...] = ()
    problem: Problem | None = None
    places: tuple[Place, ...] = ()  # where an entry matches that should match once


class Reading(NamedTuple):
    """All sites of a host, read once."""

    config: Config
    texts: Mapping[str, str]
    raw: Mapping[str, bytes]
    found: tuple[Found, ...]

    @property
    def problems(self) -> tuple[Found, ...]:
        """Return the entries of [sites] that are missing or ambiguous."""
        return tuple(found for found in self.found if found.problem and not found.entry.watch)

    def is_as_read(self, read: Read) -> bool:
        """Return whether every file still holds the bytes that were read."""
        paths = dict.fromkeys(found.entry.path for found in self.found)
        return all(read(path) == self.raw.get(path) for path in paths)

    def near(self, found: Found) -> tuple[Place, ...]:
        """Return where a problem is: its matches, or the line that comes closest to its text."""
        text = self.texts.get(found.entry.path)
        if found.places or text is None:
            return found.places
        return _closest(found.entry, text)

    def resembling(self, entry: Entry, item: str, *, but: frozenset[int]) -> tuple[Place, ...]:
        """Return the line in an entry's list that comes closest to stating an item.

        `but` are lines that state other items rightly.
        """
        text = self.texts[entry.path]
        wanted = template.stating(entry.text, item)
        return _best(entry.path, text, [wanted], _lines(entry, text) - but, measure=_ratio)

    def sites(self, *facts: str, watch: bool | None = None) -> tuple[Site, ...]:
        """Return the sites of these facts (all without any), in the configuration's order."""
        return tuple(
            site
            for found in self.found
            if watch is None or found.entry.watch == watch
            for site in found.sites
            if not facts or site.hole.fact in facts
        )


class SiteError(UsageError):
    """A site is missing, or stands there more than once."""

    hint = "`dgpin check` shows every site; `dgpin init` writes the entries down for editing."

    def __init__(self, reading: Reading, found: Found) -> None:
        super().__init__(describe(reading, found))


def describe(reading: Reading, found: Found) -> str:
    """Return one sentence on an entry that cannot be read: where, which, what."""
    places = reading.near(found)
    where = ", ".join(str(place) for place in places[:4]) or found.entry.path
    near = " (closest line)" if found.problem is Problem.MISSING and places else ""
    what = found.problem.value if found.problem else "is there"
    return f"{where}{near}: `{found.entry}`: {what}"


class ConflictError(UsageError):
    """A site file holds the markers of an unfinished merge."""

    def __init__(self, place: Place, *, ours: str, theirs: str) -> None:
        import shlex  # noqa: PLC0415 - start-up: only this message quotes

        super().__init__(
            f"{place}: unfinished merge between `{ours}` and `{theirs}`; both sides move the pin",
            hint=f"Take either side whole (git checkout --ours {shlex.quote(place.path)}), "
            "then run `dgpin bump REF` for the commit that you want.",
        )


def decode(data: bytes) -> str:
    """Return a file's text; bytes that are not UTF-8 survive the way back through `encode`."""
    return data.decode("utf-8", errors="surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes of a text that `decode` made."""
    return text.encode("utf-8", errors="surrogateescape")


def read_sites(config: Config, read: Read, *, whole: bool = True) -> Reading:
    """Read every file that the entries name, once, and find the sites.

    Not `whole`, the first entry of [sites] that is not there is the last one that is looked for.

    Raises:
        ConflictError: a site file holds conflict markers.
    """
    raw: dict[str, bytes | None] = {}
    texts: dict[str, str] = {}
    found: list[Found] = []
    for entry in config.entries:
        if entry.path not in raw:
            data = raw[entry.path] = read(entry.path)
            if data is not None:
                texts[entry.path] = decode(data)
        text = texts.get(entry.path)
        if text is not None and not entry.watch:
            _refuse_conflict(entry.path, text)
        found.append(_found(entry, text))
        if found[-1].problem and not (whole or entry.watch):
            break
    there = {path: data for path, data in raw.items() if data is not None}
    return Reading(config=config, texts=texts, raw=there, found=tuple(found))


def _found(entry: Entry, text: str | None) -> Found:
    if text is not None:
        return find(entry, text)
    return Found(entry=entry, problem=None if entry.file_optional else Problem.NO_FILE)


def _refuse_conflict(path: str, text: str) -> None:
    ours = _OURS.search(text) if "<<<<<<< " in text else None
    theirs = _THEIRS.search(text, ours.end()) if ours is not None else None
    if ours is not None and theirs is not None:
        place = Place(path, template.line_of(text, ours.start()))
        raise ConflictError(place, ours=ours[1].strip(), theirs=theirs[1].strip())


def find(entry: Entry, text: str) -> Found:
    """Find one entry in its file's text."""
    compiled = template.compile_template(entry.text)
    regions = template.regions(text, entry.scope)
    lines = template.Lines(text)
    if entry.each:
        comments = _Comments(text)
        groups = [
            tuple(m for m in compiled.find(text, (region,)) if not comments.hold(m.start))
            for region in regions
        ]
        groups = [group for group in groups if group]
        matches = tuple(match for group in groups for match in group)
        ambiguous = len(groups) > 1 and not entry.many
    else:
        matches = tuple(compiled.find(text, regions))
        ambiguous = len(matches) > 1 and not entry.many
    if ambiguous:
        places = tuple(Place(entry.path, lines.at(m.start)) for m in matches)
        return Found(entry=entry, problem=Problem.TWICE, places=places)
    if not matches and not entry.optional:
        return Found(entry=entry, problem=Problem.MISSING)
    sites = tuple(
        Site(entry=entry, hole=hole, line=lines.at(hole.start))
        for match in matches
        for hole in match.holes
    )
    return Found(entry=entry, matches=matches, sites=sites)


def is_remark(text: str, offset: int) -> bool:
    """Tell whether an offset stands in a comment of its line (`#`, `//`)."""
    return _Comments(text).hold(offset)


class _Comments:
    """Where the comments of a text begin, each line looked at once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = template.Lines(text)
        self._begin: dict[int, int] = {}  # by the line's own begin

    def hold(self, offset: int) -> bool:
        """Tell whether a `#` or `//` stands before an offset on its line: no items follow it."""
        start = self._lines.start(offset)
        if start not in self._begin:
            end = self._text.find("\n", start)
            found = _COMMENT.search(self._text, start, end if end >= 0 else len(self._text))
            self._begin[start] = found.end() if found is not None else len(self._text) + 1
        return self._begin[start] <= offset


def _closest(entry: Entry, text: str) -> tuple[Place, ...]:
    """Return the line that holds the most of an entry's literal text, if it holds most of it."""
    lines, wanted = _lines(entry, text), [entry.text]
    if entry.scope is not None and not lines:
        lines = _lines(None, text)
        wanted = template.lost(text, entry.scope) or entry.scope.split(template.ELLIPSIS)
    return _best(entry.path, text, map(template.shape, wanted), lines, measure=_share)


def _lines(entry: Entry | None, text: str) -> frozenset[int]:
    """Return the numbers of the lines that an entry's scope admits; of all without an entry."""
    lines = template.Lines(text)
    return frozenset(
        number
        for start, end in template.regions(text, entry.scope if entry is not None else None)
        for number in range(lines.at(start), lines.at(end) + 1)
    )


def _best(
    path: str,
    text: str,
    parts: Iterable[str],
    lines: Collection[int],
    *,
    measure: Callable[[str, str], float],
) -> tuple[Place, ...]:
    scored = [
        (measure(part[:_LONGEST], _shape(line)), -len(line), -number)
        for part in parts
        for number, line in enumerate(text.split("\n"), start=1)
        if part and number in lines
    ]
    alike, _, number = max(scored, default=(0.0, 0, 0))
    return (Place(path, -number),) if alike >= _MOSTLY else ()


def _shape(line: str) -> str:
    return _DIGITS.sub(_zeros, line.strip()[:_LONGEST])


def _zeros(digits: "re.Match[str]") -> str:
    return "0" * len(digits[0])


def _share(part: str, line: str) -> float:
    """Return how much of a text a line holds, whatever else it holds."""
    return _common(part, line) / len(part)


def _ratio(part: str, line: str) -> float:
    """Return how much a text and a whole line have in common."""
    return 2 * _common(part, line) / (len(part) + len(line))


def _common(part: str, line: str) -> int:
    import difflib  # noqa: PLC0415 - only to explain what is missing

    blocks = difflib.SequenceMatcher(None, part, line, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size > 1)
