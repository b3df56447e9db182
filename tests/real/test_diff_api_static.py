"""The text of a real source against the build that was made from it."""

from pathlib import Path

import pytest

from dgpin.api import builds, compare, load
from dgpin.api.load import Side
from dgpin.api.locate import Source
from dgpin.api.static import agreement, of_source
from dgpin.api.surface import Surface
from dgpin.build import interpreter
from dgpin.source.directory import DirTree
from tests.real import inputs


@pytest.fixture(scope="module", name="loaded")
def _loaded() -> Surface:
    python = interpreter.read(str(inputs.torch_python()), modules=load.MODULES)
    build = builds.at(inputs.build("2.8.2"), label="build")
    return load.surface(Side(build=build, python=python))


def text(root: Path) -> Surface:
    """Return the surface of a source."""
    return of_source(Source(label="text", tree=DirTree(root)))


def test_every_signature(loaded: Surface) -> None:
    """Every callable and every parameter of 2.8.2 is read from the text as it is in the build."""
    held = agreement.hold(loaded, text(inputs.source("2.8.2")))

    assert () == held.disagreements
    assert held.agreeing_symbols == held.symbols >= 340
    assert held.agreeing_parameters == held.parameters >= 1465


def test_every_name(loaded: Surface) -> None:
    """The text has no name that the build lacks, and lacks none that it has."""
    read = text(inputs.source("2.8.2"))

    assert loaded.by_path.keys() == read.by_path.keys()


def test_one_of_each(loaded: Surface) -> None:
    """A build and its own source, compared, differ in nothing."""
    found = compare.compare(loaded, text(inputs.source("2.8.2")))

    assert () == found.changes
