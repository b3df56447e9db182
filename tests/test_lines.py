"""Lines end where git and editors end them."""

import pytest

from dgpin import lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\nb\n", ["a", "b"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb", ["a", "b"]),
        ("a\fb\vc\x1cd\x85e\u2028f\n", ["a\fb\vc\x1cd\x85e\u2028f"]),
    ],
)
def test_only_a_line_feed_ends_a_line(text: str, expected: list[str]) -> None:
    """A carriage return before it belongs to the end."""
    assert expected == lines.split(text)
