"""Templates: a host's own line with `<fact>` holes, which reads a site and writes it.

A run of white space matches any white space; everything else is literal; a hole matches what the
grammar of its fact allows. `in` narrows the search to the regions between literals that are joined
by an ellipsis.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from dgpin.errors import UsageError
from dgpin.pin import grammar

_HOLE = re.compile(r"<([A-Za-z_][A-Za-z0-9_-]*(?:\.[a-z]+)?)(?::([0-9]{1,9}))?>")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_SECTION = "["
_PAIR = -1
# Regions may lie in each other, each read by itself; together they hold the text so many times.
_MOST_COVERED = 64
ELLIPSIS = "…"


class TemplateError(UsageError):
    """A template that says nothing, or says it in a way that cannot be read."""

    hint = "docs/reference/dgpin-toml.md shows what a site's text may hold."


class Hole(NamedTuple):
    """One value found in a text: the fact, its text, and where it stands (offsets)."""

    fact: str
    length: int | None
    value: str
    start: int
    end: int


class Match(NamedTuple):
    """One place where a template matches: offsets of the whole, and its holes in order."""

    start: int
    end: int
    holes: tuple[Hole, ...]


class Template(NamedTuple):
    """A compiled template. `facts` are the names and lengths of its holes, in order."""

    text: str
    facts: tuple[tuple[str, int | None], ...]
    pattern: "re.Pattern[str]"

    def find(self, text: str, regions: tuple[tuple[int, int], ...]) -> Iterator[Match]:
        """Yield every match inside the regions, in order."""
        for start, end in regions:
            for found in _search(self.pattern, _head(self.text), text, start, end):
                yield Match(
                    found.start(),
                    found.end(),
                    tuple(
                        Hole(fact, length, found[i + 1], found.start(i + 1), found.end(i + 1))
                        for i, (fact, length) in enumerate(self.facts)
                    ),
                )


def shape(text: str) -> str:
    """Return a template's literal text, to compare lines with; a commit stands there as zeros."""
    return _HOLE.sub(_sample, text).strip()


def stating(text: str, value: str) -> str:
    """Return a template's text with a value in its hole."""
    return _HOLE.sub(lambda hole: value if grammar.knows(hole[1]) else hole[0], text)


def _sample(hole: "re.Match[str]") -> str:
    if hole[1] == "commit":
        return "0" * min(int(hole[2] or grammar.MAX_SHORT), grammar.MAX_SHORT)
    return "" if grammar.knows(hole[1]) else hole[0]


def _head(text: str) -> str:
    """Return the literal text that a template starts with, up to white space or a hole."""
    hole = next((h for h in _HOLE.finditer(text) if grammar.knows(h[1])), None)
    words = (text if hole is None else text[: hole.start()]).split(maxsplit=1)
    return words[0] if words else ""


def _search(
    pattern: "re.Pattern[str]", head: str, text: str, start: int, end: int
) -> "Iterator[re.Match[str]]":
    """Yield what `pattern.finditer` would. str.find skips to each `head`, many times as fast."""
    if not head:
        yield from pattern.finditer(text, start, end)
        return
    position = text.find(head, start, end)
    while position >= 0:
        found = pattern.match(text, position, end)
        if found is not None:
            yield found
        position = text.find(head, max(position + 1, found.end() if found else 0), end)


@lru_cache(maxsize=512)
def compile_template(text: str) -> Template:
    """Return the template of a text.

    Raises:
        TemplateError: it is empty, or a hole asks for a length that is none.
    """
    if not text.strip():
        raise TemplateError("a site's text is empty")
    pieces: list[str] = []
    facts: list[tuple[str, int | None]] = []
    seen: dict[str, int] = {}
    # White space in front is looked back at: a run of it is not tried from each of its places.
    position = len(text) - len(text.lstrip())
    for hole in _HOLE.finditer(text):
        fact, length = hole[1], int(hole[2]) if hole[2] else None
        if not grammar.knows(fact):
            continue  # the host's own angle brackets
        _check_length(text, fact=fact, length=length)
        pieces.append(literal(text[position : hole.start()]))
        if f"{fact}:{length}" in seen:  # a fact named twice must be the same twice
            pieces.append(f"((?:\\{seen[f'{fact}:{length}']}))")
        else:
            seen[f"{fact}:{length}"] = len(facts) + 1
            pieces.append(f"({grammar.value_pattern(fact, length=length)})")
        facts.append((fact, length))
        position = hole.end()
    pieces.append(literal(text[position:]))
    before = _before(text, opens_with_hole=bool(facts) and not pieces[0])
    after = _after(text, last=facts[-1][0] if facts and not pieces[-1] else None)
    return Template(text, tuple(facts), re.compile(before + "".join(pieces) + after))


def _check_length(text: str, *, fact: str, length: int | None) -> None:
    if length is None:
        return
    is_commit = fact == "commit" or fact.endswith(".commit")
    if not is_commit or not grammar.MIN_SHORT <= length <= grammar.MAX_SHORT:
        raise TemplateError(f"`{text}`: only a commit has a short form, of 7 to 40 digits")


def literal(text: str) -> str:
    """Return the pattern of text outside holes: white space matches any white space."""
    return r"\s+".join(re.escape(part) for part in re.split(r"\s+", text))


# A value or word at the template's edge must be whole: `cudart` is not in `cudart_static`.
def _before(text: str, *, opens_with_hole: bool) -> str:
    if text[0].isspace():
        return r"(?<=\s)"
    if opens_with_hole:
        return r"(?<![^\s\"'`([{=,:@])"
    return r"(?<![\w-])" if text[0].isalnum() or text[0] == "_" else ""


