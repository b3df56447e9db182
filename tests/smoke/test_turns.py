"""What may fault has the device to itself, and everybody's turn comes."""

import random
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgpin.smoke.turns import Turns


@pytest.fixture(name="shards")
def _shards(tmp_path: Path) -> tuple[Path, Path, Path]:
    return tmp_path / "a", tmp_path / "b", tmp_path / "c"


def never() -> bool:
    return False


def told(*shards: Path) -> list[str]:
    """Return which of these shards were told to go."""
    return [go.name for go in shards if go.exists()]


def begun(*shards: Path, ahead: int = 0) -> Turns:
    """Return the turns of a run in which these shards work and some are still to come."""
    turns = Turns(limit=9, ahead=len(shards) + ahead)
    for go in shards:
        turns.begin(go, never)
    return turns


def test_who_works_is_waited_for(shards: tuple[Path, Path, Path]) -> None:
    """A shard is told to go when the last that works has ended, and not before."""
    a, b, c = shards
    turns = begun(a, b, c)
    turns.wait(a)
    turns.end(b)

    assert [] == told(*shards)

    turns.end(c)

    assert ["a"] == told(*shards)


def test_who_is_to_come_is_waited_for(shards: tuple[Path, Path, Path]) -> None:
    """A shard that has not begun counts like one that works."""
    a, b, _ = shards
    turns = begun(a, ahead=1)
    turns.wait(a)

    assert [] == told(*shards)

    turns.begin(b, never)
    turns.end(b)

    assert ["a"] == told(*shards)


def test_one_at_a_time(shards: tuple[Path, Path, Path]) -> None:
    """Those that wait go in the order in which they asked, each when the one before has ended."""
    a, b, c = shards
    turns = begun(a, b, c)
    for go in (b, c, a):
        turns.wait(go)
    order = [told(*shards)]
    for go in (b, c):
        turns.resume(go)  # it saw the file, which is gone by that
        turns.end(go)
        order.append(told(*shards))

    assert [["b"], ["c"], ["a"]] == order


def test_a_fresh_process_works(shards: tuple[Path, Path, Path]) -> None:
    """Whose process died while it waited works on in a fresh one, and holds up the others."""
    a, b, _ = shards
    turns = begun(a, b)
    turns.wait(a)
    turns.resume(a)
    turns.wait(b)

    assert [] == told(*shards)

    turns.end(a)

    assert ["b"] == told(*shards)


def test_places_are_limited(shards: tuple[Path, Path, Path]) -> None:
    """Without a place a shard begins only when another waits or has ended."""
    a, b, _ = shards
    turns = Turns(limit=1, ahead=2)
    turns.begin(a, never)
    late = threading.Thread(target=turns.begin, args=(b, never))
    late.start()
    late.join(0.1)
    blocked = late.is_alive()
    turns.wait(a)
    late.join(5)

    assert (True, False) == (blocked, late.is_alive())


def test_a_stop_is_seen_without_a_place(shards: tuple[Path, Path, Path]) -> None:
    """A run that was interrupted keeps nobody waiting for a place."""
    a, b, _ = shards
    turns = Turns(limit=1, ahead=2)
    turns.begin(a, never)
    turns.begin(b, lambda: True)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_everybody_is_alone_in_turn(asks: list[int], chance: random.Random) -> None:
    """However often shards ask to be alone, and whoever moves next, each gets all its turns."""
    with tempfile.TemporaryDirectory() as place:
        left = {Path(place, str(at)): count for at, count in enumerate(asks)}
        turns = begun(*left)
        waiting: set[Path] = set()
        while left:
            able = [go for go in left if go not in waiting or go.exists()]
            assert able  # someone can always move
            assert len(able) == 1 or not waiting & set(able)  # and while one is alone, only that
            go = chance.choice(able)
            if go in waiting:
                waiting.remove(go)
                turns.resume(go)
            elif left[go]:
                left[go] -= 1
                waiting.add(go)
                turns.wait(go)
            else:
                del left[go]
                turns.end(go)
