"""What became of each line of an old tree in a new one: kept, moved, changed, or gone."""

import bisect
import difflib
import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache

from dgpin.source import align
from dgpin.source.families import architecture_of

SAME_FILE = 0.5  # of a file's telling lines, as git's -M50% for a rename
SOME_FILE = 0.2  # of its lines, to look for a lost file's lines in another
SAME_LINE = 0.6  # of a line's words and signs (difflib's ratio), to call it the same line changed
SAME_LINE_AROUND = 0.7  # the same for a line that was changed and moved a little
AROUND = 60  # lines: how far that may be
MOVED_RUN = 3  # telling lines in a row that make a move to another file; one suffices inside one
COMMON = 20  # places of one line in a file, beyond which it tells nothing about a move
NEAR = 3  # lines that may have come between two lines that moved together
MOST = 200  # new lines in one gap: what was rewritten has no changed lines


class Fate(str, Enum):
    """What became of a line that is gone."""

    CHANGED = "changed"  # another line stands in its place and resembles it
    LOST = "lost"


@dataclass(frozen=True)
class Text:
    """A file's lines; `normals` are without white space, as lines are compared."""

    path: str
    lines: tuple[str, ...]

    @cached_property
    def normals(self) -> tuple[str, ...]:
        """Return the lines without white space."""
        return tuple(align.normal(line) for line in self.lines)

    @cached_property
    def says(self) -> tuple[bool, ...]:
        """Tell of each line whether it says something."""
        return tuple(not align.is_trivial(line) for line in self.normals)

    @cached_property
    def telling(self) -> frozenset[str]:
        """Return the distinct lines that say something."""
        return frozenset(itertools.compress(self.normals, self.says))

    def numbers(self, *, without: Collection[int] = ()) -> set[int]:
        """Return the numbers (from 0) of the lines that say something."""
        return set(itertools.compress(range(len(self.lines)), self.says)).difference(without)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A line that the new tree does not have; lines count from 0.

    `now` is the line that took its place, `new_line` of `new_path`; it is empty for a line that
    simply left, and then `new_line` is where it would stand. `new_path` is empty when the whole
    file is gone.
    """

    path: str
    line: int
    fate: Fate
    new_path: str = ""
    new_line: int = 0
    now: str = ""


class Comparison:
    """An old tree held against a new one; white space, moves and renames do not count.

    `partners` has the new path of each old file that is still there under some name. A file that
    is not, for example because it was merged into another, is held against the new file that
    shares most with it.
    """

    def __init__(self, old: Mapping[str, Text], new: Mapping[str, Text]) -> None:
        self.old = old
        self.new = new
        self.partners = pair_files(old, new)
        self._there = {**_heirs(old, new, self.partners), **self.partners}
        self._matched: dict[str, dict[int, int]] = {}
        taken: dict[str, set[int]] = defaultdict(set)
        for path, there in self._there.items():
            self._matched[path] = _match(old[path], new[there])
            taken[there].update(self._matched[path].values())
        # A file that did not change has nothing new, and nothing moved into it.
        self._added = {
            path: set() if _is_same(old.get(path), text) else text.numbers(without=taken[path])
            for path, text in new.items()
        }
        self._homes: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for path, numbers in self._added.items():
            for number in sorted(numbers):
                self._homes[new[path].normals[number]].setdefault(path, []).append(number)
        self.gone = {path: numbers for path in old if (numbers := self._find_gone(path))}

    def _find_gone(self, path: str) -> set[int]:
        if _is_same(self.old[path], self.new.get(path)):
            return set()
        left = self.old[path].numbers(without=self._matched.get(path, {}))
        return left - self._moved(path, sorted(left))

    def _moved(self, path: str, left: Sequence[int]) -> set[int]:
        """Return the lines that stand elsewhere in the new tree."""
        normals = self.old[path].normals
        moved: set[int] = set()
        position = 0
        while position < len(left):
            best = 0
            for home, places in self._homes.get(normals[left[position]], {}).items():
                # A line that stands everywhere, such as a comment's rule, begins no move.
                starts = places if len(places) <= COMMON else ()
                length = max(
                    (self._run(normals, left[position:], home, n) for n in starts), default=0
                )
                if length >= (1 if home == self._there.get(path) else MOVED_RUN):
                    best = max(best, length)
            moved.update(left[position : position + best])
            position += max(best, 1)
        return moved

    def _run(self, normals: Sequence[str], left: Sequence[int], home: str, start: int) -> int:
        at = start
        for length, number in enumerate(left):
            places = self._homes.get(normals[number], {}).get(home, ())
            following = bisect.bisect_left(places, at)
            if following == len(places) or places[following] > at + NEAR:
                return length
            at = places[following] + 1
        return len(left)

    def fates(self, path: str, numbers: Collection[int]) -> Iterator[Gone]:
        """Yield what became of those lines of a file, which are gone."""
        home = self._there.get(path)
        if home is None:
            for number in sorted(numbers):
                yield Gone(path=path, line=number, fate=Fate.LOST)
            return
        matched, there = self._matched[path], self.new[home]
        anchors = sorted(matched)
        ends = [*(matched[anchor] for anchor in anchors), len(there.lines)]
        edges = [-1, *anchors, len(self.old[path].lines)]
        # An heir was there before, so what it has for the line need not be new.
        free = set(self._added[home] if path in self.partners else there.numbers())
        for index, end in enumerate(ends):
            gap = [n for n in range(edges[index] + 1, edges[index + 1]) if n in numbers]
            if gap:
                start = ends[index - 1] + 1 if index else 0
                yield from self._in_gap(path, gap, there, range(start, end), free)

    def _in_gap(
        self, path: str, gap: Sequence[int], there: Text, place: range, free: set[int]
    ) -> Iterator[Gone]:
        """Yield what became of lines between two that are kept; a line changes into one line.

        What resembles a line in its own place is found first, and then a little way off.
        """
        stand = min(place.start, len(there.lines) - 1)
        for number in gap:
            line = self.old[path].lines[number]
            inside = [n for n in place if n in free]
            if len(inside) > MOST:
                inside = []
            near = range(place.start - AROUND, place.stop + AROUND)
            around = [n for n in near if n in free and n not in place]
            found = _most_alike(line, there, inside, SAME_LINE)
            if found is None:
                found = _most_alike(line, there, around, SAME_LINE_AROUND)
            if found is None:
                yield Gone(
                    path=path, line=number, fate=Fate.LOST, new_path=there.path, new_line=stand
                )
                continue
            free.discard(found)
            stand = found if found in place else stand
            yield Gone(
                path=path,
                line=number,
                fate=Fate.CHANGED,
                new_path=there.path,
                new_line=found,
                now=there.lines[found].strip(),
            )


def _most_alike(line: str, there: Text, numbers: Iterable[int], least: float) -> int | None:
    """Return the number of the line that is most like another, the first of equals."""
    best, most = None, 0.0
    for number in numbers:
        alike = likeness(line, there.lines[number], least=least)
        if alike >= least and alike > most:
            best, most = number, alike
    return best


def _is_same(one: Text | None, other: Text | None) -> bool:
    return one is not None and other is not None and one.lines == other.lines


def _match(old: Text, new: Text) -> dict[int, int]:
    if _is_same(old, new):
        return {number: number for number in range(len(old.lines))}
    return dict(align.matches(old.normals, new.normals))


def pair_files(old: Mapping[str, Text], new: Mapping[str, Text]) -> dict[str, str]:
    """Return the new path of each old file: the same one, else that of most of its lines."""
    partners = {path: path for path in old if path in new}
    fresh = [text for path, text in new.items() if path not in old]
    for path, text in old.items():
        if path not in partners and (home := _most_shared(text, fresh, least=SAME_FILE)):
            partners[path] = home.path
    return partners


def _heirs(
    old: Mapping[str, Text], new: Mapping[str, Text], partners: Mapping[str, str]
) -> dict[str, str]:
    """Return, for the files that are gone, the new file that shares most with each."""
    found = {}
    changed = [text for path, text in new.items() if not _is_same(old.get(path), text)]
    for path, text in old.items():
        if path in partners:
            continue
        # Kernels of two architectures resemble each other, but none inherits the other's fixes.
        kin = [other for other in changed if _may_inherit(other.path, path)]
        if heir := _most_shared(text, kin, least=SOME_FILE):
            found[path] = heir.path
    return found


def _may_inherit(heir: str, path: str) -> bool:
    return architecture_of(path) in {architecture_of(heir), ""}


def _most_shared(text: Text, others: Iterable[Text], *, least: float) -> Text | None:
    """Return the file that shares most telling lines, if it shares that part of them."""
    best, most = None, 0
    for other in others:
        shared = len(text.telling & other.telling)
        if shared > most:
            best, most = other, shared
    return best if most >= max(1, least * len(text.telling)) else None


def likeness(one: str, other: str, *, least: float = SAME_LINE) -> float:
    """Return how alike two lines are, from 0 to 1, by their words and signs; 0 for under `least`.

    It is the ratio of Ratcliff and Obershelp, which difflib computes. Two short calls share most
    of their brackets, so most of the words must be shared as well.
    """
    words = _words(one)
    if 2 * len(words & _words(other)) <= len(words):
        return 0.0
    left, right = _tokens(one), _tokens(other)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    if matcher.quick_ratio() < least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= least else 0.0


@lru_cache(maxsize=16_384)
def _words(line: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", line))


@lru_cache(maxsize=16_384)
def _tokens(line: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+|[^\w\s]", line))
