"""Laws that hold for every check."""

from pathlib import Path

import pytest

from dgpin.errors import UsageError
from dgpin.smoke import catalogue, checks
from dgpin.smoke.case import Check
from dgpin.smoke.report import ARCHITECTURES

KNOWN = catalogue.load()
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "smoke.md"


def test_a_file_is_a_check() -> None:
    """Each file in checks/ is one check, and is named after it."""
    files = {path.stem for path in Path(checks.__file__).parent.glob("*.py")} - {"__init__"}

    assert files == {check.id for check in KNOWN}


@pytest.mark.parametrize("check", KNOWN, ids=lambda check: check.id)
def test_check_is_stated(check: Check) -> None:
    """A check says what it guards, calls and compares with, for architectures that there are."""
    assert all([check.guards, check.call, check.reference, check.arches])
    assert set(check.arches) <= set(ARCHITECTURES)
    assert set(check.ran_on) <= set(check.arches)
    assert 0 <= check.limit < max(check.floor, 1e-9)
    # A build may decline only what can be expected of it by name.
    assert bool(check.refusals) <= bool(check.capabilities)


@pytest.mark.parametrize("check", KNOWN, ids=lambda check: check.id)
def test_check_has_a_row(check: Check) -> None:
    """Each check has its row in the reference, and every cell of it is the check's."""
    cells = (
        check.id,
        str(check.level),
        ", ".join(check.arches),
        ", ".join(check.ran_on) or "never",
        check.guards,
        f"{check.limit:.3g}",
        f"{check.floor:.3g}",
        ", ".join(f"`{name}`" for name in check.capabilities),
    )

    assert f"| {' | '.join(cells)} |" in PAGE.read_text().splitlines()


def test_core_of_hopper() -> None:
    """On Hopper the core is of level 1 alone, and those that may fault come last."""
    core = catalogue.select(KNOWN, level=1, arch="sm_90")
    faulty = [check.may_fault for check in core]

    assert {1} == {check.level for check in core}
    assert sorted(faulty) == faulty
    assert {True, False} == set(faulty)


def test_select() -> None:
    """`only` names checks of any level, `skip` takes some away, and a typing error is told."""
    chosen = catalogue.select(KNOWN, level=1, only=("num_sms", "api"), skip=("api",))

    assert ["num_sms"] == [check.id for check in chosen]
    with pytest.raises(UsageError, match="--skip apy: there is no such check"):
        catalogue.select(KNOWN, level=1, skip=("apy",))


def test_capabilities() -> None:
    """What can be expected is what some check can find missing."""
    assert ("block_kv32", "fp4", "next_n4", "packed_ue8m0", "situ", "sm100_kernels") == (
        catalogue.capabilities(KNOWN)
    )
