"""The whole answer of a comparison: differences, exceptions, capabilities, and its verdict."""

from dataclasses import dataclass

from dgpin.api.allow import Allowed
from dgpin.api.capabilities import Capabilities, Moved
from dgpin.api.change import Change, Comparison
from dgpin.verdict import Row, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `dgpin diff-api` answers. `capabilities` are those of A and of B."""

    comparison: Comparison
    allowed: Allowed
    capabilities: tuple[Capabilities, Capabilities]
    moved: tuple[Moved, ...] = ()
    disagreements: tuple[Row, ...] = ()  # between a build and the source it was made from

    @property
    def deciding(self) -> tuple[Change, ...]:
        """The breaking changes of the public surface that nobody has accepted."""
        reasons = self.allowed.reasons
        return tuple(c for c in self.comparison.breaking if c.fingerprint not in reasons)

    @property
    def is_incomplete(self) -> bool:
        """Whether something was there and could not be read."""
        return bool(self.comparison.unreadable)

    @property
    def verdict(self) -> Verdict:
        """Fail for what breaks, for an exception that no longer holds, and for a build that is not
        its source; incomplete is never a pass."""
        if self.deciding or self.allowed.rows or self.disagreements:
            return Verdict.FAIL
        return Verdict.UNKNOWN if self.is_incomplete else Verdict.PASS
