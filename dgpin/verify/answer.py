"""What verify found: an answer for each step, and one verdict over all of them."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from dgpin.verdict import Place, Row, Verdict

SHORT = 12  # digits of a commit where people read it


class Step(str, Enum):
    """What is asked, in the order in which it is shown; each is the command that says more."""

    CHECK = "check"
    API = "diff-api"
    LINT = "lint"
    CARRY = "carry"
    BUILD = "build"
    SMOKE = "smoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One step's answer: the rows, worst first, and the command that shows all of it.

    `evidence` is the whole answer of that command as its own JSON has it. `reused` tells that it
    was kept from an earlier run over the same contents.
    """

    step: Step
    verdict: Verdict
    summary: str
    rows: tuple[Row, ...] = ()
    more: str = ""
    evidence: Mapping[str, object] | None = None
    seconds: float = 0.0
    reused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A side of the move: where it is pinned, and which build or directory stood for it."""

    repo: str
    commit: str
    given: str = ""

    @property
    def word(self) -> str:
        """Return the side as a command takes it."""
        return shlex.quote(self.given) if self.given else self.commit[:SHORT] or "REF"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The whole answer. `old` is None for the pin as it stands; `when` is UTC, ISO 8601.

    `required` are the architectures that must be proved, and `architectures` has a row for each of
    them and for each further one that the host enables; a row's rule is the architecture.
    """

    host: str
    old: Point | None
    new: Point
    required: tuple[str, ...]
    architectures: tuple[Row, ...]
    answers: tuple[Answer, ...]
    when: str
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """Fail for any finding; what could not be told is never a pass."""
        return worst(answer.verdict for answer in self.answers)

    @property
    def unproved(self) -> tuple[str, ...]:
        """The architectures on which nothing shows that the build is sound."""
        return tuple(row.rule for row in self.architectures if row.verdict is not Verdict.PASS)


def within(commit: str, place: Place) -> Place:
    """Return a place of a source as `git show` takes it, so that it is none of the host's."""
    return place._replace(path=f"{commit[:8]}:{place.path}") if commit else place


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict over several: a finding, else unknown, else pass, else skip."""
    seen = set(verdicts)
    if any(verdict.is_finding for verdict in seen):
        return Verdict.FAIL
    if Verdict.UNKNOWN in seen:
        return Verdict.UNKNOWN
    return Verdict.PASS if seen - {Verdict.SKIP} else Verdict.SKIP


def ordered(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows, findings first; rows that say the same at several places become one."""
    merged: dict[tuple[str, Verdict, str, str], Row] = {}
    for row in rows:
        key = (row.rule, row.verdict, row.message, row.hint)
        known = merged.get(key)
        places = (*known.places, *row.places) if known is not None else row.places
        merged[key] = row._replace(places=tuple(dict.fromkeys(places)))
    return tuple(sorted(merged.values(), key=_weight))


def _weight(row: Row) -> int:
    return 0 if row.verdict.is_finding else 1 if row.verdict is Verdict.UNKNOWN else 2
