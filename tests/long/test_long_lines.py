"""One line of megabytes: what reads it takes time by its length, not by its square."""

import pytest

from tests.fuzz.lines import LINES, Long, seconds

SIZE = 100_000
SOON = 0.2  # seconds of processor time within which nothing is asked of the growth
FACTOR = 8  # for four times the size; the square would be sixteen


@pytest.mark.parametrize("long", LINES, ids=[long.name for long in LINES])
def test_a_long_line_takes_no_square(long: Long) -> None:
    """Four times as long a line takes four times as long, or dgpin refuses it at once."""
    # The square shows in each reading; a neighbour on the machine in one, perhaps.
    assert any(_grows_by_its_length(long) for _ in range(3))


def _grows_by_its_length(long: Long) -> bool:
    whole = seconds(long, SIZE)
    return whole < SOON or whole / seconds(long, SIZE // 4) < FACTOR
