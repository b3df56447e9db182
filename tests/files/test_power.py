"""Losses of power on small hosts; `make test-crash` tries them on large ones."""

import pytest

from tests.crash import losses, mutants
from tests.crash.mutants import MUTANTS, Mutant


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
