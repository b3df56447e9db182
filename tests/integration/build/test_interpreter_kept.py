"""What an interpreter said is asked for again when anything that it depends on has changed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dgpin import process
from dgpin.build import contents, interpreter


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A virtual environment's interpreter, asked once, and a cache of the test's own."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "cache"))
    process.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"]).check()
    _read(tmp_path / "venv/bin/python")
    return tmp_path / "venv/bin/python"


def _read(python: Path) -> interpreter.Interpreter:
    return interpreter.read(str(python), modules=["json", "no_such_module", "came"])


def _count(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    started: list[object] = []
    run = process.run

    def counted(argv: list[object], **options: object) -> object:
        started.append(argv)
        return run(argv, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "run", counted)
    return started


def test_it_is_not_started_again(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has changed: the same answer, and no process."""
    before = _read(python)
    started = _count(monkeypatch)

    assert (_read(python), started) == (before, [])


def _package(venv: Path) -> None:
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "came.py").write_text("")


def _link(venv: Path) -> None:
    (site,) = venv.glob("lib/python*/site-packages")
    (venv / "elsewhere").mkdir()
    (venv / "elsewhere/came.py").write_text("")
    (site / "a.pth").write_text(f"{venv}/elsewhere\n")


def _editable(venv: Path) -> None:
    """Install a package as setuptools does for `pip install -e`: a finder knows where it is."""
    (site,) = venv.glob("lib/python*/site-packages")
    home = venv / "checkout/deep_gemm"
    home.mkdir(parents=True)
    (home / "__init__.py").write_text("")
    (site / "editable_finder.py").write_text(FINDER.format(home=str(home)))
    (site / "editable.pth").write_text("import editable_finder\n")


FINDER = """
import sys
from importlib.util import spec_from_file_location

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "deep_gemm":
            return spec_from_file_location(name, {home!r} + "/__init__.py")

sys.meta_path.append(Finder)
"""


def test_editable_install_is_found(python: Path) -> None:
    """A package that is on no path, and that imports find, is where it is."""
    venv = python.parent.parent
    _editable(venv)

    found = _read(python)

    assert found.search[-1] == venv / "checkout"
    assert str(venv / "checkout/deep_gemm") in contents.installed(found).label


def _environment(venv: Path) -> None:
    config = venv / "pyvenv.cfg"
    config.write_text(config.read_text() + "include-system-site-packages = true\n")


@pytest.mark.parametrize("change", [_package, _link, _environment])
def test_a_change_is_seen(
    change: Callable[[Path], None], python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that came, a file that leads elsewhere, another kind of environment."""
    started = _count(monkeypatch)
    change(python.parent.parent)

    found = _read(python)

    assert len(started) == 1
    assert ("came" in found.modules) == (change is not _environment)


def test_a_script_is_asked_each_time(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shim may lead to another interpreter each time."""
    shim = tmp_path / "python"
    shim.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    shim.chmod(0o755)
    _read(shim)
    started = _count(monkeypatch)

    _read(shim)

    assert len(started) == 1


@pytest.mark.parametrize("text", ["", "{}", '{"seen": 1, "answer": {"path": 3}}', "[]"])
def test_a_damaged_entry_is_absent(text: str, python: Path) -> None:
    """It is asked again, and the entry is written anew."""
    before = _read(python)
    (entry,) = Path(os.environ["DGPIN_CACHE_DIR"]).glob("pythons/*.json")
    entry.write_text(text)

    assert _read(python) == before
    assert entry.read_text() != text
