"""The first commit at which a check fails: builds, runs, and halves what is left."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from dgpin.api import references
from dgpin.api.references import NowhereError
from dgpin.build.interpreter import Interpreter
from dgpin.build.job import MachineError
from dgpin.build.store import StoreError
from dgpin.errors import DgpinError, UnavailableError, UsageError
from dgpin.smoke import session
from dgpin.smoke.case import Check
from dgpin.smoke.results import Result
from dgpin.smoke.session import Request
from dgpin.smoke.suspects import Answer, Suspects
from dgpin.source import graph
from dgpin.source.commits import Commit
from dgpin.verdict import Verdict

if TYPE_CHECKING:  # brings GitPython
    from dgpin.source.git import Mirror

SHORT = 12
_ANSWERS = {
    Verdict.PASS: Answer.GOOD,
    Verdict.FAIL: Answer.BAD,
    Verdict.CRASH: Answer.BAD,
    Verdict.TIMEOUT: Answer.BAD,
}


class Outcome(str, Enum):
    """What the search came to."""

    FOUND = "found"
    SEVERAL = "several"  # what is left cannot be tried
    BAD_BEFORE = "bad before"  # A fails already
    GOOD_AFTER = "good after"  # B passes
    FIXED_ASIDE = "fixed aside"  # where A and B part fails already: A's side has a fix
    UNTRIED = "untried"  # A or B itself cannot be tried

    @property
    def exit_code(self) -> int:
        """1 where the fault is placed, 0 where there is none, 3 where it could not be told."""
        if self is Outcome.GOOD_AFTER:
            return 0
        return 3 if self in {Outcome.SEVERAL, Outcome.UNTRIED} else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one commit answered; `number` is the check's, where it got so far."""

    answer: Answer
    message: str
    number: float | None = None
    cached: bool = False  # its build was there already


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One commit that was tried; `left` is how many are suspected after it."""

    commit: Commit
    trial: Trial
    left: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is known at the end, or so far, when `outcome` is None.

    `suspects`, known at the end only, are the commits of which one is the first bad one. `doubt`
    says what the answer takes for granted.
    """

    check: str
    repository: str
    good: str
    bad: str
    suspects: tuple[Commit, ...] = ()
    steps: tuple[Step, ...] = ()
    outcome: Outcome | None = None
    doubt: str = ""


Try = Callable[[str], Trial]


class UnrelatedError(UsageError):
    """A and B have no common history."""

    hint = "Name two commits of one history."

    def __init__(self, good: str, bad: str) -> None:
        super().__init__(f"{good} and {bad} have no commit in common")


class NoGpuError(UnavailableError):
    """The check cannot be run on this machine, whatever the build."""

    hint = "Search on a machine whose GPU shows the fault."

    def __init__(self, why: str) -> None:
        super().__init__(f"nothing can be searched here: {why}")


def ends(text: str, repositories: Sequence[str]) -> "tuple[Mirror, str, str]":
    """Return the mirror that has both ends of `A..B`, and their commits.

    Raises:
        UsageError: it is no `A..B`, or no repository has both.
    """
    good, dots, bad = text.partition("..")
    if not (good and dots and bad) or bad.startswith("."):
        raise UsageError(
            f"--bisect {text}: that is not A..B",
            hint="A is a commit, branch or tag at which the check passes, B one at which it fails.",
        )
    tried: list[tuple[str, str]] = []
    opened: dict[tuple[str, bool], Mirror] = {}
    for fetch in (True, False):  # what is mirrored will do where there is no network
        for repo in repositories:
            one = references.resolve_in(repo, good, fetch=fetch, opened=opened)
            other = references.resolve_in(repo, bad, fetch=fetch, opened=opened)
            if not isinstance(one, str) and not isinstance(other, str):
                return other[0], one[1].commit, other[1].commit
            tried.append((repo, one if isinstance(one, str) else str(other)))
    raise NowhereError(text, tried[: len(repositories)])


