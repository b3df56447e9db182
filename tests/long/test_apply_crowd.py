"""Bumps beside readers, editors, git and each other."""

from pathlib import Path

import pytest

from tests.crash import crowd


def test_readers_never_see_a_mix(tmp_path: Path) -> None:
    """What `check` reads during bumps is one pin, or it is told that another dgpin writes."""
    views, bad = crowd.readers(crowd.make(tmp_path), 50)

    assert [] == bad
    assert views > 0


@pytest.mark.parametrize("in_place", [True, False], ids=["in-place", "by-rename"])
def test_no_save_is_lost_beside_bumps(tmp_path: Path, in_place: bool) -> None:
    """An editor that saves again and again finds each of its saves still there."""
    _, bad = crowd.editor(crowd.make(tmp_path), 100, in_place=in_place)

    assert [] == bad


def test_two_bumps_at_once_leave_one_of_the_two(tmp_path: Path) -> None:
    """Never a mix, nothing left over."""
    _, bad = crowd.rivals(crowd.make(tmp_path), 30)

    assert [] == bad


def test_a_bump_during_a_checkout_writes_no_torn_file(tmp_path: Path) -> None:
    """git takes files away and puts others there: each ends as one that somebody wrote."""
    _, bad = crowd.checkout(crowd.make(tmp_path), 8)

    assert [] == bad
