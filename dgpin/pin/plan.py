"""The plan of a bump: every byte that would change, worked out before the first is written."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from dgpin.errors import RefusedError, UsageError
from dgpin.files import Edit
from dgpin.pin import comments, grammar, python_text, sites
from dgpin.pin.facts import Facts
from dgpin.pin.merge import Merge, merge
from dgpin.pin.sites import Found, Reading, Site, SiteError
from dgpin.pin.template import Hole, Match, line_of
from dgpin.verdict import Place

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ORDERED = {"cxx_std"}  # the host decides, and the source may only raise it


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The pin that the sites shall state: repository and source, before and after."""

    repo: str
    old: Facts
    new: Facts
    wheel: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value at one site: an item that enters a list has no `old`, one that leaves no `new`."""

    place: Place
    fact: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a bump writes: whole files, and the values that differ in them."""

    edits: tuple[Edit, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class _Patch:
    """A piece of one file's text to be replaced (offsets), and the change it makes."""

    start: int
    end: int
    text: str
    change: Change


class UnknownFactError(RefusedError):
    """A site states a fact that the new source does not tell."""

    hint = "Make the entry a [watch] in dgpin.toml, or pin a source that tells it."

    def __init__(self, site: Site) -> None:
        release = "The pin is a wheel's version, so name a release: `dgpin bump 0.1.6`, say."
        super().__init__(
            f"{site.place}: states <{site.hole.fact}>, which the new source does not tell",
            hint=release if site.hole.fact == "wheel" else None,
        )


class UnfitValueError(UsageError):
    """A new value has a form that its site cannot take: a path in the place of a URL, say."""

    hint = "Give --repo as a URL or an absolute path, without spaces, quotes and commas."

    def __init__(self, site: Site, value: str) -> None:
        super().__init__(
            f"{site.place}: <{site.hole.fact}> cannot be `{value}`; nothing was written"
        )


class SecretError(UsageError):
    """An address with credentials would be written to a file of the host."""

    hint = "Give the address without them; git's credential helper or ~/.netrc can hold them."

    def __init__(self, site: Site) -> None:
        super().__init__(
            f"{site.place}: the repository's address has credentials in it, and the file is "
            "everyone's; nothing was written"
        )


class GarbledError(UsageError):
    """A planned text does not read as planned: the entries of one file contradict each other."""

    hint = "Two entries of dgpin.toml overlap in this file; make each match its own text."

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path}: the planned text {what}; nothing was written")


def plan(reading: Reading, target: Target, *, note: str | None = None) -> Plan:
    """Work out every edit that moves the sites of a reading to the target.

    With `note`, the comment blocks above the commit's sites say that text afterwards.

    Raises:
        SiteError: a site is missing or stands there twice.
        UnknownFactError: the new source does not tell a fact that a site states.
        UnfitValueError: a site cannot take the form of its new value.
        SecretError: a site would be the first to hold credentials.
        GarbledError: reading the planned text again does not give the planned values.
    """
    for problem in reading.problems:
        raise SiteError(reading, problem)
    patches: dict[str, list[_Patch]] = {}
    for found in reading.found:
        if not found.entry.watch and found.matches:
            text = reading.texts[found.entry.path]
            patches.setdefault(found.entry.path, []).extend(_patches(found, text, target))
    if note is not None:
        for path, patch in _note_patches(reading, note):
            patches.setdefault(path, []).append(patch)
    edits = []
    for path, wanted in patches.items():
        text = _apply(path, reading.texts[path], wanted)
        if text != reading.texts[path]:
            edits.append(Edit(path=path, old=reading.raw[path], new=sites.encode(text)))
    _verify(reading, edits, target)
    changes = sorted(
        {patch.change for wanted in patches.values() for patch in wanted},
        key=lambda change: (change.place, change.fact, change.old, change.new),
    )
    return Plan(edits=tuple(edits), changes=tuple(changes))