def _after(text: str, *, last: str | None) -> str:
    """Return what follows; `last` is the fact of the hole with which the template closes."""
    if last is not None:
        colon = r":(?!\w)" if last == "repo" else ":"  # an address may hold a port or a password
        return rf"(?=[\s\"'`)\]}},;]|{colon}|\.?(?:\s|\Z))"
    return r"(?![\w-])" if text[-1].isalnum() or text[-1] == "_" else ""


def regions(text: str, scope: str | None) -> tuple[tuple[int, int], ...]:
    """Return the parts of a text that a scope admits; the whole text without one.

    `A … B` is what stands between A and the first B after it; `A …` reaches to the end of A's
    line. A closing bracket as the last literal skips the pairs in between. `[` as the last literal
    is the next section of an INI file, or the end of the text.
    """
    if scope is None:
        return ((0, len(text)),)
    literals = [part.strip() for part in scope.split(ELLIPSIS)]
    if len(literals) < 2 or not literals[0]:  # noqa: PLR2004 - an opening and an end
        raise TemplateError(f"`{scope}`: a scope is text, an ellipsis (…), and text or nothing")
    starts = [opening.end() for opening in _find(literals[0], text, 0)]
    for middle in literals[1:-1]:
        ahead = _Ahead(_finder(middle, text))
        starts = [step[1] for start in starts if (step := ahead.of(start)) is not None]
    # "A … C … B": another A before the same C opens the same region.
    starts = list(dict.fromkeys(starts))
    ends = _ends(text, starts, literals[-1])
    if sum(ends[start] - start for start in ends) > _MOST_COVERED * len(text):
        raise TemplateError(f"`{scope}`: it opens {len(ends)} times, each inside another")
    return tuple((start, ends[start]) for start in starts if start in ends)


def lost(text: str, scope: str) -> list[str]:
    """Return the literals of a scope that are nowhere in a text."""
    literals = [part.strip() for part in scope.split(ELLIPSIS)]
    return [part for part in literals if part and _compiled(part).search(text) is None]


class _Ahead:
    """Finds the first place of something behind ever later offsets, reading each part once."""

    def __init__(self, find: Callable[[int], tuple[int, int] | None]) -> None:
        self._find = find
        self._found: tuple[int, int] | None = (-1, -1)

    def of(self, offset: int) -> tuple[int, int] | None:
        """Return begin and end of the first place from an offset on, which must not fall."""
        if self._found is not None and self._found[0] < offset:
            self._found = self._find(offset)
        return self._found


def _finder(words: str, text: str) -> Callable[[int], tuple[int, int] | None]:
    if not words:
        return lambda start: (start, start)

    def find(start: int) -> tuple[int, int] | None:
        found = next(_find(words, text, start), None)
        return found.span() if found is not None else None

    return find


def _ends(text: str, starts: Sequence[int], last: str) -> dict[int, int]:
    """Return where each region ends that has an end; `starts` rise."""
    if last in _CLOSING:
        return _balanced(text, starts, last)
    if not last or last == _SECTION:
        mark = f"\n{last}"

        def find(start: int) -> tuple[int, int] | None:
            end = text.find(mark, start)
            return (len(text), len(text)) if end < 0 else (end, end)

        ahead = _Ahead(find)
    else:
        ahead = _Ahead(_finder(last, text))
    return {start: end[0] for start in starts if (end := ahead.of(start)) is not None}


def _balanced(text: str, starts: Sequence[int], closing: str) -> dict[int, int]:
    """Return for each start the closing bracket that has no opening one since; in one pass."""
    ends: dict[int, int] = {}
    brackets = re.compile(f"[{re.escape(_CLOSING[closing] + closing)}]")
    todo = list(reversed(starts))
    nested: list[int] = []  # starts that wait for their end, and the pairs that are open
    for bracket in brackets.finditer(text, todo[-1]) if todo else ():
        place = bracket.start()
        while todo and todo[-1] <= place:
            nested.append(todo.pop())
        if bracket[0] != closing:
            nested.append(_PAIR)
            continue
        while nested and nested[-1] != _PAIR:
            ends[nested.pop()] = place
        if nested:
            nested.pop()
    return ends


def _find(words: str, text: str, start: int) -> "Iterator[re.Match[str]]":
    return _search(_compiled(words), words.split(maxsplit=1)[0], text, start, len(text))


@lru_cache(maxsize=512)
def _compiled(text: str) -> "re.Pattern[str]":
    before = _before(text, opens_with_hole=False)
    return re.compile(before + literal(text) + _after(text, last=None))


def line_of(text: str, offset: int) -> int:
    """Return the line, from 1, on which an offset stands."""
    return text.count("\n", 0, offset) + 1


class Lines:
    """The lines of a text: cheap for offsets that are near the one asked for before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset, self._line, self._start = 0, 1, 0

    def at(self, offset: int) -> int:
        """Return the line, from 1, on which an offset stands."""
        if offset >= self._offset:
            self._line += self._text.count("\n", self._offset, offset)
            start = self._text.rfind("\n", self._offset, offset)
            self._start = start + 1 if start >= 0 else self._start
        else:
            self._line -= self._text.count("\n", offset, self._offset)
            if offset < self._start:
                self._start = self._text.rfind("\n", 0, offset) + 1
        self._offset = offset
        return self._line

    def start(self, offset: int) -> int:
        """Return where the line begins on which an offset stands."""
        self.at(offset)
        return self._start
