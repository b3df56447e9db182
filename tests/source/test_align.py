"""Which lines of one text stand in another."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.source import align

LINES = st.lists(st.sampled_from(["alpha();", "beta();", "gamma();", "}", "x = 1;"]), max_size=12)


@given(LINES, LINES)
def test_matches_are_equal_and_in_order(old: list[str], new: list[str]) -> None:
    """Every pair holds equal lines, and both sides rise."""
    found = align.matches(old, new)

    assert all(old[left] == new[right] for left, right in found)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in itertools.pairwise(found))


@given(LINES)
def test_same_text(lines: list[str]) -> None:
    """A text stands in itself whole."""
    assert [(n, n) for n in range(len(lines))] == align.matches(lines, lines)


@given(LINES, LINES, LINES)
def test_insertion(head: list[str], middle: list[str], tail: list[str]) -> None:
    """Of two texts between which only lines were put in, none is missed."""
    found = align.matches([*head, *tail], [*head, *middle, *tail])

    assert len(head) + len(tail) == len(found)


def test_unique_lines_anchor() -> None:
    """A function that moved past another takes only itself along, not the braces."""
    one, two = ["first() {", "a = 1;", "}"], ["second() {", "b = 2;", "c = 3;", "}"]

    found = align.matches([*one, *two], [*two, *one])

    assert {"second() {", "b = 2;", "c = 3;"} <= {[*one, *two][left] for left, _ in found}


@pytest.mark.parametrize(
    ("line", "trivial"),
    [
        ("}", True),
        ("});", True),
        ("", True),
        ("else{", True),
        ("return;", True),
        ("#if", True),
        ("x=lo;", True),
        ("q_idx=lo;", False),
        ("return0;", False),
        ("__syncwarp();", False),
    ],
)
def test_trivial(line: str, trivial: bool) -> None:
    """Braces and bare keywords say nothing; what names something does."""
    assert trivial == align.is_trivial(line)


def test_normal() -> None:
    """White space of every kind is left aside."""
    assert align.normal("if (a  <\tb)") == align.normal("  if(a<b) ")
