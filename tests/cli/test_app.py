"""The frame: which commands there are, and what a failure looks like."""

import pytest

from dgpin.cli import app


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run dgpin in this process and return its code and both streams."""
    code = app.main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command is there with its line."""
    code, out, _ = run(capsys, "--help")

    assert code == 0
    assert [name for name in app.COMMANDS if name not in out] == []


@pytest.mark.parametrize("command", app.COMMANDS)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Help of a command says what it does and ends with 0."""
    code, out, _ = run(capsys, command, "--help")

    assert code == 0
    assert "--host" in out or "Usage" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("check", "--nonsense"), "No such option: --nonsense"),
        (("check", "--nonsense"), "See `dgpin check --help`."),
        (("nonsense",), "See `dgpin --help`."),
        (("check", "--host"), "requires an argument"),
        (("ci", "nonsense"), ": 'nonsense' is not one of 'github'"),
        (("check", "-o", "yaml"), "-o yaml: this command has no form `yaml`"),
        (("check", "-o", "json", "--json"), "two forms would both go to stdout"),
        (("check", "--host", "/nonexistent"), "--host /nonexistent: there is no such directory"),
    ],
)
def test_wrong_use_is_one_sentence_and_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    """No traceback, no box: the program's name, what is wrong, and a cure."""
    code, out, err = run(capsys, *words)

    assert (code, out) == (2, "")
    assert err.startswith("dgpin: ")
    assert says in err
    assert "Traceback" not in err


def test_no_command_is_the_help_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a word, dgpin says what it can do, and that something is missing."""
    code, out, err = run(capsys)

    assert code == 2
    assert "Usage" in out + err


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` is the package's version."""
    from dgpin import __version__

    assert run(capsys, "--version") == (0, f"dgpin {__version__}\n", "")


def test_a_fault_of_our_own_is_70(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected exception is said as such, with how to report it."""
    monkeypatch.setattr(app, "build", lambda _names: 1 / 0)

    code, _, err = run(capsys, "check")

    assert code == 70
    assert "a fault of dgpin's own: ZeroDivisionError" in err


def test_an_interrupt_is_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """^C ends with 130 and one word."""

    def interrupt(_names: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "build", interrupt)

    assert run(capsys, "check") == (130, "", "dgpin: interrupted\n")


def test_help_texts_hold_no_markup() -> None:
    """typer reads square brackets in help as rich markup, and drops what is in them."""
    import inspect
    from importlib import import_module

    texts = [
        option.help or ""
        for command in app.COMMANDS.values()
        for parameter in inspect.signature(
            getattr(import_module(f"dgpin.cli.{command.module}"), command.module)
        ).parameters.values()
        for option in getattr(parameter.annotation, "__metadata__", ())
    ]

    assert texts
    assert [text for text in texts if set("[]") & set(text)] == []
