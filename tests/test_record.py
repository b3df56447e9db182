"""What the cache keeps comes back as it was, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from dgpin import record
from dgpin.verdict import Place, Row, Verdict


class Named(NamedTuple):
    """A value with a value in it."""

    place: Place
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One of everything that is kept."""

    verdict: Verdict
    named: Named
    maybe: Place | None
    document: Mapping[str, object] | None
    seconds: float


WHOLE = Whole(
    verdict=Verdict.UNKNOWN,
    named=Named(
        Place("a.py", 3),
        (Row(rule="r", verdict=Verdict.FAIL, message="m", places=(Place("b.py", 0),)),),
    ),
    maybe=None,
    document={"list": [1, {"inner": None}]},
    seconds=0.5,
)


def test_there_and_back() -> None:
    """Dataclasses, NamedTuples in each other, enums, mappings and None are the same again."""
    assert WHOLE == record.from_json(Whole, record.to_json(WHOLE))


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["nonesuch", [["a", 1], []], None, None, 0.5],
        ["pass", [["a", "1"], []], None, None, 0.5],
        ["pass", [["a", 1], []], None, [], 0.5],
        {"verdict": "pass"},
        None,
    ],
)
def test_another_shape(value: Any) -> None:
    """What was not written by `to_json` is refused, whatever it is."""
    with pytest.raises((TypeError, ValueError)):
        record.from_json(Whole, value)
