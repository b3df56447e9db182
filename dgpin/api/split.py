"""Cut signature text at its top level: brackets, quotes and `<…>` values stay whole."""

import itertools
from collections.abc import Iterator

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())


def top_level(text: str) -> Iterator[tuple[int, str]]:
    """Yield the index and character of all that stands outside of brackets and quotes.

    Opening and closing brackets of the top level are yielded too.
    """
    depth = 0
    index = 0
    angles = _angles(text) if "<" in text else {}
    while index < len(text):
        char = text[index]
        if char in "'\"":
            index = _after_quote(text, index)
            continue
        if index in angles:
            index = angles[index]
            continue
        if char in _CLOSE:
            depth -= 1
        if depth <= 0:
            yield index, char
        if char in _OPEN:
            depth += 1
        index += 1


def _after_quote(text: str, start: int) -> int:
    quote = text[start]
    index = start + 1
    while index < len(text) and text[index] != quote:
        index += 2 if text[index] == "\\" else 1
    return index + 1


def _angles(text: str) -> dict[int, int]:
    """Return the place after each value such as `<m.F object>`, by its begin.

    A bare less-than is not among them, nor is the `>` of an arrow an end.
    """
    ends: dict[int, int] = {}
    begun: list[int] = []
    for index, char in enumerate(text):
        if char == "<":
            begun.append(index)
        elif char == ">" and begun and text[index - 1] != "-":
            ends[begun.pop()] = index + 1
    return ends


def pieces(text: str, *, at: str = ",") -> tuple[str, ...]:
    """Return what lies between the top-level separators, stripped; no empty pieces."""
    cuts = [-1, *(i for i, char in top_level(text) if char == at), len(text)]
    parts = (text[a + 1 : b].strip() for a, b in itertools.pairwise(cuts))
    return tuple(part for part in parts if part)


def halves(text: str, *, at: str) -> tuple[str, str | None]:
    """Return what lies before and after the first top-level separator; None without one."""
    for index, char in top_level(text):
        if char == at:
            return text[:index].strip(), text[index + 1 :].strip()
    return text.strip(), None


def parenthesised(text: str) -> tuple[str, str, str] | None:
    """Return what lies before, in and after the first top-level parentheses."""
    begin = None
    for index, char in top_level(text):
        if char == "(" and begin is None:
            begin = index
        elif char == ")" and begin is not None:
            return text[:begin].strip(), text[begin + 1 : index], text[index + 1 :].strip()
    return None
