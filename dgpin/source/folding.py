"""Lost lines folded into changes: by commit where there is a history, else by hunk."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dgpin.source import align, blame, context, families, fixlike
from dgpin.source.blame import History
from dgpin.source.commits import Commit
from dgpin.source.families import Family, Kind
from dgpin.source.fixlike import Likeness
from dgpin.source.losses import Loss, LostLine
from dgpin.source.survival import Comparison, Fate, Gone
from dgpin.verdict import Place

HUNK_GAP = 4  # lines between two lost lines of one hunk

Numbers = Mapping[str, Collection[int]]  # lines of each path, counted from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """The losses, the families with their commits, and the commits that were left out."""

    losses: tuple[Loss, ...]
    families: tuple[Family, ...]
    left_out: tuple[str, ...] = ()


def by_hunk(comparison: Comparison, gone: Numbers, dropped: Sequence[Family]) -> Folded:
    """Fold lines that stood together; each hunk is a change of unknown origin."""
    losses = []
    for path, numbers in gone.items():
        for hunk in _hunks(list(comparison.fates(path, numbers))):
            lines = _lost(comparison, hunk)
            digest = hashlib.sha256("\n".join(align.normal(line.text) for line in lines).encode())
            where = context.function_at(comparison.old[path].lines, hunk[0].line)
            losses.append(
                Loss(
                    id=f"hunk-{digest.hexdigest()[:12]}",
                    commit=None,
                    title=f"{where or 'a change'} in {lines[0].here}",
                    living=len(lines),
                    lines=lines,
                    likeness=_judge(lines, subject="", size=len(lines)),
                )
            )
    return Folded(losses=tuple(losses), families=tuple(dropped))


def _hunks(lines: Sequence[Gone]) -> Iterator[list[Gone]]:
    hunk: list[Gone] = []
    for line in lines:
        if hunk and line.line - hunk[-1].line > HUNK_GAP:
            yield hunk
            hunk = []
        hunk.append(line)
    if hunk:
        yield hunk


def _lost(comparison: Comparison, lines: Sequence[Gone]) -> tuple[LostLine, ...]:
    functions: dict[tuple[str, int], str] = {}
    found = []
    for gone in lines:
        place = (gone.new_path, gone.new_line)
        if place not in functions:
            there = comparison.new[gone.new_path].lines if gone.new_path else ()
            functions[place] = context.function_at(there, gone.new_line)
        text = comparison.old[gone.path].lines[gone.line]
        found.append(
            LostLine(
                here=Place(gone.path, gone.line + 1),
                text=text.strip(),
                fate=gone.fate,
                there=Place(gone.new_path, gone.new_line + 1) if gone.new_path else Place(""),
                function=functions[place],
                now=gone.now,
                telling=bool(fixlike.signs(text, gone.now)),
            )
        )
    return tuple(found)


def _judge(lines: Iterable[LostLine], *, subject: str, size: int) -> Likeness:
    # A lost test guards nothing by itself, however many barriers it has.
    telling = [(line.text, line.now) for line in lines if not line.here.path.startswith("tests/")]
    return fixlike.judge(telling, subject=subject if telling else "", size=size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where the old source's own lines come from.

    `authors` has a commit for every line of the paths, "" for upstream's. `excluded` are commits
    whose patch upstream or the new source has. `upstream` are upstream's lines, by old path.
    """

    history: History
    authors: Mapping[str, Sequence[str]]
    excluded: Collection[str]
    upstream: Mapping[str, Collection[str]]
    commits: Mapping[str, Commit]


def by_commit(
    comparison: Comparison,
    gone: Numbers,
    own: Numbers,
    dropped: Sequence[Family],
    origins: Origins,
) -> Folded:
    """Fold lines by the commit that last wrote them; what left with a family is counted there."""
    living: Counter[str] = Counter()
    lost: dict[str, list[Gone]] = defaultdict(list)
    for path, numbers in own.items():
        authors = origins.authors[path]
        living.update(authors[number] for number in numbers)
        for line in comparison.fates(path, gone.get(path, ())):
            lost[authors[line.line]].append(line)
    tally = _Tally(dropped)
    for path, numbers in own.items():
        tally.take_file(path, {origins.authors[path][number] for number in numbers})
    left_out = tuple(sha for sha in lost if sha in origins.excluded)
    losses = []
    for sha, lines in _settled(lost, origins).items():
        commit = origins.commits[sha]
        rest = tally.take_lines(commit, lines, comparison)
        if rest:
            losses.append(_loss(commit, _lost(comparison, rest), living[sha]))
    return Folded(losses=tuple(losses), families=tally.families(), left_out=left_out)


def _loss(commit: Commit, lines: Sequence[LostLine], living: int) -> Loss:
    return Loss(
        id=commit.sha,
        commit=commit,
        title=commit.subject,
        living=living,
        lines=tuple(lines),
        likeness=_judge(lines, subject=commit.subject, size=living),
    )


def _settled(lost: Mapping[str, Sequence[Gone]], origins: Origins) -> dict[str, list[Gone]]:
    """Return the lines of the commits that count; what went back to before them is lost."""
    counted = {sha: lines for sha, lines in lost.items() if sha and sha not in origins.excluded}
    asked = [
        sha for sha, lines in counted.items() if any(line.fate is Fate.CHANGED for line in lines)
    ]
    before = blame.taken_away(origins.history, asked) if asked else {}

    def settle(sha: str, line: Gone) -> Gone:
        now = align.normal(line.now)
        back = now in before.get(sha, ()) or now in origins.upstream.get(line.path, ())
        return replace(line, fate=Fate.LOST) if line.now and back else line

    return {sha: [settle(sha, line) for line in lines] for sha, lines in counted.items()}


class _Tally:
    """Counts what left with whole families."""

    def __init__(self, dropped: Sequence[Family]) -> None:
        self._families = list(dropped)
        self._commits: list[dict[str, None]] = [{} for _ in dropped]
        self._lines = [0] * len(dropped)

    def take_file(self, path: str, commits: Collection[str]) -> None:
        for index, family in enumerate(self._families):
            if path in family.files:
                self._commits[index].update(dict.fromkeys(sha for sha in sorted(commits) if sha))

    def take_lines(
        self, commit: Commit, lines: Sequence[Gone], comparison: Comparison
    ) -> list[Gone]:
        """Return the lines that belong to no dropped architecture."""
        rest = list(lines)
        for index, family in enumerate(self._families):
            if family.kind is not Kind.ARCHITECTURE:
                continue
            if families.spoken_of(commit.subject) == {family.name}:
                mine = rest
            else:
                mine = [
                    line
                    for line in rest
                    if families.speaks_of(comparison.old[line.path].lines[line.line], family.name)
                ]
            if mine:
                self._lines[index] += len(mine)
                self._commits[index][commit.sha] = None
                rest = [line for line in rest if line not in mine]
        return rest

    def families(self) -> tuple[Family, ...]:
        return tuple(
            replace(family, lines=family.lines + more, commits=tuple(commits))
            for family, more, commits in zip(
                self._families, self._lines, self._commits, strict=True
            )
        )
