"""Texts and paths are taken without typer's converter, and come out the same."""

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dgpin.cli import app
from dgpin.cli.plain import take_plainly


def _parameters() -> list[Any]:
    take_plainly()
    group: Any = get_command(app.build(app.COMMANDS))
    found = [p for command in group.commands.values() for p in command.params]
    # Before 0.29 typer converts in another way, which is left as it is.
    return [p for p in found if hasattr(p, "get_runtime_param")]


def _values(parameter: Any) -> list[Any]:
    if parameter.multiple or parameter.nargs == -1:
        return [None, (), ("a",), ("a/b", "..")]
    return [None, "a", "a/b", "..", "~", "a b"]


def _is_text(parameter: Any) -> bool:
    many = parameter.multiple or parameter.nargs == -1
    annotation = parameter.type_descriptor.annotation
    return annotation in ((list[str], list[Path]) if many else (str, Path))


def test_same_as_typer() -> None:
    """Every text and path of every command is what typer's own converter makes of it."""
    differ = [
        (parameter.name, value)
        for parameter in _parameters()
        if _is_text(parameter)
        for value in _values(parameter)
        for plain in [parameter.get_runtime_param()]
        if plain.coerce(value, param=parameter, ctx=None)
        != plain.typers().coerce(value, param=parameter, ctx=None)
    ]

    assert differ == []


@pytest.mark.parametrize("value", ["many", "-1", "0"])
def test_numbers_are_typers(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A number is converted and judged by typer."""
    code = app.main(["build", "ad1f1726", "--jobs", value])

    assert (code, "--jobs" in capsys.readouterr().err) == (2, True)
