"""Two signatures in one line, with what went and what came marked word by word."""

import difflib
import re

from dgpin.api import spelling, split
from dgpin.render.terminal import Span

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def difference(before: str, after: str) -> tuple[Span, ...]:
    """Return the line: `[-gone-]` and `{+new+}` as git's word diff writes them, and painted.

    Parameters that did not change are shown by name alone.
    """
    old, new = _parts(before), _parts(after)
    if old is None or new is None:
        return _words(before, after)
    spans: list[Span] = [("(", "")]
    pairs = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for what, a, b, c, d in pairs:
        if what == "equal":
            spans += _joined([((_name(part), ""),) for part in old[a:b]])
        elif what == "replace" and b - a == d - c:
            changed = [_words(x, y) for x, y in zip(old[a:b], new[c:d], strict=True)]
            spans += _joined(changed)
        else:
            gone = [((f"[-{part}-]", "red strike"),) for part in old[a:b]]
            came = [((f"{{+{part}+}}", "green"),) for part in new[c:d]]
            spans += _joined([*gone, *came])
        spans.append((", ", ""))
    if spans[-1] == (", ", ""):
        spans.pop()
    return (*spans, (")", ""))


def _joined(parts: list[tuple[Span, ...]]) -> list[Span]:
    spans: list[Span] = []
    for part in parts:
        spans += [*([(", ", "")] if spans else []), *part]
    return spans


def _parts(signature: str) -> list[str] | None:
    cut = split.parenthesised(signature)
    if cut is None or ";" in signature:
        return None
    return [plain(part) for part in split.pieces(cut[1])]


def plain(parameter: str) -> str:
    """Return a parameter with its type in the one spelling that dgpin compares."""
    left, default = split.halves(parameter, at="=")
    name, kind = split.halves(left, at=":")
    text = f"{name}: {spelling.type_of(kind)}" if kind else name
    if default is None:
        return text
    return f"{text} = {default}" if kind else f"{text}={default}"


def _name(parameter: str) -> str:
    return re.split(r"[:=\s]", parameter, maxsplit=1)[0] or parameter


def _words(before: str, after: str) -> tuple[Span, ...]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    spans: list[Span] = []
    for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, came = "".join(old[a:b]), "".join(new[c:d])
        if what == "equal":
            spans.append((gone, ""))
            continue
        if gone:
            spans.append((f"[-{gone}-]", "red strike"))
        if came:
            spans.append((f"{{+{came}+}}", "green"))
    return tuple(spans)
