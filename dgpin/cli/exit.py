"""Exit codes from verdicts; see docs/reference/exit-codes.md."""

from collections.abc import Iterable

from dgpin.verdict import Verdict

DONE, FINDINGS, INCOMPLETE = 0, 1, 3


def code(verdicts: Iterable[Verdict], *, asked: bool) -> int:
    """Return 1 for findings, else 3 where something asked for could not be told, else 0."""
    seen = set(verdicts)
    if any(verdict.is_finding for verdict in seen):
        return FINDINGS
    return INCOMPLETE if asked and Verdict.UNKNOWN in seen else DONE
