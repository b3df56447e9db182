"""Fingerprints: same inputs, same key; and what differs."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dgpin.build import fingerprint
from dgpin.build.fingerprint import Fingerprint
from tests.build.world import write

components = st.dictionaries(
    st.sampled_from(["commit", "torch", "cuda", "flags"]), st.text(max_size=5)
)


@given(components)
def test_key_depends_on_content_alone(parts: dict[str, str]) -> None:
    """The order in which components are named does not matter."""
    backwards = dict(reversed(parts.items()))

    assert Fingerprint(components=parts).key == Fingerprint(components=backwards).key


@given(components, components)
def test_keys_differ_with_content(one: dict[str, str], other: dict[str, str]) -> None:
    """Two fingerprints have one key exactly when they are equal."""
    assert (one == other) == (Fingerprint(components=one).key == Fingerprint(components=other).key)


@given(components)
def test_nothing_differs_from_itself(parts: dict[str, str]) -> None:
    """A fingerprint has no differences from itself."""
    same = Fingerprint(components=parts)

    assert () == fingerprint.differences(same, same)


def test_nearest_differs_least() -> None:
    """A rebuild is explained by the build that it has most in common with."""
    new = Fingerprint(components={"commit": "b", "torch": "2", "flags": "-O3"})
    far = Fingerprint(components={"commit": "a", "torch": "1", "flags": "-O0"})
    near = Fingerprint(components={"commit": "a", "torch": "2", "flags": "-O3"})

    assert near == fingerprint.nearest(new, [far, near])


def test_stored_fingerprint_comes_back(tmp_path: Path) -> None:
    """What is written beside a build is read as it was; anything else is none."""
    made = Fingerprint(components={"commit": "a", "torch": "2"})
    import json

    path = write(tmp_path / "fingerprint.json", json.dumps(made.as_json()))

    assert made == fingerprint.load(path)
    assert fingerprint.load(write(tmp_path / "other.json", "[]")) is None
    assert fingerprint.load(tmp_path / "absent.json") is None
