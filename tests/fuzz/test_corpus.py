"""The fuzz targets' kept inputs, read again without the fuzzer."""

from pathlib import Path

import pytest

from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

EACH = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)


@EACH
def test_kept_inputs_do_no_harm(target: Target) -> None:
    """Every kept input is read, or refused in dgpin's own words, within its time."""
    kept = _kept(target)
    for path in (*kept, *target.found):
        target.run(path.read_bytes())

    assert kept


@EACH
def test_a_planted_fault_can_be_seen(target: Target) -> None:
    """The mistake that the fuzzer must find is one: an input meets it, and none without it."""
    target.run(target.fault.trigger)

    with target.fault.planted():
        assert _harmed(target, target.fault.trigger)


@EACH
def test_a_planted_fault_is_not_in_the_corpus(target: Target) -> None:
    """No kept input meets the planted mistake: the fuzzer has something to find."""
    with target.fault.planted():
        seen = [path.name for path in _kept(target) if _harmed(target, path.read_bytes())]

    assert [] == seen


def _kept(target: Target) -> list[Path]:
    return sorted(path for path in target.corpus.iterdir() if path.is_file())


def _harmed(target: Target, data: bytes) -> bool:
    try:
        target.run(data)
    except Exception:  # noqa: BLE001 - whatever the mistake leads to
        return True
    return False
