"""Commits of which only the cache knows."""

import pytest

from dgpin.pin import facts as cached
from dgpin.verify.known import Known, UnknownSourceError, commit
from tests.pin.hosts import facts

A, B = "abc1" + "0" * 36, "abc2" + "0" * 36


def _stored() -> None:
    for sha in (A, B):
        cached.store(facts(sha, files=("csrc/python_api.cpp",)))


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        (A, A),
        ("abc1", A),
        ("abc2000", B),
        ("abc", None),  # too short
        ("ab", None),
        ("abc3", None),
        ("main", None),
        ("", None),
        ("f" * 40, "f" * 40),  # a full SHA means itself
    ],
)
def test_commit(ref: str, expected: str | None) -> None:
    """A SHA of four digits or more means the one commit whose facts are there."""
    _stored()

    assert expected == commit(ref)


def test_two_commits_are_not_one() -> None:
    """Digits that begin two known commits mean neither."""
    cached.store(facts("abc1" + "1" * 36))
    _stored()

    assert commit("abc1") is None


def test_what_only_the_files_tell_is_untold() -> None:
    """A file that is listed is there; a text in it, and the Python half, are left open."""
    _stored()
    known = Known("no network")

    assert [True, False] == [
        known.holds("r", A, path=path, text="PYBIND11_MODULE")
        for path in ("csrc/python_api.cpp", "csrc/other.cpp")
    ]
    assert () == known.import_faults("r", A)
    assert [
        "whether csrc/python_api.cpp holds `PYBIND11_MODULE`",
        "whether its Python half can be imported",
    ] == known.untold


def test_nothing_is_made_up() -> None:
    """A commit without facts is unknown, with the reason why nobody was asked."""
    with pytest.raises(UnknownSourceError, match=r"nothing is known of ffff.*no network"):
        Known("no network").facts("r", "ffff")
