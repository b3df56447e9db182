"""Comments beside sites: the host's own words, and which of them a pin makes stale."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from dgpin import lines
from dgpin.config import Config
from dgpin.pin import grammar, template
from dgpin.pin.facts import Facts
from dgpin.pin.sites import Reading, Site
from dgpin.verdict import Place

_COMMENT = re.compile(r"\s*(?:#|//)(?!!)")
_HASH = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_VERSION = re.compile(
    r"(?<![\w.])v?([0-9]+\.[0-9]+\.[0-9]+(?:[.-]?(?:post|rc|dev)[0-9]+)?)(?!\.*\w)"
)
_OTHER_PRODUCT = re.compile(
    r"(?:CUDA|GCC|G\+\+|torch|PyTorch|Python|CMake|NVCC|>=|<=|==)\s*$", re.IGNORECASE
)
_ARCH = re.compile(r"\b[Ss][Mm]_?([0-9]{2,3})[af]?\b")
_NEAR = 40  # characters before a version in which its product is looked for
# A word that is a branch only when it is called one: `dev`, `main`. It is tried from its beginning
# only, which keeps a long one from being tried from each of its letters.
_CALLED_BRANCH = re.compile(r"(?<![\w./-])([\w./-]+)\s+branch\b|\bbranch\s+[`'\"]?([\w./-]+)")
_PATH = re.compile(r"(?<![\w/.:${}-])(?:[\w-]+/)+[\w.-]+\.(?:sh|py|cmake|md|toml|txt|yaml|yml)\b")
_PLAIN_WORDS = {"dev", "main", "master", "next", "release", "this", "the", "a", "that", "same"}


class Block(NamedTuple):
    """Consecutive comment lines right above a site, or above the statement that holds it."""

    path: str
    first: int  # line numbers, from 1
    last: int
    lines: tuple[str, ...]
    sites: tuple[Site, ...]

    @property
    def place(self) -> Place:
        """Return the block's file and first line."""
        return Place(self.path, self.first)


class Stale(NamedTuple):
    """A word of a comment that a pin contradicts."""

    place: Place
    word: str
    why: str


class Truth(NamedTuple):
    """What is so at a pin: comments are measured against it."""

    facts: Facts
    branch: str | None = None
    other_branches: frozenset[str] = frozenset()
    gone_submodules: frozenset[str] = frozenset()


def blocks(reading: Reading) -> tuple[Block, ...]:
    """Return the comment block above each site that a bump rewrites, each block once."""
    found: dict[tuple[str, int], Block] = {}
    for entry in reading.found:
        if entry.entry.watch or not entry.sites:
            continue
        path = entry.entry.path
        text = reading.texts[path]
        every = lines.split(text)
        starts = {site.line for site in entry.sites[:1] if entry.entry.each} or {
            site.line for site in entry.sites
        }
        if entry.entry.scope is not None:
            opening = template.regions(text, entry.entry.scope)
            starts |= {template.line_of(text, start) for start, _ in opening}
        if any(site.hole.fact == "commit" for site in entry.sites):
            starts = {statement(every, start) for start in starts}
        for start in starts:
            block = _above(path, every, start, entry.sites)
            if block is not None:
                known = found.get((path, block.first))
                sites = entry.sites if known is None else (*known.sites, *entry.sites)
                found[(path, block.first)] = Block(
                    path=path, first=block.first, last=block.last, lines=block.lines, sites=sites
                )
    return tuple(sorted(found.values(), key=lambda block: (block.path, block.first)))


def statement(every: Sequence[str], line: int) -> int:
    """Return the line (from 1) on which the shell's statement begins that reaches to a line.

    A comment between its lines would end it.
    """
    while line > 1 and every[line - 2].rstrip().endswith("\\"):
        if _COMMENT.match(every[line - 2]):
            break
        line -= 1
    return line


