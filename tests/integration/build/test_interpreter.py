"""Interpreters asked about themselves."""

import sys
from pathlib import Path

import pytest

from dgpin import process
from dgpin.build import interpreter
from dgpin.build.interpreter import InterpreterError
from dgpin.process import MissingProgramError
from tests.build.world import write


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("#!/bin/sh\n", "ends without an answer"),
        ("#!/bin/sh\necho broken >&2; exit 1\n", "fails: broken"),
        ("#!/bin/sh\nprintf '[1]' > \"$3\"\n", "ends without an answer"),
        ("#!/bin/sh\nprintf '{}' > \"$3\"\n", "ends without an answer"),
        ("#!/bin/sh\nprintf '\\377' > \"$3\"\n", "ends without an answer"),
    ],
)
def test_program_that_is_no_python_is_told(tmp_path: Path, text: str, told: str) -> None:
    """Whatever a program answers, it is a Python or an error that quotes it."""
    program = write(tmp_path / "python", text)
    program.chmod(0o755)

    with pytest.raises(InterpreterError, match=told):
        interpreter.read(str(program))


def test_file_that_is_no_program_is_told(tmp_path: Path) -> None:
    """A file that the system cannot start is named with why."""
    program = write(tmp_path / "python", "garbage")
    program.chmod(0o755)

    with pytest.raises(MissingProgramError, match="could not be started: Exec format error"):
        interpreter.read(str(program))


def test_any_path_comes_back_as_it_is(tmp_path: Path) -> None:
    """Quotes, backslashes and emoji survive the way through JSON."""
    home = tmp_path / 'a"b\\n é😀'
    process.run([sys.executable, "-m", "venv", "--without-pip", home]).check()

    found = interpreter.read(str(home / "bin/python"), modules=["json", "sys", "no_such_module"])

    (site,) = home.glob("lib/python*/site-packages")
    assert site in found.search
    assert {"json", "sys"} == found.modules
