"""Findings that a host lives with."""

from datetime import date

import pytest

from dgpin.api import allow
from dgpin.api.change import Change, Effect, Level
from dgpin.config import Accepted

TODAY = date(2026, 11, 30)


def change(rule: str = "parameter-removed", level: Level = Level.BREAKING) -> Change:
    """Return a finding."""
    return Change(
        rule=rule,
        level=level,
        effect=Effect.REFUSED,
        path="deep_gemm.f",
        names=("deep_gemm.f",),
        detail="without `b`",
        parameter="b",
    )


def entry(name: str, expires: str = "") -> Accepted:
    """Return an exception."""
    return Accepted(name=name, reason="we pass it by place", expires=expires)


@pytest.mark.parametrize("expires", ["", "2026-11-30", "2027-01-01"])
def test_accepted(expires: str) -> None:
    """An exception holds through its last day."""
    found = allow.apply([entry(change().fingerprint, expires)], [change()], today=TODAY)

    assert {change().fingerprint: "we pass it by place"} == found.reasons
    assert () == found.rows


@pytest.mark.parametrize(
    ("name", "expires", "says"),
    [
        ("0000000000000000", "", "names no finding"),
        (change().fingerprint, "2026-11-29", "expired on 2026-11-29 (we pass it by place)"),
        (change().fingerprint, "soon", "is no day"),
    ],
)
def test_no_longer(name: str, expires: str, says: str) -> None:
    """An exception that is unused, over or unreadable is a finding, and accepts nothing."""
    found = allow.apply([entry(name, expires)], [change()], today=TODAY)

    assert {} == found.reasons
    assert [True] == [says in row.message for row in found.rows]


def test_compatible_needs_none() -> None:
    """What breaks nothing cannot be accepted: the exception would hide nothing."""
    quiet = change("parameter-added", Level.COMPATIBLE)
    found = allow.apply([entry(quiet.fingerprint)], [quiet], today=TODAY)

    assert 1 == len(found.rows)


def test_fingerprint() -> None:
    """A fingerprint is that of the finding, whatever its words and further names."""
    assert change().fingerprint == change().fingerprint
    assert change().fingerprint != change("parameter-renamed").fingerprint
    assert 16 == len(change().fingerprint)