def _above(path: str, every: list[str], line: int, sites: tuple[Site, ...]) -> Block | None:
    last = line - 1
    first = last
    while first >= 1 and _COMMENT.match(every[first - 1]):
        first -= 1
    first += 1
    if first > last:
        return None
    return Block(
        path=path, first=first, last=last, lines=tuple(every[first - 1 : last]), sites=sites
    )


def stale(block: Block, truth: Truth) -> tuple[Stale, ...]:
    """Return the words of a block that the pin contradicts, in reading order."""
    return tuple(
        Stale(place=Place(block.path, block.first + offset), word=word, why=why)
        for offset, line in enumerate(block.lines)
        for word, why in _stale_words(line, truth)
    )


def _stale_words(line: str, truth: Truth) -> Iterator[tuple[str, str]]:
    commit = truth.facts.commit
    for found in _HASH.finditer(line):
        if not commit.startswith(found[0]):
            yield found[0], f"the pin is {commit[:8]}"
    yield from _stale_versions(line, truth.facts)
    yield from _stale_arches(line, truth.facts)
    for word in _branch_words(line, truth.other_branches):
        if truth.branch is None or folded(word) != folded(truth.branch):
            yield word, f"the pin follows {truth.branch or 'another branch'}"
    for name in sorted(truth.gone_submodules):
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line):
            yield name, "the pin has no such submodule"


def _stale_versions(line: str, facts: Facts) -> Iterator[tuple[str, str]]:
    version = facts.scalar("version")
    for found in _VERSION.finditer(line):
        start = found.start()
        foreign = _OTHER_PRODUCT.search(line[max(start - _NEAR, 0) : start])
        if version is not None and found[1] != version and not foreign:
            yield found[1], f"the pin is version {version}"


def _stale_arches(line: str, facts: Facts) -> Iterator[tuple[str, str]]:
    arches = facts.items("arches")
    for found in _ARCH.finditer(line):
        if arches and grammar.family(found[1]) not in arches:
            yield found[0], f"the pin has {', '.join(arches)}"


def folded(branch: str) -> str:
    """Return a branch's name as names are compared: nv-dev is nv_dev."""
    return branch.replace("-", "_").lower()


def _branch_words(line: str, known: Iterable[str]) -> Iterator[str]:
    """Yield the branches that a line names: any known name, plain words only where called so."""
    names = {folded(name) for name in known}
    called = {word for found in _CALLED_BRANCH.finditer(line) for word in found.groups() if word}
    for word in re.findall(r"[\w./-]+", line):
        bare = word.strip("./-")
        if folded(bare) in names and (folded(bare) not in _PLAIN_WORDS or bare in called):
            yield bare


def known_branches(config: Config) -> frozenset[str]:
    """Return the branch names that a configuration speaks of, and those that any fork has."""
    follow = config.follow
    named = [follow] if isinstance(follow, str) else [*(follow or {}).values()]
    return frozenset({*named, "main", "nv_dev", "dev"})


def named_branches(block: Block, known: Iterable[str]) -> frozenset[str]:
    """Return the branches that a block names, folded so that nv-dev equals nv_dev."""
    known = tuple(known)
    return frozenset(folded(word) for line in block.lines for word in _branch_words(line, known))


def named_files(block: Block) -> Iterator[tuple[Place, str]]:
    """Yield the host files that a block names, with the line on which it does."""
    for offset, line in enumerate(block.lines):
        for found in _PATH.finditer(line):
            if not PurePosixPath(found[0]).is_absolute():
                yield Place(block.path, block.first + offset), found[0]


def renewed(note: str, *, like: str) -> list[str]:
    """Return the comment lines that say `note`, indented and marked as the line `like`."""
    import textwrap  # noqa: PLC0415 - only `--note` pays for it

    mark = "//" if like.lstrip().startswith("//") else "#"
    indent = like[: len(like) - len(like.lstrip())]
    prefix = f"{indent}{mark} "
    return [
        f"{prefix}{line}".rstrip()
        for paragraph in note.splitlines() or [""]
        for line in textwrap.wrap(paragraph, 88 - len(prefix)) or [""]
    ]
