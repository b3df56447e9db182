"""What makes a lost change look like a fix: rules, each a row with its weight and reason."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

LONGEST = 2_000  # characters of a line that are looked at; generated code has longer ones
THRESHOLD = 5  # a clamp or a barrier in a small change; a condition with a comment that warns


class Where(Enum):
    """What a rule looks at."""

    CODE = "code"
    COMMENT = "comment"
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign of a fix; it counts once, however often it is found."""

    id: str
    where: Where
    weight: int
    reason: str
    pattern: re.Pattern[str]


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{text})\b", re.IGNORECASE)


RULES = (
    Rule("clamp", Where.CODE, 3, "limits a value", re.compile(r"\bf?(?:min|max|clamp)f?\s*\(")),
    Rule(
        "sync",
        Where.CODE,
        3,
        "synchronises",
        re.compile(
            r"__sync\w+|\bfence\w*|_fence\b|\bbarrier|\bmembar|(?:->|\.)wait\s*\(|(?:->|\.)arrive\w*"
            r"|_wait\b|\batomic\w*|griddepcontrol|GridDependency|\bvolatile\b|[Ss]ynchronize"
        ),
    ),
    Rule(
        "condition",
        Where.CODE,
        2,
        "touches a condition",
        re.compile(
            r"\b(?:if|elif|while)\b.*(?:[<>=!]=|[<>!]|&&|\|\||\band\b|\bor\b|\bnot\b)|\?.+:"
        ),
    ),
    Rule(
        "assertion", Where.CODE, 2, "asserts", re.compile(r"\w*ASSERT\w*\s*\(|\bassert\b|\braise\b")
    ),
    Rule(
        "bound",
        Where.CODE,
        1,
        "touches a bound",
        re.compile(
            r"\b\w*(?:idx|index|offset|size|num|len|count|stride)\w*\s*[-+%]|ceil_div|align"
        ),
    ),
    Rule(
        "warning",
        Where.COMMENT,
        2,
        "its comment warns",
        _words(
            r"must(?: not)?|otherwise|avoids?|prevents?|race|hangs?|deadlocks?|oob"
            r"|out[- ]of[- ]bounds|ima|illegal|overflow\w*|underflow\w*|nan|stale|never|wrong"
            r"|not necessarily|corrupt\w*|crash\w*|guards?|bug|fix|fixes|workaround"
            r"|uninitiali[sz]ed|garbage|unsafe"
        ),
    ),
    Rule(
        "says-fix",
        Where.SUBJECT,
        3,
        "says that it fixes",
        _words(r"fix|fixes|fixed|bug|bugs|bugfix|hotfix|correct|regressions?|workaround|issue"),
    ),
    Rule(
        "says-danger",
        Where.SUBJECT,
        2,
        "names a danger",
        _words(
            r"guard|oob|out[- ]of[- ]bounds?|ima|race|hangs?|deadlock|overflow|underflow|nan"
            r"|crash\w*|illegal|misalign\w*|corrupt\w*|sync(?:hroni[sz]ation)?|clamp|leak"
        ),
    ),
)
# Most lines that a change still has in the tree, and what its smallness says.
SIZES = ((5, 2), (20, 1), (100, 0))
LARGE = -3


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much a change looks like a fix, and why."""

    score: int
    reasons: tuple[str, ...]

    @property
    def is_fix(self) -> bool:
        """Whether the change counts as a fix."""
        return self.score >= THRESHOLD


def judge(lines: Iterable[tuple[str, str]], *, subject: str = "", size: int) -> Likeness:
    """Return how much a change looks like a fix.

    `lines` are those that are gone, each with the line that took its place ("" for none): a sign
    that the new line bears as well is not lost. `size` counts all lines that the change still has
    in the old tree.
    """
    hits = {
        rule.id for rule in RULES if rule.where is Where.SUBJECT and rule.pattern.search(subject)
    }
    comments: list[str] = []
    for line, now in lines:
        hits |= signs(line, now)
        comments.append(halves(line)[1])
    # A comment runs over several lines, and so may the words that warn.
    text = " ".join(comments)
    hits |= {rule.id for rule in RULES if rule.where is Where.COMMENT and rule.pattern.search(text)}
    found = [rule for rule in RULES if rule.id in hits]
    small = next((weight for most, weight in SIZES if size <= most), LARGE)
    return Likeness(
        score=sum(rule.weight for rule in found) + small,
        reasons=tuple(rule.reason for rule in found),
    )


def signs(line: str, now: str = "") -> set[str]:
    """Return the rules for code that a line meets and the line in its place does not."""
    code, new_code = halves(line)[0], halves(now)[0]
    return {
        rule.id
        for rule in RULES
        if rule.where is Where.CODE
        and rule.pattern.search(code)
        and not rule.pattern.search(new_code)
    }


def halves(line: str) -> tuple[str, str]:
    """Return the code and the comment of a line of C++, CUDA or Python."""
    line = line[:LONGEST]
    stripped = line.lstrip()
    if stripped.startswith(("*", "/*", "//")) or re.match(r"#(?:\s|$)", stripped):
        return "", stripped.lstrip("/*# ")
    found = re.search(r"\s//|\s#\s", line)
    return (line[: found.start()], line[found.end() :]) if found else (line, "")
