"""Losses of power on small hosts; `make test-crash` tries them on large ones."""

import re
from pathlib import Path

import pytest

from tests.crash import losses, mutants
from tests.crash.mutants import MUTANTS, Mutant

DOCUMENT = mutants.ROOT / "docs/explanation/atomicity.md"


@pytest.mark.parametrize("exchanges", [True, False], ids=["exchange", "no-exchange"])
def test_no_loss_of_power_leaves_a_mix(exchanges: bool) -> None:
    """Whatever a disk may hold, in a bump, a failing one, a recovery, and after a later save."""
    tried, bad = losses.run("two", twice=True, exchanges=exchanges)

    assert [] == bad
    assert tried > 100


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_each_mutant_can_be_made(mutant: Mutant) -> None:
    """What it replaces stands in the module once, so that none is a mutant in name only."""
    module = mutants.PACKAGE / "files" / f"{mutant.module}.py"
    text = module.read_text(encoding="utf-8")

    assert text != mutants.apply(mutant, text)


def test_the_page_names_tests_that_exist() -> None:
    """Every claim about atomicity has its test."""
    named = set(re.findall(r"`(test_\w+)`", DOCUMENT.read_text(encoding="utf-8")))
    tests = [*Path(__file__).parent.rglob("test_*.py")]
    there = {
        name
        for path in tests
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert set() == named - there
    assert len(named) > 20
