"""The include scanner: which headers a translation unit reaches, without a compiler.

It follows what `g++ -M` follows, with one difference: conditions are not evaluated. Both sides of
an `#if` are read, and what is only reached through one is said to be conditional.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname, join, normpath

from dgpin.pin.directives import HeaderMacro, Include, Scan, scan
from dgpin.source.tree import Tree
from dgpin.verdict import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A header that is no file of the source, and the lines that include it."""

    header: str
    places: tuple[Place, ...]
    conditional: bool  # every way to it leads through an #if
    quoted: bool = False  # in quotes wherever it is included


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What a translation unit reaches.

    `conditional` holds the files that are only reached through an `#if`; `unresolved` the lines
    whose macro no file defines as a header.
    """

    files: Mapping[str, Scan]
    conditional: frozenset[str]
    externals: tuple[External, ...]
    unresolved: tuple[Place, ...]


def closure(tree: Tree, roots: Sequence[str], directories: Sequence[str]) -> Closure:
    """Return the files and the external headers that `roots` reach.

    A quoted header is looked for beside the including file first, then in `directories`; one in
    angle brackets only in `directories`.
    """
    walk = _Walk(tree, directories)
    walk.follow((root, False) for root in roots)
    while walk.resolve_macros():
        pass
    return Closure(
        files=walk.scans,
        conditional=frozenset(path for path, through in walk.reached.items() if through),
        externals=tuple(
            _external(name, found, quoted=name not in walk.in_angles)
            for name, found in sorted(walk.externals.items())
        ),
        unresolved=tuple(sorted({Place(path, each.line) for path, each, _ in walk.waiting})),
    )


class _Walk:
    """The state of one traversal."""

    def __init__(self, tree: Tree, directories: Sequence[str]) -> None:
        self.tree = tree
        self.known = tree.paths()
        self.directories = directories
        self.reached: dict[str, bool] = {}  # file → only through an #if
        self.scans: dict[str, Scan] = {}
        self.externals: dict[str, list[tuple[Place, bool]]] = {}
        self.in_angles: set[str] = set()
        self.waiting: list[tuple[str, Include, bool]] = []  # includes of a macro

    def follow(self, start: Iterable[tuple[str, bool]]) -> None:
        queue = deque(start)
        while queue:
            path, through = queue.popleft()
            # Again only if a file turns out to be reached without a condition.
            if path not in self.known or (path in self.reached and through >= self.reached[path]):
                continue
            self.reached[path] = through
            if path not in self.scans:
                self.scans[path] = scan(self.tree.read(path).decode(errors="replace"))
            for include in self.scans[path].includes:
                if include.macro:
                    self.waiting.append((path, include, through or include.conditional))
                else:
                    queue.extend(self.targets(path, include, through=through))

    def targets(
        self, path: str, include: Include, *, through: bool
    ) -> tuple[tuple[str, bool], ...]:
        """Return the source's file that an include means; without one, note it as external."""
        through = through or include.conditional
        beside = [dirname(path)] if include.quoted else []
        for directory in (*beside, *self.directories):
            candidate = normpath(join(directory, include.header))
            if candidate in self.known:
                return ((candidate, through),)
        if not include.quoted:
            self.in_angles.add(include.header)
        found = self.externals.setdefault(include.header, [])
        found.append((Place(path, include.line), through))
        return ()

    def resolve_macros(self) -> bool:
        """Follow the includes whose macro is known by now; return whether there was one."""
        defined: dict[str, list[HeaderMacro]] = {}
        for each in self.scans.values():
            for macro in each.macros:
                defined.setdefault(macro.name, []).append(macro)
        waiting, self.waiting = self.waiting, []
        start: list[tuple[str, bool]] = []
        for path, include, through in waiting:
            name, _, argument = include.header.partition("(")
            meanings = defined.get(name.strip(), [])
            if not meanings:
                self.waiting.append((path, include, through))
            for macro in meanings:
                expanded = _expand(macro, argument.rstrip(") \t"))
                either = through or len(meanings) > 1
                meant = replace(include, header=expanded, quoted=macro.quoted, macro=False)
                start += self.targets(path, meant, through=either)
        self.follow(start)
        return len(waiting) > len(self.waiting) or bool(start)


def _expand(macro: HeaderMacro, argument: str) -> str:
    if not macro.parameter:
        return macro.header
    return re.sub(rf"\b{macro.parameter}\b", lambda _: argument, macro.header)


def _external(header: str, found: Sequence[tuple[Place, bool]], *, quoted: bool) -> External:
    certain = [place for place, conditional in found if not conditional]
    places = certain or [place for place, _ in found]
    return External(
        header=header,
        places=tuple(sorted(set(places))),
        conditional=not certain,
        quoted=quoted,
    )
