"""Interpreters asked about themselves."""

import sys
from pathlib import Path

from dgpin import process
from dgpin.build import interpreter


def test_any_path_comes_back_as_it_is(tmp_path: Path) -> None:
    """Quotes, backslashes and emoji survive the way through JSON."""
    home = tmp_path / 'a"b\\n é😀'
    process.run([sys.executable, "-m", "venv", "--without-pip", home]).check()

    found = interpreter.read(str(home / "bin/python"), modules=["json", "sys", "no_such_module"])

    (site,) = home.glob("lib/python*/site-packages")
    assert site in found.search
    assert {"json", "sys"} == found.modules
