"""What the steps share is made once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dgpin.errors import UnavailableError
from dgpin.verify.material import Once


def test_it_is_made_once() -> None:
    """However many threads ask, one makes it and all get the same."""
    made: list[int] = []
    start = threading.Barrier(4)

    def make() -> object:
        made.append(1)
        return object()

    once = Once(make)

    def ask(_: int) -> object:
        start.wait()
        return once()

    with ThreadPoolExecutor(4) as pool:
        given = set(pool.map(ask, range(4)))

    assert (1, [1]) == (len(given), made)


def test_a_failure_is_kept() -> None:
    """Who asks later gets the failure, and nothing is tried again."""
    tried: list[int] = []

    def fail() -> int:
        tried.append(1)
        message = "no torch"
        raise UnavailableError(message)

    once = Once(fail)

    for _ in range(2):
        with pytest.raises(UnavailableError, match="no torch"):
            once()
    assert [1] == tried
