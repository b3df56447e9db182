"""Which commits may have brought a fault, and which of them to try next. Pure.

As `git bisect` does, over the whole graph: a merge is a commit like any other, and a side branch
is searched only when its merge is bad. That is the first bad commit where each commit behind a
bad one is bad too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum


class Answer(str, Enum):
    """What a try of one commit told."""

    GOOD = "good"
    BAD = "bad"
    SKIPPED = "skipped"  # not built, or the check cannot be asked of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """A graph of commits, and what is known of them.

    `parents` lists ancestors first; `bad` is the earliest commit known to be bad.
    """

    parents: Mapping[str, tuple[str, ...]]
    bad: str
    good: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()

    def told(self, commit: str, answer: Answer) -> "Suspects":
        """Return what is known after one more answer."""
        if answer is Answer.BAD:
            return replace(self, bad=commit)
        if answer is Answer.GOOD:
            return replace(self, good=self.good | {commit})
        return replace(self, skipped=self.skipped | {commit})

    def left(self) -> tuple[str, ...]:
        """Return the commits of which one is the first bad one, ancestors first."""
        behind = self._behind()
        cleared = 0
        for commit in self.good:
            cleared |= behind.get(commit, 0)
        mine = behind[self.bad] & ~cleared
        return tuple(commit for at, commit in enumerate(self.parents) if mine >> at & 1)

    def next(self) -> str | None:
        """Return the commit whose answer halves what is left best; None when none can be tried."""
        left = self.left()
        places = {commit: at for at, commit in enumerate(self.parents)}
        mine = sum(1 << places[commit] for commit in left)
        behind = self._behind()
        best, most = None, 0
        for commit in left:
            if commit == self.bad or commit in self.skipped:
                continue
            count = (behind[commit] & mine).bit_count()
            halves = min(count, len(left) - count)
            if halves > most:
                best, most = commit, halves
        return best

    def _behind(self) -> dict[str, int]:
        """Return each commit with its ancestors, as a set of bits in the order of the graph."""
        found: dict[str, int] = {}
        for at, (commit, parents) in enumerate(self.parents.items()):
            found[commit] = 1 << at
            for parent in parents:
                found[commit] |= found[parent]
        return found
