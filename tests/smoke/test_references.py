"""The schedule's invariants: right schedules have no fault, and each way of being wrong has."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgpin.smoke.references import schedule_faults, worst

SPLIT = 256


def right(lengths: Sequence[int], workers: int) -> list[list[int]]:
    """Return a schedule that gives each worker its share, the larger shares last."""
    tasks = [
        [request, part]
        for request, length in enumerate(lengths)
        for part in range(-(-length // SPLIT))
    ]
    share, rest = divmod(len(tasks), workers)
    starts = [w * share + max(0, w - (workers - rest)) for w in range(workers)]
    past = [len(lengths), 0]
    return [*(tasks[at] if at < len(tasks) else past for at in starts), past]


LENGTHS = st.lists(st.integers(0, 3000), min_size=1, max_size=40)


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 132))
def test_right_schedule(lengths: list[int], workers: int) -> None:
    """A schedule that deals all tasks evenly has no fault, empty requests or not."""
    made = right(lengths, workers)

    assert "" == schedule_faults(made, lengths, split=SPLIT, atoms=1)


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 132))
def test_no_context_at_all(lengths: list[int], workers: int) -> None:
    """With nothing to do, every worker starts past the last request."""
    empty = [0] * len(lengths)

    assert "" == schedule_faults(right(empty, workers), empty, split=SPLIT, atoms=None)


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
        ([[0, 0], [1, 0], [2, 1]], "the schedule ends with (2, 1), not past the last request"),
        ([[0, 1], [1, 0], [2, 0]], "the schedule covers 1 to 4 of 4 splits"),
        ([[0, 0], [2, 3], [2, 0]], "the entry (2, 3) lies past the last request"),
        ([[0, 0], [0, 1], [2, 0]], "the shares of the SMs run from 1 to 3 splits"),
        ([[0, 0], [2, 0], [1, 0], [2, 0]], "the shares of the SMs run from -2 to 4 splits"),
    ],
)
def test_wrong_schedule(schedule: list[list[int]], fault: str) -> None:
    """A schedule that leaves work out, repeats it or hoards it is told so."""
    assert fault == schedule_faults(schedule, [512, 512], split=SPLIT, atoms=1)


def test_worst() -> None:
    """NaN is worse than any number, wherever it stands."""
    assert 3.0 == worst([1.0, 3.0, 2.0])
    assert str(worst([1.0, float("nan"), 2.0])) == "nan"
