"""Colour is shown where it is wanted, and data is never markup."""

import io

import pytest

from dgpin.render import terminal


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


@pytest.mark.parametrize(
    ("env", "tty", "expected"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_who_wants_colour(
    env: dict[str, str], tty: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR beats FORCE_COLOR, which beats what the stream is."""
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    assert expected == terminal.wants_colour(Terminal() if tty else io.StringIO())


LINES: tuple[terminal.Line, ...] = ((("x[/b]", "bold red"), (" [red]plain", "")), ())


def test_without_colour_the_text_is_the_text() -> None:
    """Brackets in a path are no markup."""
    stream = io.StringIO()

    terminal.write(LINES, stream)

    assert stream.getvalue() == "x[/b] [red]plain\n\n"


def test_with_colour_the_text_is_painted_and_whole() -> None:
    """Escapes are added around the text, and nothing of it is lost or wrapped."""
    stream = Terminal()
    long = ((("y" * 300, "green"),),)

    terminal.write((*LINES, *long), stream)

    assert "\x1b[1;31mx[/b]\x1b[0m [red]plain" in stream.getvalue()
    assert "y" * 300 in stream.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("FAIL\x1b[2K\x1b[1Gpass", "FAIL\\x1b[2K\\x1b[1Gpass"),
        ("FAIL\rpass", "FAIL\\x0dpass"),
        ("a\x9b2Kb\x07\x7f", "a\\x9b2Kb\\x07\\x7f"),
        ("a\tb\r\nc", "a\tb\r\nc"),
        ("\u00fcn\u00ef \u2192 ok", "\u00fcn\u00ef \u2192 ok"),
    ],
)
def test_text_of_others_moves_no_cursor(text: str, shown: str) -> None:
    """A verdict is not painted over by what a file, a program or evidence says."""
    assert f"{shown}\n" == terminal.plain([((text, ""),)])


def test_painted_text_of_others_moves_no_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where there is colour."""
    stream = io.StringIO()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)

    terminal.write([(("FAIL\x1b[2K\rpass", ""),)], stream)

    assert "FAIL\\x1b[2K\\x0dpass\n" == stream.getvalue()
