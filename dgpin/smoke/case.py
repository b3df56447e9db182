"""What a check is and what it answers. Read by dgpin and by the interpreter under test."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CORE = 1
SWEEP = 2
SANITIZE = 3  # the core once more, under compute-sanitizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question to a build, as its file in `checks/` states it.

    `limit` is what the check's number may be at most, `floor` what each of its controls must
    exceed: a control is the same comparison with one operand deliberately wrong, so a check whose
    control is not caught proves nothing. `deadline` is in seconds and covers compiling.
    """

    id: str
    guards: str  # what this check would have caught
    call: str
    reference: str
    arches: tuple[str, ...]
    limit: float
    floor: float = 1e-3
    metric: str = "calc_diff"
    level: int = CORE
    # A build may lack these and say so; with `--expect` such an answer is a failure.
    capabilities: tuple[str, ...] = ()
    # Patterns of the assertions by which a build declines, and of nothing else.
    refusals: tuple[str, ...] = ()
    # The architectures on which the check itself was run at least once.
    ran_on: tuple[str, ...] = ()
    deadline: float = 60.0
    # About how long its kernels compile, in seconds, and whose kernels it shares: both only
    # deal the checks to processes.
    seconds: float = 3.0
    family: str = ""
    # A fault takes the process along, so these come last in their shard.
    may_fault: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a check measured.

    `broken` names exact properties that do not hold, `differing` counts repeated calls whose
    bits changed; both must be empty for a pass.
    """

    number: float
    controls: Mapping[str, float] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    differing: int = 0
    notes: Mapping[str, object] = field(default_factory=dict)


class UnsupportedError(Exception):
    """The build lacks what the check asks about, and says so itself."""


def judge(check: Check, outcome: Outcome) -> str:
    """Return why the outcome is no pass, or "" when it is one."""
    if outcome.broken:
        return "; ".join(outcome.broken)
    if not outcome.number <= check.limit:
        return f"{check.metric} {outcome.number:.3g} is over the limit {check.limit:.3g}"
    missed = [f"{name} {x:.3g}" for name, x in outcome.controls.items() if not x > check.floor]
    if missed:
        return f"a wrong operand was not noticed ({', '.join(missed)}): the check proves nothing"
    if outcome.differing:
        return f"{outcome.differing} repeated calls differ in their bits"
    return ""
