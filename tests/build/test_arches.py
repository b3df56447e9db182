"""TORCH_CUDA_ARCH_LIST: what it does to DeepGEMM."""

import pytest

from dgpin.build import arches

HOST = ("9.0a", "10.0f", "12.0f")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["9.0a"], {"9"}),
        (["sm_100", "90", "12.0+PTX"], {"10", "9", "12"}),
        (["Hopper"], {"9"}),
        (["7.5", "8.0", "8.6"], {"7", "8"}),
    ],
)
def test_families_of_a_list(words: list[str], expected: set[str]) -> None:
    """Every spelling of an architecture means its family."""
    assert frozenset(expected) == arches.families(words)


def test_unknown_word_is_no_family() -> None:
    """A word that is not understood makes the whole list unknown."""
    assert arches.families(["9.0", "Rubin"]) is None


@pytest.mark.parametrize("asked", ["8.0;8.6", "7.5 8.0+PTX", "Ampere"])
def test_silent_omission_is_told(asked: str) -> None:
    """A list without any of the host's families is where DeepGEMM is left out without a word."""
    assert "leaves DeepGEMM out without a word" in arches.note(asked, HOST)


@pytest.mark.parametrize(
    ("asked", "supported"), [("9.0a;10.0f", HOST), ("Rubin", HOST), ("8.0", ())]
)
def test_otherwise_it_changes_nothing(asked: str, supported: tuple[str, ...]) -> None:
    """Where the host's list has one of them, or cannot be compared, only the plain fact is told."""
    assert arches.note(asked, supported).endswith("changes nothing here: _C is host code")


def test_unset_is_not_spoken_of() -> None:
    """Without the variable there is nothing to say."""
    assert "" == arches.note("", HOST)
