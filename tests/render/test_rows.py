"""Verdict rows in every form."""

import pytest

from dgpin.render import rows as rendered
from dgpin.render.terminal import plain
from dgpin.verdict import Place, Row, Verdict

BAD = Row(
    rule="sites-agree",
    verdict=Verdict.FAIL,
    message="commit: a | b",
    places=(Place("x,y:z", 3), Place("f")),
    hint="Mend it.",
)
GOOD = Row(rule="floor", verdict=Verdict.PASS, message="fine", places=(Place("f", 1),))


def test_text_has_places_and_cure_below_a_finding() -> None:
    """A pass is one line; a finding has its places and its cure."""
    assert plain(rendered.lines([GOOD, BAD])).splitlines() == [
        "pass    floor               fine  f:1",
        "FAIL    sites-agree         commit: a | b",
        " " * 28 + "x,y:z:3",
        " " * 28 + "f",
        " " * 28 + "Mend it.",
    ]


def test_a_common_cure_stands_once() -> None:
    """Rows in a row with one cure show it below the last of them."""
    text = plain(rendered.lines([BAD, BAD, BAD]))

    assert text.count("Mend it.") == 1
    assert text.endswith("Mend it.\n")


def test_a_table_cell_cannot_end_its_cell() -> None:
    """Bars are escaped and line breaks are none."""
    table = rendered.markdown([BAD])

    assert "commit: a \\| b" in table
    assert rendered.cell("a\nb") == "a b"


def test_an_annotation_escapes_what_github_would_read() -> None:
    """Commas and colons in a path, and line breaks in a message, stay data."""
    assert rendered.annotations([BAD, GOOD]) == (
        "::error file=x%2Cy%3Az,line=3,title=dgpin sites-agree::commit: a | b%0AMend it.\n"
    )


@pytest.mark.parametrize(("findings", "shown"), [(0, 0), (1, 1), (10, 10), (11, 10), (50, 10)])
def test_at_most_ten_annotations(findings: int, shown: int) -> None:
    """GitHub drops what is over ten, so the tenth says how many are left."""
    text = rendered.annotations([BAD] * findings)

    assert shown == len(text.splitlines())
    assert (f"{findings - 9} more" in text) == (findings > 10)


def test_the_count_names_every_verdict_that_there_is() -> None:
    """Findings first, passes last."""
    assert rendered.count([GOOD, BAD, GOOD]) == "1 fail, 2 pass"
    assert rendered.count([]) == "nothing to judge"
