"""Sites are found once, or what stands in the way is named."""

import pytest

from dgpin.pin.sites import ConflictError, Problem, describe
from tests.pin.hosts import NEW, OLD, reading


def problem(text: str, sites: str) -> Problem | None:
    """Return the problem of the only entry."""
    return reading({"f": text}, sites).found[0].problem


@pytest.mark.parametrize(
    ("text", "entry", "expected"),
    [
        (f"V={OLD}", "'V=<commit>'", None),
        ("", "'V=<commit>'", Problem.MISSING),
        (f"V={OLD}\nV={OLD}", "'V=<commit>'", Problem.TWICE),
        (f"V={OLD}\nV={OLD}", "{ at = 'V=<commit>', many = true }", None),
        ("", "{ at = 'V=<commit>', optional = true }", None),
        ("", "{ at = 'V=<commit>', many = true }", Problem.MISSING),
        ("L [a]\nL [b]", "{ each = '<libraries>', in = 'L [ … ]' }", Problem.TWICE),
        ("L []\nL [b]", "{ each = '<libraries>', in = 'L [ … ]' }", None),
        ("L [", "{ each = '<libraries>', in = 'L [ … ]' }", Problem.MISSING),
    ],
)
def test_an_entry_matches_exactly_once(text: str, entry: str, expected: Problem | None) -> None:
    """Once is right; `many` and `optional` say otherwise; a list stands in one scope."""
    assert expected is problem(text, f'"f" = {entry}')


def test_a_file_that_is_not_there_is_a_problem_unless_it_may_be() -> None:
    """`path?` says that the file may be absent."""
    found = reading({}, "\"f\" = 'V=<commit>'\n\"g?\" = 'V=<commit>'").found

    assert [entry.problem for entry in found] == [Problem.NO_FILE, None]


def test_a_missing_site_is_shown_where_it_was() -> None:
    """The line that comes closest to the entry's text is named."""
    read = reading({"f": f"one\nGIT_TAX={OLD}\n"}, "\"f\" = 'GIT_TAG=<commit>'")

    assert describe(read, read.found[0]).startswith("f:2 (closest line): `GIT_TAG=<commit>`")


def test_a_site_knows_its_line() -> None:
    """Places are file and line of the value."""
    read = reading({"f": f"\n\nV={OLD}\n"}, "\"f\" = 'V=<commit>'")

    assert [str(site.place) for site in read.sites()] == ["f:3"]


def test_conflict_markers_name_both_sides() -> None:
    """An unfinished merge of two pins is refused with the names of both."""
    text = f"<<<<<<< ours\nV={OLD}\n=======\nV={NEW}\n>>>>>>> theirs\n"

    with pytest.raises(ConflictError, match="f:1: unfinished merge between `ours` and `theirs`"):
        reading({"f": text}, "\"f\" = 'V=<commit>'")
