"""What takes longer than a second says so, on a terminal and nowhere else."""

import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dgpin.cli import progress
from dgpin.render import terminal


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


@pytest.fixture(name="shown")
def _shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    shown: list[str] = []

    @contextmanager
    def spinner(what: str) -> Iterator[None]:
        shown.append(what)
        yield

    monkeypatch.setattr(terminal, "spinner", spinner)
    return shown


@pytest.mark.parametrize(
    ("stream", "patience", "expected"),
    [(Terminal(), 0.0, ["reading"]), (Terminal(), 60.0, []), (io.StringIO(), 0.0, [])],
    ids=["slow on a terminal", "quick on a terminal", "slow in a log"],
)
def test_who_sees_progress(
    shown: list[str],
    monkeypatch: pytest.MonkeyPatch,
    stream: io.StringIO,
    patience: float,
    expected: list[str],
) -> None:
    """Only a terminal, and only once patience is over; a log never."""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE", patience)

    with progress.task("reading"):
        time.sleep(0.2)

    assert expected == shown
    assert not stream.getvalue()
