"""One run's evidence: which build, which GPU, which toolchain, when, and every verdict."""

from dataclasses import dataclass

from dgpin.smoke.compare import Difference, Pair
from dgpin.smoke.device import Device
from dgpin.smoke.results import Ran, Result
from dgpin.smoke.target import Target
from dgpin.verdict import Row, Verdict

# A skipped check, or one whose answer says nothing, leaves its question open.
_ANSWERS = frozenset({Verdict.PASS, Verdict.UNSUPPORTED})
ARCHITECTURES = ("sm_90", "sm_100", "sm_103", "sm_120")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `dgpin smoke` found.

    `facts` is level 0. `ran` is None at level 0 or when `blocked` says why nothing could run;
    `against` and `pairs` belong to a run against an older build. `when` is UTC, ISO 8601. `core`
    names the checks of which each must answer before anything is proven.
    """

    target: Target
    arch: str
    level: int
    facts: tuple[Row, ...]
    when: str
    device: Device | None = None
    ran: Ran | None = None
    against: Ran | None = None
    pairs: tuple[Pair, ...] = ()
    blocked: str = ""
    core: frozenset[str] = frozenset()

    @property
    def results(self) -> tuple[Result, ...]:
        """The checks' answers, none when nothing ran."""
        return self.ran.results if self.ran else ()

    @property
    def proven(self) -> tuple[str, ...]:
        """The architectures on which this run shows the build sound: the whole core answered."""
        answered = {r.check.id for r in self.results if r.verdict in _ANSWERS}
        sound = self.ran is not None and self.ran.proven() and not self._facts_fail()
        return (self.arch,) if sound and self.core <= answered else ()

    @property
    def unproven(self) -> tuple[str, ...]:
        """The architectures about which this run shows nothing good."""
        return tuple(arch for arch in ARCHITECTURES if arch not in self.proven)

    @property
    def untried(self) -> tuple[str, ...]:
        """Checks that were never run on this architecture before."""
        return tuple(r.check.id for r in self.results if self.arch not in r.check.ran_on)

    def _facts_fail(self) -> bool:
        return any(row.verdict.is_finding for row in self.facts)

    def exit_code(self) -> int:
        """Return 1 for findings, 3 where the question could not be answered, else 0.

        Against an older build only what became worse is a finding. A run in which nothing passed
        has shown nothing.
        """
        trouble = self.ran is not None and self.ran.trouble is not None
        if self.pairs:
            worse = any(pair.difference.is_finding for pair in self.pairs)
            told = any(pair.difference is not Difference.UNKNOWN for pair in self.pairs)
            return 1 if worse or trouble else 0 if told else 3
        if self._facts_fail() or trouble or any(r.verdict.is_finding for r in self.results):
            return 1
        if self.blocked:
            return 3
        if self.ran is None:
            return 0
        return 0 if any(r.verdict is Verdict.PASS for r in self.results) else 3
