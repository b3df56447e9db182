"""What a run found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dgpin.smoke.case import Check
from dgpin.smoke.explain import Explanation
from dgpin.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One check's answer. Seconds are wall time, `warm_ms` is sorted; raw is what was said."""

    check: Check
    verdict: Verdict
    message: str = ""
    explanation: Explanation | None = None
    number: float | None = None
    controls: Mapping[str, float] = field(default_factory=dict)
    differing: int = 0
    seconds: float = 0.0
    cold_seconds: float = 0.0
    warm_ms: tuple[float, ...] = ()
    kernels: tuple[str, ...] = ()
    notes: Mapping[str, object] = field(default_factory=dict)
    raw: str = ""

    @property
    def control(self) -> float | None:
        """The weakest control."""
        return min(self.controls.values(), default=None)

    @property
    def warm(self) -> float | None:
        """The median of the warm calls, in milliseconds."""
        return self.warm_ms[len(self.warm_ms) // 2] if self.warm_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What the interpreter under test loaded, and on what."""

    torch: str
    cuda: str
    python: str
    version: str
    package: str
    extension: str
    arch: str
    gpu: str
    names: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why no check could run: what could not be loaded, and its explanation."""

    where: str
    explanation: Explanation
    raw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """All results of one build, in the order of the checks."""

    label: str
    results: tuple[Result, ...]
    loaded: Loaded | None
    trouble: Trouble | None
    seconds: float
    shards: int

    def proven(self) -> bool:
        """Whether the build stood its test on this architecture: passes, and no finding."""
        return any(r.verdict is Verdict.PASS for r in self.results) and not any(
            r.verdict.is_finding for r in self.results
        )
