"""What a new source lost of an old one, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dgpin.source.commits import Commit
from dgpin.source.families import Family
from dgpin.source.fixlike import Likeness
from dgpin.source.survival import Fate
from dgpin.verdict import Place

SHORTEST = 7  # digits by which a loss can be accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class LostLine:
    """A line of the old source that the new one does not have.

    `there` is where it would stand in the new source (an empty path: its file is gone), `function`
    the one around that place, and `now` the line that took its place, if any.
    """

    here: Place
    text: str
    fate: Fate
    there: Place
    function: str
    now: str
    telling: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A change that does not survive whole: a commit, or a hunk where there is no history.

    `living` counts the telling lines that the change still has in the old source, and `lines`
    those of them that are gone. `accepted` is the reason for which the loss is accepted.
    """

    id: str  # the commit's SHA, or `hunk-` and a digest of its lines
    commit: Commit | None
    title: str
    living: int
    lines: tuple[LostLine, ...]
    likeness: Likeness
    accepted: str = ""

    @property
    def is_fix(self) -> bool:
        """Whether it looks like a fix, and really lost a line."""
        return self.likeness.is_fix and not self.is_changed

    @property
    def is_changed(self) -> bool:
        """Whether every line was changed again and none was lost."""
        return all(line.fate is Fate.CHANGED for line in self.lines)

    @property
    def first(self) -> LostLine:
        """Return the line to show where there is room for one: the first that is telling."""
        return next((line for line in self.lines if line.telling), self.lines[0])

    @property
    def surviving(self) -> int:
        """Return how many of the change's lines the new source still has."""
        return self.living - len(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What the old source has and the new one lacks: fixes first, then the rest.

    `new_commit` is "" for a directory. `reused` tells that it was kept from an earlier run over the
    same contents.
    """

    old: str
    new: str
    upstream: str  # "" where none is known, and then every line of the old source counts
    new_commit: str = ""
    losses: tuple[Loss, ...] = ()
    families: tuple[Family, ...] = ()
    left_out: tuple[Commit, ...] = ()  # commits that upstream or the new source has otherwise
    not_compared: tuple[str, ...] = ()  # top directories that only one side has
    reused: bool = False

    @property
    def fixes(self) -> tuple[Loss, ...]:
        """Return the losses that look like fixes and are not accepted."""
        return tuple(loss for loss in self.losses if loss.is_fix and not loss.accepted)

    @property
    def changed(self) -> tuple[Loss, ...]:
        """Return the changes that were changed again and not lost."""
        return tuple(loss for loss in self.losses if loss.is_changed)


def accept(carried: Carried, accepted: Mapping[str, str]) -> Carried:
    """Return the answer with the reason of each loss that is accepted.

    `accepted` maps ids (seven digits or more of one) to reasons.
    """

    def reason(loss: Loss) -> str:
        return next(
            (
                why
                for key, why in accepted.items()
                if len(key.removeprefix("hunk-")) >= SHORTEST and loss.id.startswith(key)
            ),
            "",
        )

    return replace(
        carried, losses=tuple(replace(loss, accepted=reason(loss)) for loss in carried.losses)
    )
