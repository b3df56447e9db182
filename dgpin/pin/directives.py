"""Preprocessor directives of one file, as text: nothing is expanded, no condition evaluated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Include:
    """One `#include` line; `header` is a macro's name and arguments where `macro` is set."""

    line: int
    header: str
    quoted: bool = False
    macro: bool = False
    conditional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderMacro:
    """`#define NAME <header>`, or `#define NAME(parameter) <…parameter…>`."""

    name: str
    parameter: str
    header: str
    quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What one file includes, the macros in it that name headers, and its code.

    `code` is the text without comments and raw strings, each line where it was. `conditional`
    holds the first and last line of every region that an `#if` may leave out.
    """

    includes: tuple[Include, ...]
    macros: tuple[HeaderMacro, ...]
    conditional: tuple[tuple[int, int], ...]
    code: str


_SPACE = r"(?:[ \t]|\\\n)*"
_DIRECTIVE = re.compile(
    rf"^(?<!\\\n){_SPACE}(#){_SPACE}(include|include_next|if|ifdef|ifndef|elif|elifdef|elifndef"
    rf"|else|endif|define)\b{_SPACE}((?:\\\n|[^\n])*)",
    re.MULTILINE,
)
_TARGET = re.compile(r'<([^>\n]+)>|"([^"\n]+)"')
_MACRO = re.compile(r'(\w+)(?:\((\w+)\))?[ \t]+(?:<([^>\n]+)>|"([^"\n]+)")\s*')
_NOT_DEFINED = re.compile(r"!\s*defined\s*\(?\s*(\w+)\s*\)?")
# Comments, literals and raw strings, in the order in which a lexer meets them. Those that span
# lines can hide a directive; the others are matched so that a quote or `/*` in them opens nothing.
# What is not closed ends with its line or the file, as a compiler reads it; nothing is tried twice.
# A character literal is short: the quotes in 1'000'000 are none.
_OPAQUE = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|\b(?:u8|[uUL])?R"([^ ()\\\t\v\f\n]{0,16})\(.*?(?:\)\1"|\Z)'
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'(?:\\[^\n]{1,10}|[^'\\\n]{1,4})'",
    re.DOTALL,
)

# What an open #if means for the lines below it.
_GUARD, _LIVE, _DEAD, _CONDITION = "guard", "live", "dead", "condition"


@dataclass(frozen=True, slots=True)
class _Directive:
    line: int
    word: str
    rest: str


def scan(text: str) -> Scan:
    """Read a file's directives.

    Its include guard is no condition, and what stands under `#if 0` is not there at all.
    """
    code = _without_comments(text.replace("\r\n", "\n"))
    directives = _directives(code)
    guard = _guarded_by(directives)
    includes: list[Include] = []
    macros: list[HeaderMacro] = []
    regions: list[tuple[int, int]] = []
    branches: list[tuple[str, int]] = []  # of each open #if: what it means, and since which line
    for each in directives:
        if each.word.startswith(("if", "el", "endif")):
            if each.word.startswith(("el", "endif")) and branches:
                meaning, since = branches.pop()
                if meaning == _CONDITION:
                    regions.append((since, each.line))
                if each.word != "endif":
                    branches.append((_other_branch(meaning, each), each.line))
            elif each.word.startswith("if"):
                branches.append((_GUARD if each is guard else _branch(each), each.line))
            continue
        meanings = {meaning for meaning, _ in branches}
        if _DEAD in meanings:
            continue
        if each.word == "define":
            if match := _MACRO.fullmatch(each.rest):
                macros.append(_macro(match))
        else:
            includes.append(_include(each, conditional=_CONDITION in meanings))
    return Scan(
        includes=tuple(includes), macros=tuple(macros), conditional=tuple(regions), code=code
    )


def _directives(code: str) -> list[_Directive]:
    found: list[_Directive] = []
    line, counted = 1, 0
    for match in _DIRECTIVE.finditer(code):
        at = match.start(1)  # the `#`: spliced blank lines may stand before it
        line, counted = line + code.count("\n", counted, at), at
        found.append(_Directive(line, match[2], match[3].strip()))
    return found


def _include(directive: _Directive, *, conditional: bool) -> Include:
    target = _TARGET.match(directive.rest)
    if target is None:
        return Include(
            line=directive.line, header=directive.rest, macro=True, conditional=conditional
        )
    return Include(
        line=directive.line,
        header=target[1] or target[2],
        quoted=target[1] is None,
        conditional=conditional,
    )


def _macro(match: re.Match[str]) -> HeaderMacro:
    return HeaderMacro(
        name=match[1],
        parameter=match[2] or "",
        header=match[3] or match[4],
        quoted=match[3] is None,
    )


def _branch(directive: _Directive) -> str:
    if directive.word == "if" and directive.rest in {"0", "false"}:
        return _DEAD
    return _LIVE if directive.word == "if" and directive.rest in {"1", "true"} else _CONDITION


def _other_branch(before: str, directive: _Directive) -> str:
    if directive.word == "else" and before in {_DEAD, _LIVE}:
        return _LIVE if before == _DEAD else _DEAD
    return _CONDITION


def _guarded_by(directives: Sequence[_Directive]) -> _Directive | None:
    """Return the `#ifndef` that guards the whole file, if it has one."""
    if len(directives) < 3:  # noqa: PLR2004 - #ifndef, #define, #endif
        return None
    first, second = directives[:2]
    guarded = _NOT_DEFINED.fullmatch(first.rest) if first.word == "if" else None
    name = guarded[1] if guarded else first.rest if first.word == "ifndef" else ""
    if not name or second.word != "define" or second.rest.split()[:1] != [name]:
        return None
    depth = 0
    for number, each in enumerate(directives, 1):
        depth += each.word.startswith("if") - (each.word == "endif")
        other_side = depth == 1 and each.word.startswith("el")
        if other_side or (depth == 0 and number < len(directives)):
            return None
    return first if depth == 0 else None


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    last = 0
    for match in _OPAQUE.finditer(text):
        start, end = match.span()
        if text[start] not in "\"'":
            pieces += text[last:start], "\n" * text.count("\n", start, end) or " "
            last = end
    return "".join([*pieces, text[last:]])
