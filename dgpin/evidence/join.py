"""Evidence of several machines joined into one verdict about one source."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from dgpin.evidence import documents
from dgpin.evidence.values import Attached, Kind, Measured, Refused, Section, SmokeRun
from dgpin.verdict import Verdict

# Of two runs on one architecture the worse answer stands.
_WORST_FIRST = (
    Verdict.CRASH,
    Verdict.FAIL,
    Verdict.TIMEOUT,
    Verdict.UNKNOWN,
    Verdict.UNSUPPORTED,
    Verdict.SKIP,
    Verdict.PASS,
)


_ORDER = (
    Kind.VERIFY,
    Kind.BUMP,
    Kind.DIFF_API,
    Kind.LINT,
    Kind.CHECK,
    Kind.CARRY,
    Kind.BUILD,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """One verdict. `headers` is the digest of the source's include tree, "" without a smoke run.

    `required` are architectures without which there is no pass; `attached` are the files that
    are part of the report. `cells` are the answers by check and architecture.
    """

    headers: str
    commit: str
    runs: tuple[SmokeRun, ...]
    sections: tuple[Section, ...]
    refused: tuple[Refused, ...]
    required: tuple[str, ...]
    attached: tuple[Attached, ...]
    cells: Mapping[tuple[str, str], Measured]

    @property
    def architectures(self) -> tuple[str, ...]:
        """Every architecture that ran or is required, by number."""
        seen = {run.architecture for run in self.runs} | set(self.required)
        return tuple(sorted(seen, key=lambda name: (len(name), name)))

    @property
    def checks(self) -> tuple[str, ...]:
        """Every check that ran anywhere, in the order of the runs."""
        return tuple(dict.fromkeys(m.check for run in self.runs for m in run.checks))

    def cell(self, check: str, architecture: str) -> Measured | None:
        """Return the worst answer to a check on an architecture; None where it was never run."""
        return self.cells.get((check, architecture))

    def on(self, architecture: str) -> Verdict:
        """Return the answer of an architecture: unknown where no run proved it."""
        verdicts = {run.verdict for run in self.runs if run.architecture == architecture}
        for verdict in (Verdict.FAIL, Verdict.PASS):
            if verdict in verdicts:
                return verdict
        return Verdict.UNKNOWN

    @property
    def verdict(self) -> Verdict:
        """Return the answer: fail beats unknown, which beats pass.

        With required architectures only those count; without, every one that ran does, and a
        file that was refused leaves the answer open.
        """
        counted = self.required or self.architectures
        answers = [self.on(name) for name in counted]
        if any(answer.is_finding for answer in (*answers, *(s.verdict for s in self.sections))):
            return Verdict.FAIL
        open_ = Verdict.UNKNOWN in answers or any(map(self.is_open, self.sections))
        nothing = not answers and not self.sections
        is_open = open_ or nothing or (self.refused and not self.required)
        return Verdict.UNKNOWN if is_open else Verdict.PASS

    def is_open(self, section: Section) -> bool:
        """Whether a section leaves the answer open; what verify could not tell others may have."""
        if section.verdict is not Verdict.UNKNOWN:
            return False
        asked = [name for name in section.unproved if name in (self.required or section.unproved)]
        told = all(self._is_told(kind) for kind in section.open)
        proven = all(self.on(name) is Verdict.PASS for name in asked)
        return not (section.open and told and proven)

    def _is_told(self, kind: Kind) -> bool:
        if kind in {Kind.BUILD, Kind.SMOKE}:  # what passed was built
            return any(run.verdict is Verdict.PASS for run in self.runs)
        # Of a move the evidence of check is that of bump.
        kinds = {kind, Kind.BUMP} if kind is Kind.CHECK else {kind}
        found = [each for each in self.sections if each.kind in kinds and each.is_answer]
        return Verdict.PASS in {section.verdict for section in found}


def join(paths: Sequence[Path], *, required: Sequence[str] = ()) -> Joined:
    """Return the report of the files. What is damaged, unknown or of another source is refused.

    The commit is the one that most files name, of several that of the newest smoke run; the source
    is that of the newest run which names no other commit. A file that is named twice counts once.
    """
    read, refused = _read(paths)
    commit = _commit([each.found for each in read])
    parts, strangers = _about(commit, read)
    runs = [part for part in parts if isinstance(part, SmokeRun)]
    newest = max(runs, key=lambda run: run.when, default=None)
    refused += strangers
    refused += [_of_other_headers(run, newest) for run in runs if newest and not _same(run, newest)]
    out = {each.file for each in refused}
    runs = [run for run in runs if run.file not in out]
    kept = [part for part in parts if isinstance(part, Section)]
    return Joined(
        headers=newest.headers if newest is not None else "",
        commit=commit,
        runs=tuple(runs),
        sections=tuple(sorted(kept, key=lambda section: _ORDER.index(section.kind))),
        refused=tuple(refused),
        required=tuple(dict.fromkeys(required)),
        attached=tuple(each.attached for each in read if each.attached.file not in out),
        cells=_cells(runs),
    )


def _read(paths: Iterable[Path]) -> tuple[list[documents.Read], list[Refused]]:
    read: list[documents.Read] = []
    refused: list[Refused] = []
    for path in {os.path.realpath(path): path for path in paths}.values():
        found = documents.read(path)
        if isinstance(found, Refused):
            refused.append(found)
        else:
            read.append(found)
    return read, refused


def _about(
    commit: str, read: Iterable[documents.Read]
) -> tuple[list[documents.Found], list[Refused]]:
    """Return what is about a commit, and what is refused since it is about another one."""
    parts: list[documents.Found] = []
    refused: list[Refused] = []
    for each in read:
        others = {p.file: p for p in each.found if not _agrees(p.commit, commit)}
        # Of a file that is refused as a whole the parts need no word.
        whole = others.get(each.attached.file)
        refused += map(_of_other_commit, [whole] if whole else others.values(), repeat(commit))
        parts += [p for p in each.found if whole is None and p.file not in others]
    return parts, refused


def _cells(runs: Iterable[SmokeRun]) -> dict[tuple[str, str], Measured]:
    """Return the worst answer to each check on each architecture."""
    found: dict[tuple[str, str], Measured] = {}
    for run in runs:
        for measured in run.checks:
            known = found.setdefault((measured.check, run.architecture), measured)
            if _WORST_FIRST.index(measured.verdict) < _WORST_FIRST.index(known.verdict):
                found[measured.check, run.architecture] = measured
    return found


def _same(run: SmokeRun, other: SmokeRun) -> bool:
    return run.headers == other.headers


def _of_other_headers(run: SmokeRun, newest: SmokeRun) -> Refused:
    version = f", version {run.version}" if run.version else ""
    return Refused(
        file=run.file,
        reason=f"is evidence of another source: headers {run.headers[:12]}{version}, "
        f"not {newest.headers[:12]}",
    )


def _commit(files: Sequence[Sequence[documents.Found]]) -> str:
    """Return the commit that most files name, else the newest run, in its longest spelling."""
    named = [commit for parts in files for commit in sorted({p.commit for p in parts}) if commit]
    runs = [part for parts in files for part in parts if isinstance(part, SmokeRun) and part.commit]

    def weight(commit: str) -> tuple[int, str]:
        votes = sum(_agrees(other, commit) for other in named)
        return votes, max((run.when for run in runs if _agrees(run.commit, commit)), default="")

    best = max(dict.fromkeys(named), key=weight, default="")
    return max((commit for commit in named if _agrees(commit, best)), key=len, default="")


def _agrees(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _of_other_commit(part: documents.Found, commit: str) -> Refused:
    return Refused(
        file=part.file,
        reason=f"is about another commit: {part.commit[:12]}, not {commit[:12]}",
    )
