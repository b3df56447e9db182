"""The page on dependencies says what pyproject.toml says, and what the packages say themselves."""

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/dependencies.md"
ROW = re.compile(r"^\| ([\w-]+) \| ([0-9.]+) \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)
KINDS = ("MIT", "BSD", "Apache", "Public domain")


def _required() -> dict[str, str]:
    found = (Requirement(text) for text in metadata.requires("dgpin") or ())
    return {
        each.name: bound.version
        for each in found
        for bound in each.specifier
        if bound.operator == ">="
    }


def _listed() -> list[tuple[str, str, str]]:
    return [(row[1], row[2], row[3]) for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def _kinds(text: str) -> set[str]:
    return {kind for kind in KINDS if kind.lower() in text.lower()}


def test_every_dependency_and_its_lower_bound() -> None:
    """The page lists each package that is installed with dgpin, with the bound that is tested."""
    assert _required() == {name: bound for name, bound, _ in _listed()}


@pytest.mark.parametrize(("name", "licence"), [(name, says) for name, _, says in _listed()])
def test_its_licence(name: str, licence: str) -> None:
    """A package's own metadata names the licence that the page names."""
    try:
        found = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        assert "tomli" == name  # only Python 3.10 needs it
        return
    stated = (found.get_all("License-Expression") or []) + (found.get_all("License") or [])
    classifiers = [
        text.removesuffix(" License").removesuffix(" Software")
        for text in found.get_all("Classifier") or ()
        if text.startswith("License ::")
    ]
    own = " ".join([*stated, *classifiers])

    assert _kinds(licence) == _kinds(own)
