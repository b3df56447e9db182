"""Exceptions that the host lives with: `[allow]` names one finding, says why, and until when."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from dgpin.api.change import Change, Level
from dgpin.config import Accepted
from dgpin.verdict import Row, Verdict

_RULE = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What the exceptions make of the findings.

    `reasons` maps the fingerprints of accepted findings to why they are; `rows` are exceptions
    that are findings themselves: one that names nothing, or is past its day.
    """

    reasons: dict[str, str]
    rows: tuple[Row, ...]


def apply(
    accepted: Sequence[Accepted],
    changes: Sequence[Change],
    *,
    today: date,
    uses: Collection[str] = (),
) -> Allowed:
    """Hold the exceptions against the findings; only breaking and risky ones need any.

    `uses` are the fingerprints of the host's uses that break.
    """
    known = {c.fingerprint for c in changes if c.level in {Level.BREAKING, Level.RISKY}}
    known.update(uses)
    reasons: dict[str, str] = {}
    rows: list[Row] = []
    for entry in accepted:
        if entry.name not in known:
            rows.append(
                Row(
                    rule=_RULE,
                    verdict=Verdict.FAIL,
                    message=f"[allow] {entry.name} names no finding of this comparison",
                    hint="Take it out of dgpin.toml.",
                )
            )
        elif (problem := _expiry(entry, today)) is not None:
            rows.append(problem)
        else:
            reasons[entry.name] = entry.reason
    return Allowed(reasons=reasons, rows=tuple(rows))


def _expiry(entry: Accepted, today: date) -> Row | None:
    if not entry.expires:
        return None
    try:
        last = date.fromisoformat(entry.expires)
    except ValueError:
        message = f"[allow] {entry.name}: {entry.expires!r} is no day; write it as 2027-01-31"
        return Row(rule=_RULE, verdict=Verdict.FAIL, message=message)
    if last >= today:
        return None
    return Row(
        rule=_RULE,
        verdict=Verdict.FAIL,
        message=f"[allow] {entry.name} expired on {entry.expires} ({entry.reason})",
        hint="Cure the finding, or say anew why it may stay and until when.",
    )
