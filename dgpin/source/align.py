"""Which lines of one text stand in another, white space aside."""

import bisect
import difflib
import itertools
import re
from collections.abc import Sequence
from functools import lru_cache

# Between unique lines that both texts share, gaps are short; a longer one was rewritten, and a
# quadratic search through it would find chance matches only.
MAX_GAP = 1_500


def normal(line: str) -> str:
    """Return a line without white space, as `git diff -w` compares it."""
    return "".join(line.split())


@lru_cache(maxsize=65_536)
def is_trivial(line: str) -> bool:
    """Tell whether a normalised line says too little to be missed: a brace, `else`, `return;`."""
    return len(re.sub(r"\W", "", line)) <= 3 or line in _TRIVIAL  # noqa: PLR2004 - `end`, `do`


_TRIVIAL = frozenset(
    {"else{", "}else{", "else:", "break;", "continue;", "return;", "pass", "public:"}
)


def matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of indices of normalised lines that stand in both texts in one order.

    Patience: lines that are unique on both sides are matched first, then what lies between.
    """
    found: list[tuple[int, int]] = []
    todo = [(0, len(old), 0, len(new))]
    while todo:
        a, b, c, d = todo.pop()
        while a < b and c < d and old[a] == new[c]:
            found.append((a, c))
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
            found.append((b, d))
        if a == b or c == d:
            continue
        anchors = _anchors(old, new, (a, b, c, d))
        if anchors:
            edges = [(a - 1, c - 1), *anchors, (b, d)]
            found += anchors
            todo += [
                (one[0] + 1, other[0], one[1] + 1, other[1])
                for one, other in itertools.pairwise(edges)
            ]
        elif b - a <= MAX_GAP and d - c <= MAX_GAP:
            matcher = difflib.SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
            for block in matcher.get_matching_blocks():
                found += [(a + block.a + i, c + block.b + i) for i in range(block.size)]
    return sorted(found)


def _anchors(
    old: Sequence[str], new: Sequence[str], area: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    a, b, c, d = area
    left = _unique(old, a, b)
    right = _unique(new, c, d)
    pairs = sorted((left[line], right[line]) for line in left.keys() & right.keys())
    return _longest_rise(pairs)


def _unique(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    seen: dict[str, int] = {}
    for index in range(start, end):
        line = lines[index]
        seen[line] = -1 if line in seen else index
    return {line: index for line, index in seen.items() if index >= 0 and not is_trivial(line)}


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence in which the second members rise (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []  # index into pairs of each pile's top
    before: list[int] = []
    for index, (_, right) in enumerate(pairs):
        pile = bisect.bisect_left(tops, right)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(right)
            piles.append(index)
        else:
            tops[pile], piles[pile] = right, index
    rise: list[tuple[int, int]] = []
    index = piles[-1] if piles else -1
    while index >= 0:
        rise.append(pairs[index])
        index = before[index]
    return rise[::-1]
