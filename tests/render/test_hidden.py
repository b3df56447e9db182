"""Credentials of addresses, left out of what is shown."""

import pytest

from dgpin.render.hidden import hide


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("at https://me:s3cret@example.org/a now", "at https://example.org/a now"),
        ('"https://ghp_token@github.com/a/b"', '"https://github.com/a/b"'),
        ("ssh://git:s3cret@example.org/a", "ssh://git@example.org/a"),
        ("ssh://git@example.org/a", "ssh://git@example.org/a"),
        ("git@example.org:a/b", "git@example.org:a/b"),
        ("https://example.org/a@b", "https://example.org/a@b"),
        ("https://a.org and https://u@b.org", "https://a.org and https://b.org"),
        ("https://p@s3cret@example.org/a", "https://example.org/a"),
    ],
)
def test_hide(text: str, shown: str) -> None:
    """What stands before the host goes; the user of ssh, who is a part of the address, stays."""
    assert shown == hide(text)
