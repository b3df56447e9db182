"""Answers of steps, joined to one verdict."""

import pytest

from dgpin.verdict import Place, Row, Verdict
from dgpin.verify.answer import Answer, Point, Step, Verified, ordered, within, worst

FAIL, UNKNOWN, PASS, SKIP = Verdict.FAIL, Verdict.UNKNOWN, Verdict.PASS, Verdict.SKIP


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([PASS, PASS], PASS),
        ([PASS, SKIP], PASS),
        ([PASS, UNKNOWN, SKIP], UNKNOWN),
        ([UNKNOWN, FAIL], FAIL),
        ([PASS, Verdict.CRASH], FAIL),
        ([PASS, Verdict.TIMEOUT], FAIL),
        ([SKIP], SKIP),
        ([], SKIP),
    ],
)
def test_worst(verdicts: list[Verdict], expected: Verdict) -> None:
    """A finding beats what could not be told, and that is never a pass."""
    assert expected == worst(verdicts)


def test_the_same_thing_at_several_places_is_one_row() -> None:
    """Places are joined, each once; findings come first and otherwise the order stays."""
    told = Row("floor", UNKNOWN, "b")
    rows = [
        Row("floor", PASS, "fine", (Place("x"),)),
        told,
        Row("floor", FAIL, "a", (Place("x", 1),)),
        Row("floor", FAIL, "a", (Place("y", 2), Place("x", 1))),
    ]

    assert (
        Row("floor", FAIL, "a", (Place("x", 1), Place("y", 2))),
        told,
        rows[0],
    ) == ordered(rows)


def test_a_place_of_the_source_is_none_of_the_host() -> None:
    """It is written as git show takes it, where the commit is known."""
    place = Place("csrc/a.hpp", 3)

    assert ["0123abcd:csrc/a.hpp:3", "csrc/a.hpp:3"] == [
        str(within("0123abcdef", place)),
        str(within("", place)),
    ]


@pytest.mark.parametrize(
    ("point", "word"),
    [
        (Point(repo="r", commit="ab" * 20), "abababababab"),
        (Point(repo="r", commit="ab" * 20, given="/a b/build"), "'/a b/build'"),
        (Point(repo="r", commit=""), "REF"),
    ],
)
def test_a_side_is_a_word_of_a_command(point: Point, word: str) -> None:
    """What the screen says to run can be pasted into a shell."""
    assert word == point.word


def test_only_what_passed_is_proved() -> None:
    """An architecture that was left out, or could not be tried, is not proved."""
    rows = [
        Row(f"sm_{number}", verdict, "")
        for number, verdict in ((90, PASS), (100, SKIP), (103, UNKNOWN), (120, FAIL))
    ]
    verified = Verified(
        host="",
        old=None,
        new=Point(repo="r", commit="c"),
        required=(),
        architectures=tuple(rows),
        answers=(Answer(step=Step.SMOKE, verdict=PASS, summary=""),),
        when="",
        seconds=0.0,
    )

    assert ("sm_100", "sm_103", "sm_120") == verified.unproved