def slug(repo: str) -> str:
    """Return `owner/name` of a repository's URL."""
    *_, owner, name = ("", *repo.removesuffix(".git").replace(":", "/").split("/"))
    return f"{owner}/{name}"


def scalar(fact: str, target: Target) -> str | None:
    """Return the value of a scalar fact at the target."""
    owner, name = slug(target.repo).split("/")
    ours = {
        "repo": target.repo,
        "slug": f"{owner}/{name}",
        "owner": owner,
        "name": name,
        "commit": target.new.commit,
        "wheel": target.wheel,
    }
    return ours[fact] if fact in ours else target.new.scalar(fact)


def _stated(hole: Hole, target: Target) -> str | None:
    """Return what a hole says at the target, in the form in which it says it now."""
    value = scalar(hole.fact, target)
    if value is not None and hole.fact == "repo" and hole.value.endswith(".git"):
        value += ".git"
    return value if value is None else value[: hole.length]


def _patches(found: Found, text: str, target: Target) -> Iterable[_Patch]:
    if found.entry.each:
        fact = found.matches[0].holes[0].fact
        current = [match.holes[0].value for match in found.matches]
        merged = merge(current, old=target.old.items(fact), new=target.new.items(fact))
        yield from _list_patches(found, text, merged)
        return
    for site in found.sites:
        hole = site.hole
        value = _stated(hole, target)
        if value is None:
            raise UnknownFactError(site)
        if not _is_fit(hole, value):
            raise UnfitValueError(site, value)
        if hole.fact == "repo" and _SECRET.match(value) and not _SECRET.match(hole.value):
            raise SecretError(site)
        if hole.fact in ORDERED:
            value = max(value, hole.value, key=grammar.version_key)
        if value != hole.value:
            change = Change(place=site.place, fact=hole.fact, old=hole.value, new=value)
            yield _Patch(hole.start, hole.end, value, change)


_SECRET = re.compile(r"https?://[^/@]*@")


def _is_fit(hole: Hole, value: str) -> bool:
    pattern = grammar.value_pattern(hole.fact, length=hole.length)
    return re.fullmatch(pattern, value) is not None


def _list_patches(found: Found, text: str, merged: Merge) -> Iterable[_Patch]:
    path, fact = found.entry.path, found.matches[0].holes[0].fact

    def change(match: Match, *, old: str = "", new: str = "") -> Change:
        place = Place(path, line_of(text, match.holes[0].start))
        return Change(place=place, fact=fact, old=old, new=new)

    renamed = dict(merged.renamed)
    staying = [m for m in found.matches if m.holes[0].value not in merged.removed]
    for match in found.matches:
        hole = match.holes[0]
        if hole.value in renamed:
            new = renamed[hole.value]
            yield _Patch(hole.start, hole.end, new, change(match, old=hole.value, new=new))
    for index, match in enumerate(found.matches):
        value = match.holes[0].value
        if value in merged.removed:
            leads = all(m.holes[0].value in merged.removed for m in found.matches[:index])
            start, end = _cut(found.matches, index, text, leads=leads)
            yield _Patch(start, end, "", change(match, old=value))
    if merged.added and not staying:
        raise GarbledError(path, f"would empty the list of {fact}, so nothing shows its form")
    for item in merged.added:
        # The text between the last two items carries the commas, quotes and continuations.
        last = staying[-1]
        hole = last.holes[0]
        copy = text[last.start : hole.start] + item + text[hole.end : last.end]
        between = _between(found.matches, text) + copy
        yield _Patch(last.end, last.end, between, change(last, new=item))


