"""Every error says what, where and what now, and the page of errors has them all."""

import importlib
import importlib.util
import pkgutil
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dgpin
from dgpin.errors import DgpinError, RefusedError, UnavailableError, UsageError

DOCS = Path(__file__).parents[2] / "docs"
BASES = {RefusedError, UsageError, UnavailableError}
# Scripts for another interpreter, and what runs when it is imported.
SCRIPTS = ("probe", "worker", "checks", "reference", "__main__")


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


failures = _module("failures")
FAILURES, RAISED = failures.read()


def _loaded() -> set[tuple[str, str]]:
    """Return module and name of every class of the tree, as Python has them."""
    for found in pkgutil.walk_packages(dgpin.__path__, "dgpin."):
        if not any(part.endswith(SCRIPTS) for part in found.name.split(".")):
            importlib.import_module(found.name)
    todo, seen = [DgpinError], set()
    while todo:
        for each in todo.pop().__subclasses__():
            todo.append(each)
            if each not in BASES and each.__module__.startswith("dgpin."):
                seen.add((each.__module__.removeprefix("dgpin."), each.__name__))
    return seen


def test_the_text_has_every_class() -> None:
    """What is read from the text of the modules is the tree that Python has."""
    assert _loaded() == {(each.module, each.name) for each in FAILURES}


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: f"{each.module}.{each.name}")
def test_what_and_what_now(failure: Any) -> None:
    """A class says in a sentence what happened, and has a cure."""
    what, cure = failure.what, failure.cure

    assert what.partition("\n")[0].endswith(".")
    assert cure
    assert cure[0].isupper() or cure[0] in "`<-" or cure.startswith(("dgpin", "docs/", "pip"))


def test_a_base_class_is_raised_with_a_cure() -> None:
    """Where no class of its own is worth it, the place that raises says what now."""
    assert RAISED
    assert [] == [each.place for each in RAISED if not each.cured]


def test_every_section_has_a_title_of_its_own() -> None:
    """A title tells one error from the others."""
    titles = Counter(each.title for each in FAILURES)

    assert [] == [title for title, count in titles.items() if count > 1]


def test_the_page_is_fresh() -> None:
    """`make docs` would write what is there."""
    assert (DOCS / "reference/errors.md").read_text("utf-8") == failures.page(FAILURES)