def search(mirror: "Mirror", good: str, bad: str, *, check: str, attempt: Try) -> Iterator[Found]:
    """Yield what is known after each commit that is tried; the last one has the outcome.

    The first bad commit of `good..bad` is searched over the whole graph, as `git bisect` does.
    Both ends are tried first. Where `good` is no ancestor of `bad`, so are the commits where they
    part: only if those pass did the fault come on the way to `bad`.

    Raises:
        UnrelatedError: the two have no common ancestor.
        DgpinError: what `attempt` raises.
    """
    bases = graph.bases(mirror, good, bad)
    if not bases:
        raise UnrelatedError(good, bad)
    suspects = Suspects(parents=graph.between(mirror, good, bad), bad=bad)
    found = Found(check=check, repository=mirror.address.shown, good=good, bad=bad)
    wrong = {good: Answer.BAD, bad: Answer.GOOD}
    early = {good: Outcome.BAD_BEFORE, bad: Outcome.GOOD_AFTER}
    for commit in dict.fromkeys((good, bad, *bases)):
        found = _tried(found, mirror, commit, attempt, len(suspects.parents))
        answer = found.steps[-1].trial.answer
        outcome: Outcome | None = None
        if answer is wrong.get(commit, Answer.BAD):
            outcome = early.get(commit, Outcome.FIXED_ASIDE)
        elif answer is Answer.SKIPPED and commit in early:
            outcome = Outcome.UNTRIED
        elif answer is Answer.SKIPPED:
            doubt = f"{commit[:SHORT]}, where the two part, could not be tried: it may fail too"
            found = replace(found, doubt=doubt)
        if outcome is not None:
            yield replace(found, outcome=outcome)
            return
        yield found
    while (following := suspects.next()) is not None:
        found = _tried(found, mirror, following, attempt, 0)
        suspects = suspects.told(following, found.steps[-1].trial.answer)
        left = len(suspects.left())
        found = replace(found, steps=(*found.steps[:-1], replace(found.steps[-1], left=left)))
        yield found
    last = mirror.describe_all(suspects.left())
    yield replace(
        found, suspects=last, outcome=Outcome.FOUND if len(last) == 1 else Outcome.SEVERAL
    )


def _tried(found: Found, mirror: "Mirror", commit: str, attempt: Try, left: int) -> Found:
    began = time.monotonic()
    trial = attempt(commit)
    step = Step(
        commit=mirror.describe(commit), trial=trial, left=left, seconds=time.monotonic() - began
    )
    return replace(found, steps=(*found.steps, step))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Builds a commit, or takes the build that the cache has, and runs one check on it.

    `request` says how; its build is replaced by each commit's.
    """

    mirror: "Mirror"
    python: Interpreter
    request: Request
    known: tuple[Check, ...]

    def __call__(self, commit: str) -> Trial:
        """Try a commit.

        Raises:
            NoGpuError: no check can run on this machine.
            UnavailableError: the build cache cannot be written, or the machine gave up.
        """
        root = references.built(commit, self.python)
        cached = root is not None
        if root is None:
            try:
                root = references.compiled(self.mirror, commit, self.python)
            except (MachineError, StoreError):
                raise
            except DgpinError as error:
                return Trial(answer=Answer.SKIPPED, message=f"not built: {error.message}")
        report = session.run(replace(self.request, build=str(root)), self.known, _Silent())
        if report.blocked:
            raise NoGpuError(report.blocked)
        if report.ran is not None and report.ran.trouble is not None:
            why = report.ran.trouble.explanation.what
            return Trial(answer=Answer.SKIPPED, message=f"not loaded: {why}", cached=cached)
        return _answered(report.results[0], cached=cached)


class _Silent:
    """Watches nothing: a step is one line, whatever happened in it."""

    def begin(self, plans: object) -> None:
        """Learn what will run."""

    def watch(self, label: str, event: object) -> None:
        """See an event."""


def _answered(result: Result, *, cached: bool) -> Trial:
    return Trial(
        answer=_ANSWERS.get(result.verdict, Answer.SKIPPED),
        message=result.message or result.verdict.value,
        number=result.number,
        cached=cached,
    )
