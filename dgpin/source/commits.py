"""Commits as values, and how git's answers become them."""

from dataclasses import dataclass

KINDS = ("refs/heads", "refs/tags", "refs/pull")
# Unit separator between the fields: it stands in no sane name, and is dropped from insane ones.
FORMAT = "%an%x1f%aI%x1f%s"


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
    """Return the commits of `git rev-list --format=FORMAT`, in its order."""
    found = []
    sha = ""
    for line in listed.split("\n"):
        word, _, rest = line.partition(" ")
        if word == "commit" and "\x1f" not in line:
            sha = rest
        elif "\x1f" in line:
            author, date, subject = line.split("\x1f", 2)
            found.append(Commit(sha=sha, subject=_shown(subject), author=_shown(author), date=date))
    return tuple(found)


def distance(count: str) -> Distance:
    """Return the answer of `git rev-list --left-right --count SINCE...COMMIT`."""
    behind, ahead = count.split()
    return Distance(ahead=int(ahead), behind=int(behind))


def _shown(text: str) -> str:
    # A subject is a stranger's text: it may hold sequences that drive a terminal.
    return "".join(letter if letter.isprintable() else "?" for letter in text)
