"""The keywords of a call while they are collected: certain, possible, taken out again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dgpin.api.uses import Argument, Guard, Keyword

Guards = tuple[Guard, ...]


@dataclass(slots=True)
class Names:
    """Keywords so far. `guards` are what was asked before a possible one was put there."""

    certain: dict[str, Argument] = field(default_factory=dict)
    possible: dict[str, Argument] = field(default_factory=dict)
    guards: dict[str, Guards] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)
    is_open: bool = False
    handed_on: bool = False

    def put(self, name: str, argument: Argument, *, certain: bool, guards: Guards = ()) -> None:
        """Add a keyword, which only some runs pass unless it is certain."""
        self.dropped.discard(name)
        if certain or name in self.certain:
            self.certain[name] = argument
            self.possible.pop(name, None)
            return
        both = name in self.possible and self.guards.get(name, ()) != guards
        self.possible[name] = argument
        self.guards[name] = () if both else guards

    def drop(self, name: str, *, certain: bool, guards: Guards = ()) -> None:
        """Take a keyword out, in some runs only unless it is certain."""
        if certain:
            self.certain.pop(name, None)
            self.possible.pop(name, None)
            self.dropped.add(name)
        elif name in self.certain:
            # It stays where the one question before has the other answer.
            kept = tuple(replace(g, absent=not g.absent) for g in guards)
            self.possible[name] = self.certain.pop(name)
            self.guards[name] = kept if len(kept) == 1 else ()

    def merge(self, other: "Names", *, certain: bool = True, guards: Guards = ()) -> None:
        """Add the keywords of another."""
        for name, argument in other.certain.items():
            self.put(name, argument, certain=certain, guards=guards)
        for name, argument in other.possible.items():
            self.put(name, argument, certain=False, guards=other.guards.get(name) or guards)
        self.dropped |= other.dropped
        self.is_open |= other.is_open
        self.handed_on |= other.handed_on

    def forget(self) -> None:
        """Know no more what there is."""
        self.certain.clear()
        self.possible.clear()
        self.is_open, self.handed_on = True, False

    def clear(self) -> None:
        """Take all out."""
        self.certain.clear()
        self.possible.clear()
        self.is_open = self.handed_on = False

    def as_keywords(self) -> tuple[Keyword, ...]:
        """Return them as values, the certain ones first."""
        certain = [Keyword(name=n, argument=a) for n, a in self.certain.items()]
        possible = [
            Keyword(name=n, argument=a, certain=False, guards=self.guards.get(n, ()))
            for n, a in self.possible.items()
        ]
        return (*certain, *possible)


def either(groups: Sequence[tuple[Names, Guards]]) -> Names:
    """Join alternatives, each with what was asked before it: what all hold is certain."""
    joined = Names()
    for group, guards in groups:
        joined.is_open |= group.is_open
        joined.handed_on |= group.handed_on
        joined.dropped |= group.dropped
        for name, argument in group.certain.items():
            if all(name in other.certain for other, _ in groups):
                joined.certain[name] = argument
            else:
                joined.put(name, argument, certain=False, guards=guards)
        for name, argument in group.possible.items():
            own = group.guards.get(name) or guards
            joined.put(name, argument, certain=False, guards=own)
    return joined