def _note_patches(reading: Reading, note: str) -> Iterable[tuple[str, _Patch]]:
    above = {(b.path, b.last + 1): b for b in comments.blocks(reading)}
    for site in reading.sites("commit", watch=False):
        path, text = site.entry.path, reading.texts[site.entry.path]
        lines = text.split("\n")
        line = comments.statement(lines, site.line)
        block = above.get((path, line))
        if block is None and PurePosixPath(path).suffix in _NO_COMMENTS:
            continue
        first = line if block is None else block.first
        old = lines[first - 1 : line - 1]
        like = old[0] if old else lines[line - 1]
        end = "\r" if like.endswith("\r") else ""
        new = [line + end for line in comments.renewed(note, like=like)]
        start = sum(len(line) + 1 for line in lines[: first - 1])
        stop = start + sum(len(line) + 1 for line in old)
        change = Change(
            place=Place(path, first), fact="comment", old="\n".join(old), new="\n".join(new)
        )
        if old != new:
            yield path, _Patch(start, stop, "".join(f"{line}\n" for line in new), change)


# Files whose format has no comment that begins with # or //.
_NO_COMMENTS = {".md", ".mdx", ".rst", ".json", ".html", ".xml"}


# Whether text holds a comment of the host's, which goes with no item.
_REMARK = re.compile(r"(?<![ \t])[ \t]*(?:#|//).*")


def _between(matches: tuple[Match, ...], text: str) -> str:
    """Return what separates two items of a list."""
    if len(matches) > 1:
        gap = text[matches[-2].end : matches[-1].start]
        first, *others = _REMARK.sub("", gap).split("\n")
        return f"{first}\n{others[-1]}" if others else first
    before = text[: matches[0].start]
    return before[len(before.rstrip(" \t\r\n")) :] or " "


def _cut(matches: tuple[Match, ...], index: int, text: str, *, leads: bool) -> tuple[int, int]:
    """Return what goes with an item: itself and the text before it, or after it if it `leads`."""
    match = matches[index]
    if leads and index + 1 < len(matches):
        return match.start, matches[index + 1].start
    if leads:
        return (match.start - (len(_between(matches, text)) if index == 0 else 0)), match.end
    before = matches[index - 1].end
    if _REMARK.search(text[before : match.start]):
        # A remark stays, so the item goes with its own line.
        after = text.find("\n", match.end)
        return text.rfind("\n", 0, match.start) + 1, len(text) if after < 0 else after + 1
    return before, match.end


def _apply(path: str, text: str, patches: list[_Patch]) -> str:
    pieces, position = [], 0
    # Two entries may state one value; writing the same twice in one place is writing it once.
    distinct = {(patch.start, patch.end, patch.text): patch for patch in patches}.values()
    for patch in sorted(distinct, key=lambda patch: (patch.start, patch.end)):
        if patch.start < position:
            raise GarbledError(path, "would be changed twice in one place")
        pieces += [text[position : patch.start], patch.text]
        position = patch.end
    return "".join([*pieces, text[position:]])


def _verify(reading: Reading, edits: list[Edit], target: Target) -> None:
    planned = {edit.path: edit.new for edit in edits}
    again = sites.read_sites(reading.config, lambda path: planned.get(path, reading.raw.get(path)))
    for problem in again.problems:
        raise GarbledError(problem.entry.path, f"does not hold `{problem.entry}` once")
    for site in again.sites(watch=False):
        hole, value = site.hole, _stated(site.hole, target)
        if grammar.is_list(hole.fact) or hole.fact in ORDERED or value is None:
            continue
        if hole.value != value:
            raise GarbledError(site.entry.path, f"says {hole.value} for <{hole.fact}>")
    for edit in edits:
        _reparse(edit)


_PARSERS: Mapping[str, Callable[[str], object]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".py": partial(python_text.parse, path=""),
}


def _reparse(edit: Edit) -> None:
    """Refuse a text that its own format no longer takes, if it took the old one."""
    parse = _PARSERS.get(PurePosixPath(edit.path).suffix)
    if parse is None or edit.old is None:
        return
    try:
        parse(sites.decode(edit.old))
    except _UNREADABLE:
        return
    try:
        parse(sites.decode(edit.new))
    except _UNREADABLE as error:
        raise GarbledError(edit.path, f"is not {edit.path.rsplit('.')[-1]}: {error}") from error


# The last one: a text is nested more deeply than its parser goes.
_UNREADABLE = (ValueError, SyntaxError, RecursionError)
