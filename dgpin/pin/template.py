"""Templates: a host's own line with `<fact>` holes, which reads a site and writes it.

A run of white space matches any white space; everything else is literal; a hole matches what the
grammar of its fact allows. `in` narrows the search to the regions between literals that are joined
by an ellipsis.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from dgpin.errors import UsageError
from dgpin.pin import grammar

_HOLE = re.compile(r"<([A-Za-z_][A-Za-z0-9_-]*(?:\.[a-z]+)?)(?::([0-9]+))?>")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_SECTION = "["
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
        return "0" * int(hole[2] or 40)
    return "" if grammar.knows(hole[1]) else hole[0]


def _head(text: str) -> str:
    """Return the literal text that a template starts with, up to white space or a hole."""
    hole = next((h for h in _HOLE.finditer(text) if grammar.knows(h[1])), None)
    words = (text if hole is None else text[: hole.start()]).split(maxsplit=1)
    return words[0] if words and not text[0].isspace() else ""


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
    position = 0
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
    after = _after(text, closes_with_hole=bool(facts) and not pieces[-1])
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
    if opens_with_hole:
        return r"(?<![^\s\"'`([{=,:@])"
    return r"(?<![\w-])" if text[0].isalnum() or text[0] == "_" else ""


def _after(text: str, *, closes_with_hole: bool) -> str:
    if closes_with_hole:
        return r"(?=[\s\"'`)\]},;:]|\.?(?:\s|\Z))"
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
    found = []
    for opening in _find(literals[0], text, 0):
        region = _close(text, opening.end(), literals[1:])
        if region is not None and region not in found:
            found.append(region)
    # "A … C … B": another A before the same C opens the same region.
    return tuple(found)


def lost(text: str, scope: str) -> list[str]:
    """Return the literals of a scope that are nowhere in a text."""
    literals = [part.strip() for part in scope.split(ELLIPSIS)]
    return [part for part in literals if part and _compiled(part).search(text) is None]


def _close(text: str, start: int, literals: list[str]) -> tuple[int, int] | None:
    for middle in literals[:-1]:
        step = next(_find(middle, text, start), None)
        if step is None:
            return None
        start = step.end()
    last = literals[-1]
    if not last:
        end = text.find("\n", start)
        return (start, len(text) if end < 0 else end)
    if last in _CLOSING:
        return _balanced(text, start, last)
    if last == _SECTION:
        end = text.find(f"\n{_SECTION}", start)
        return (start, len(text) if end < 0 else end)
    closing = next(_find(last, text, start), None)
    return (start, closing.start()) if closing is not None else None


def _balanced(text: str, start: int, closing: str) -> tuple[int, int] | None:
    depth = 0
    for offset in range(start, len(text)):
        if text[offset] == _CLOSING[closing]:
            depth += 1
        elif text[offset] == closing:
            if depth == 0:
                return (start, offset)
            depth -= 1
    return None


def _find(words: str, text: str, start: int) -> "Iterator[re.Match[str]]":
    return _search(_compiled(words), words.split(maxsplit=1)[0], text, start, len(text))


@lru_cache(maxsize=512)
def _compiled(text: str) -> "re.Pattern[str]":
    before = _before(text, opens_with_hole=False)
    return re.compile(before + literal(text) + _after(text, closes_with_hole=False))


def line_of(text: str, offset: int) -> int:
    """Return the line, from 1, on which an offset stands."""
    return text.count("\n", 0, offset) + 1
