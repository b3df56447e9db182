"""The function in which a line of C++, CUDA or Python stands."""

import re
from collections.abc import Sequence

REACH = 30  # lines that a function's parameters may take up

_PYTHON = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w+)")
_TYPE = re.compile(r"\s*(?:struct|class)\s+(?:alignas\([^)]*\)\s*)?(\w+)[^;()]*(?:\{|$)")
_NAME = re.compile(r"[A-Za-z_~][\w:~]*(?=\s*\()")
_ATTRIBUTE = re.compile(r"__\w+__\s*(?:\((?:[^()]|\([^()]*\))*\))?")
# What has a name before `(` and opens no function.
_OTHER = re.compile(
    r"(?:alignas|asm|assert|case|catch|constexpr|decltype|defined|do|elif|else|for|if|noexcept|not"
    r"|requires|return|sizeof|static_assert|switch|throw|volatile|while)"
)
_ENDS = frozenset({"}", "};", "})", "});"})
_AFTER = re.compile(
    r"\s*(?:const\b|noexcept\b|override\b|final\b|->\s*[\w:<>*&\s]+)*\s*(?P<mark>[{:]?)"
)


def function_at(lines: Sequence[str], number: int) -> str:
    """Return the name of the innermost function, or else type, around a line (from 0); or ""."""
    if not 0 <= number < len(lines):
        return ""
    limit = _indent(lines, number)
    for at in range(number, -1, -1):
        line = lines[at]
        if not line.strip() or (indent := len(line) - len(line.lstrip())) > limit:
            continue
        if (at == number or indent < limit) and (name := _opened(lines, at)):
            return name
        # A block that ends above the line began at the same margin, and does not hold the line.
        if at < number and line.strip() in _ENDS:
            limit = indent
    return ""


def _indent(lines: Sequence[str], number: int) -> int:
    for line in lines[number:]:
        if line.strip():
            return len(line) - len(line.lstrip())
    return 0


def _opened(lines: Sequence[str], at: int) -> str:
    """Return the name of the function or type that a line begins to define."""
    line = lines[at]
    if found := _PYTHON.match(line) or _TYPE.match(line):
        return found[1]
    if line.lstrip().startswith(("//", "*", "#", "}")):
        return ""
    bare = _ATTRIBUTE.sub("", line)
    name = _NAME.search(bare)
    if name is None or _OTHER.fullmatch(name[0]):
        return ""
    before = bare[: name.start()]
    # A definition has its type before its name, or, at the margin, on the line above; a call
    # stands alone, after `=`, or in another.
    if (line[0].isspace() and not before.strip()) or re.search(r"[=.(\[?]|->|\breturn\b", before):
        return ""
    rest = "\n".join([bare[name.end() :], *lines[at + 1 : at + REACH]])
    return name[0] if _is_definition(rest) else ""


def _is_definition(text: str) -> bool:
    """Tell whether the parentheses with which a text begins are followed by a body."""
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == ")":
            after = _AFTER.match(text, index + 1)
            return after is not None and bool(after["mark"])
    return False
