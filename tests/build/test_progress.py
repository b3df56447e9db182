"""What is seen while targets compile."""

import sys

import pytest

from dgpin.build.compiling import Event
from dgpin.render import compiling

NAME = "_C[/b].so"  # brackets are markup to rich, and must not be


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(("code", "word"), [(0, "compiled"), (1, "failed")])
def test_each_target_has_a_line_with_its_time(
    terminal: bool,
    code: int,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On a terminal and off it, a target is named when it starts and when it ends."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)

    with compiling.progress() as tell:
        tell(Event(target=NAME, ended=False))
        tell(Event(target=NAME, ended=True, code=code, seconds=1.5))

    said = capsys.readouterr()
    assert "" == said.out
    assert f"{word} {NAME} in 1.5 s" in said.err


def test_progress_that_nobody_hears_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever followed the lines may have gone; what compiles goes on."""

    def gone(_text: str) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(sys.stderr, "write", gone)

    with compiling.progress() as tell:
        tell(Event(target=NAME, ended=False))
