"""Paths as a user types them."""

from pathlib import Path

import pytest

from dgpin.paths import expanded


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("~/x", "/home/ada/x"),
        ("~", "/home/ada"),
        ("~no-such-user/x", "~no-such-user/x"),
        ("a/~", "a/~"),
        ("", "."),
    ],
)
def test_expanded(monkeypatch: pytest.MonkeyPatch, text: str, path: str) -> None:
    """A home that nobody has is a path like any other, and no fault."""
    monkeypatch.setenv("HOME", "/home/ada")

    assert Path(path) == expanded(text)
