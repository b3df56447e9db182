"""Commits as values, and how git's answers become them."""

from collections.abc import Iterator
from dataclasses import dataclass

from dgpin.source.answer import AnswerError

KINDS = ("refs/heads", "refs/tags", "refs/pull")
# Unit separator between the fields: it stands in no sane name, and is dropped from insane ones.
FORMAT = "%an%x1f%aI%x1f%s"
REFS = "%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit; the author's date is ISO 8601 with offset."""

    sha: str
    subject: str
    author: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A name in a repository and the commit that it means in the end."""

    name: str  # refs/heads/…, refs/tags/… or refs/pull/N/head
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """How far one commit is from another: commits that only it has, and that only the other has."""

    ahead: int
    behind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What lies between two commits, newest first.

    `commits` are on the new side only, `dropped` on the old side only. `base` is the merge base,
    empty when the histories have nothing in common. `compare` is GitHub's page, else empty.
    """

    base: str
    commits: tuple[Commit, ...]
    dropped: tuple[Commit, ...]
    compare: str


def parse(listed: str) -> tuple[Commit, ...]:
    """Return the commits of `git rev-list --format=FORMAT`, in its order.

    Raises:
        AnswerError: it is no such list.
    """
    found = []
    sha = ""
    for line in listed.split("\n"):
        word, _, rest = line.partition(" ")
        if word == "commit" and "\x1f" not in line:
            sha = rest
        elif "\x1f" in line:
            author, date, subject = _split(line, "\x1f", 3, about="commits")
            found.append(Commit(sha=sha, subject=_shown(subject), author=_shown(author), date=date))
    return tuple(found)


def distance(count: str) -> Distance:
    """Return the answer of `git rev-list --left-right --count SINCE...COMMIT`.

    Raises:
        AnswerError: it is no such answer.
    """
    numbers = count.split()
    if len(numbers) != 2 or not all(each.isdecimal() and len(each) < 10 for each in numbers):  # noqa: PLR2004 - two counts, of fewer commits than 10^9
        raise AnswerError("a distance", count)
    return Distance(ahead=int(numbers[1]), behind=int(numbers[0]))


def refs(listed: str) -> Iterator[Ref]:
    """Yield the refs of `git for-each-ref --format=REFS` that mean a commit.

    Raises:
        AnswerError: it is no such list.
    """
    # A name may hold what splitlines() takes for the end of a line.
    for line in filter(None, listed.split("\n")):
        kind, sha, peeled_kind, peeled, name = _split(line, " ", 5, about="refs")
        if kind == "commit":
            yield Ref(name=name, commit=sha)
        elif peeled_kind == "commit":
            yield Ref(name=name, commit=peeled)


def _split(line: str, at: str, count: int, *, about: str) -> list[str]:
    fields = line.split(at, count - 1)
    if len(fields) != count:
        raise AnswerError(about, line)
    return fields


def _shown(text: str) -> str:
    # A subject is a stranger's text: it may hold sequences that drive a terminal.
    return "".join(letter if letter.isprintable() else "?" for letter in text)
