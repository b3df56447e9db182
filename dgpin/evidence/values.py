"""What evidence says, as values."""

from dataclasses import dataclass
from enum import Enum

from dgpin.verdict import Verdict


class Kind(str, Enum):
    """The commands whose JSON is evidence."""

    SMOKE = "smoke"
    CHECK = "check"
    BUMP = "bump"
    DIFF_API = "diff-api"
    CARRY = "carry"
    BUILD = "build"
    LINT = "lint"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One check of a smoke run. `number` passes up to `limit`; times are in milliseconds."""

    check: str
    verdict: Verdict
    message: str
    number: float | None
    limit: float
    warm_ms: tuple[float, ...]  # sorted
    cause: str = ""
    cure: str = ""

    @property
    def warm(self) -> float | None:
        """The median of the warm calls."""
        return self.warm_ms[len(self.warm_ms) // 2] if self.warm_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeRun:
    """One run of `dgpin smoke`: which build, where, when, and every verdict.

    `headers` is the digest of the include tree and tells the source, as does `commit` where it is
    known; `digest` is that of `_C`, which differs between machines. `proven` is smoke's own answer
    for the architecture. `findings` are facts that failed before anything ran.
    """

    file: str
    when: str  # ISO 8601, UTC
    architecture: str
    version: str
    commit: str  # "" where nothing tells it
    label: str
    headers: str
    digest: str
    fingerprint: str
    gpu: str
    driver: str
    torch: str
    python: str
    nvcc: str
    checks: tuple[Measured, ...]
    proven: bool
    findings: tuple[str, ...]
    blocked: str

    @property
    def verdict(self) -> Verdict:
        """The answer of the run: nothing that passed is nothing proven."""
        seen = {measured.verdict for measured in self.checks}
        if self.findings or any(verdict.is_finding for verdict in seen):
            return Verdict.FAIL
        sound = self.proven and Verdict.PASS in seen and not self.blocked
        return Verdict.PASS if sound else Verdict.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What another command found, as a table: its findings, and the commit that it is about.

    `open` are the questions that could not be told and that other evidence may answer: the steps of
    `dgpin verify`, or a build of which only the preflight was made. So are `unproved`, the
    architectures that verify found no GPU for. `is_answer` is false for what a step of verify wrote
    that could not be told: by itself it may look like a pass.
    """

    kind: Kind
    file: str
    title: str
    summary: str
    verdict: Verdict
    commit: str  # "" where it names none
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    open: tuple[Kind, ...] = ()
    unproved: tuple[str, ...] = ()
    is_answer: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that is not part of the report, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file of the report as it was read."""

    file: str
    text: str
