"""Verdict rows in every form."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

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


def _shown(markdown: str) -> list[str]:
    """Return the text of each cell of a one-row table as GitHub shows it, blanks and ` aside."""
    head = "| x |\n| --- |\n"
    tokens = MarkdownIt().enable(["table", "strikethrough"]).parse(f"{head}| {markdown} |\n")
    cells = [token.children or [] for token in tokens if token.type == "inline"]
    return [re.sub("[ `]", "", "".join(each.content for each in cell)) for cell in cells[1:]]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("std::min<int>(a)", "std::min\\<int>(a)"),
        ("deep_gemm/__init__.py", "deep_gemm/\\_\\_init\\_\\_.py"),
        ("fp8_gemm_nt", "fp8_gemm_nt"),
        ("`dgpin ci <x>` writes *it*", "`dgpin ci <x>` writes \\*it\\*"),
        ("a ` b", "a \\` b"),
        ("a\r\nb", "a b"),
    ],
)
def test_what_is_no_markup_is_none_in_markdown(text: str, cell: str) -> None:
    """Code that a message names is not taken for tags, bold or strokes."""
    assert cell == rendered.cell(text)


@given(st.text("ab_*<>`|\\~ -1", max_size=12).filter(lambda text: text.strip(" `")))
def test_a_cell_shows_its_text(text: str) -> None:
    """Whatever a text holds, its cell is one, and shows all of it, as prose and as code."""
    wanted = re.sub("[ `]", "", text)

    assert [wanted] == _shown(rendered.cell(text))
    assert [wanted] == _shown(rendered.code(text))


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
