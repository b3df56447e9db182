"""Lists are merged three-way: what the host added stays."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What happens to a host's list: items renamed in place, taken out, and added at the end."""

    renamed: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the list stays as it is."""
        return not (self.renamed or self.removed or self.added)


def merge(current: Sequence[str], *, old: Sequence[str], new: Sequence[str]) -> Merge:
    """Merge a host's list with what its source says before and after.

    An item leaves only if the source dropped it, and enters only if the source gained it. As many
    out as in are renames, in order.
    """
    leaving = [item for item in dict.fromkeys(current) if item in old and item not in new]
    gained = [item for item in dict.fromkeys(new) if item not in old and item not in current]
    if len(leaving) == len(gained):
        return Merge(renamed=tuple(zip(leaving, gained, strict=True)))
    return Merge(removed=tuple(leaving), added=tuple(gained))
