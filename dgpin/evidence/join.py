"""Evidence of several machines joined into one verdict about one source."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
    are part of the report.
    """

    headers: str
    commit: str
    runs: tuple[SmokeRun, ...]
    sections: tuple[Section, ...]
    refused: tuple[Refused, ...]
    required: tuple[str, ...]
    attached: tuple[Attached, ...]

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
        found = [
            measured
            for run in self.runs
            if run.architecture == architecture
            for measured in run.checks
            if measured.check == check
        ]
        return min(found, key=lambda m: _WORST_FIRST.index(m.verdict), default=None)

    def on(self, architecture: str) -> Verdict:
        """Return the answer of an architecture: unknown without a check that passed."""
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
        answers = [self.on(name) for name in counted] + [s.verdict for s in self.sections]
        if any(answer.is_finding for answer in answers):
            return Verdict.FAIL
        open_ = Verdict.UNKNOWN in answers or not answers or (self.refused and not self.required)
        return Verdict.UNKNOWN if open_ else Verdict.PASS


def join(paths: Sequence[Path], *, required: Sequence[str] = ()) -> Joined:
    """Return the report of the files. What is damaged, unknown or of another source is refused.

    The source is that of the newest smoke run, and the commit the one that most files name.
    """
    read: list[documents.Read] = []
    refused: list[Refused] = []
    for path in paths:
        found = documents.read(path)
        if isinstance(found, Refused):
            refused.append(found)
        else:
            read.append(found)
    parts = [part for each in read for part in each.found]
    runs = [part for part in parts if isinstance(part, SmokeRun)]
    sections = [part for part in parts if isinstance(part, Section)]
    newest = max(runs, key=lambda run: run.when, default=None)
    commit = _commit(section.commit for section in sections)
    refused += [_of_other_headers(run, newest) for run in runs if newest and not _same(run, newest)]
    refused += [_of_other_commit(s, commit) for s in sections if not _agrees(s.commit, commit)]
    out = {each.file for each in refused}
    kept = [section for section in sections if section.file not in out]
    return Joined(
        headers=newest.headers if newest is not None else "",
        commit=commit,
        runs=tuple(run for run in runs if run.file not in out),
        sections=tuple(sorted(kept, key=lambda section: _ORDER.index(section.kind))),
        refused=tuple(refused),
        required=tuple(dict.fromkeys(required)),
        attached=tuple(each.attached for each in read if each.attached.file not in out),
    )


def _same(run: SmokeRun, other: SmokeRun) -> bool:
    return run.headers == other.headers


def _of_other_headers(run: SmokeRun, newest: SmokeRun) -> Refused:
    version = f", version {run.version}" if run.version else ""
    return Refused(
        file=run.file,
        reason=f"is evidence of another source: headers {run.headers[:12]}{version}, "
        f"not {newest.headers[:12]}",
    )


def _commit(commits: Iterable[str]) -> str:
    """Return the commit that most files name, in its longest spelling."""
    named = [commit for commit in commits if commit]
    votes = Counter(named)
    for commit in named:
        votes[commit] = sum(_agrees(other, commit) for other in named)
    best = max(votes, key=lambda commit: votes[commit], default="")
    return max((commit for commit in named if _agrees(commit, best)), key=len, default="")


def _agrees(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _of_other_commit(section: Section, commit: str) -> Refused:
    return Refused(
        file=section.file,
        reason=f"is about another commit: {section.commit[:12]}, not {commit[:12]}",
    )
