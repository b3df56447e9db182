"""The commits between two commits, with their parents, as a mirror has them."""

from typing import TYPE_CHECKING

from dgpin import process
from dgpin.source import invocation

if TYPE_CHECKING:  # brings GitPython
    from dgpin.source.git import Mirror


def between(mirror: "Mirror", good: str, bad: str) -> dict[str, tuple[str, ...]]:
    """Return what `bad` has and `good` has not: each commit's parents, ancestors first.

    Parents that are not among these commits are left out.
    """
    listed = _lines(mirror, "rev-list", "--topo-order", "--reverse", "--parents", f"{good}..{bad}")
    words = [line.split() for line in listed]
    known = {each[0] for each in words}
    return {each[0]: tuple(p for p in each[1:] if p in known) for each in words}


def bases(mirror: "Mirror", one: str, other: str) -> tuple[str, ...]:
    """Return the best common ancestors of two commits; none when their histories never met."""
    return tuple(_lines(mirror, "merge-base", "--all", one, other, absent=1))


def _lines(mirror: "Mirror", *words: str, absent: int = 0) -> list[str]:
    """Return git's answer; the exit code `absent` means that there is none."""
    done = process.run(
        ["git", "--git-dir", mirror.path, *words],
        env=invocation.environment(),
        timeout=invocation.READ_LIMIT,
    )
    return [] if absent and done.returncode == absent else done.check().text.split("\n")[:-1]
