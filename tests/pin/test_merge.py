"""A host's list meets what its source says before and after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.pin.merge import Merge, merge

ITEMS = st.lists(st.sampled_from("abcdefgh"), unique=True)
FOREIGN = st.lists(st.sampled_from(["host1", "host2"]), unique=True)


def applied(current: list[str], merged: Merge) -> list[str]:
    """Return the list that a merge makes."""
    renamed = dict(merged.renamed)
    kept = [renamed.get(item, item) for item in current if item not in merged.removed]
    return [*kept, *merged.added]


@pytest.mark.parametrize(
    ("current", "old", "new", "expected"),
    [
        ("cutlass fmt", "cutlass fmt", "cutlass deep_jit", "cutlass deep_jit"),
        ("a", "a", "a b c", "a b c"),
        ("a b extra", "a b", "a", "a extra"),
        ("extra a", "a", "a b", "extra a b"),
        ("a b", "a", "a b", "a b"),
        ("torch nvrtc cudart", "cudart nvrtc", "cudart", "torch cudart"),
    ],
)
def test_an_item_leaves_or_enters_only_with_the_source(
    current: str, old: str, new: str, expected: str
) -> None:
    """What the host added stays, what the source dropped leaves, what it gained enters."""
    merged = merge(current.split(), old=old.split(), new=new.split())

    assert expected.split() == applied(current.split(), merged)


@given(ITEMS, ITEMS, FOREIGN)
def test_a_list_in_step_with_the_source_stays_in_step(
    old: list[str], new: list[str], foreign: list[str]
) -> None:
    """A list of the old items and the host's becomes one of the new items and the host's."""
    current = [*old, *foreign]

    after = applied(current, merge(current, old=old, new=new))

    assert {*new, *foreign} == set(after)


@given(ITEMS, ITEMS, FOREIGN)
def test_there_and_back_is_the_same_set(old: list[str], new: list[str], foreign: list[str]) -> None:
    """Bumping to a source and back leaves every item that was there, and no other."""
    current = [*old, *foreign]
    there = applied(current, merge(current, old=old, new=new))

    back = applied(there, merge(there, old=new, new=old))

    assert set(current) == set(back)


@given(ITEMS, FOREIGN)
def test_no_change_of_the_source_is_no_change_of_the_host(
    items: list[str], foreign: list[str]
) -> None:
    """Equal facts merge to nothing, whatever the host holds."""
    assert merge(foreign, old=items, new=items).is_empty
