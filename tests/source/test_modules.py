"""Where .gitmodules says that the submodules come from."""

import pytest

from dgpin.source import modules


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("", {}),
        (
            '[submodule "x"]\n\tpath = third-party/x\n\turl = https://example.org/x.git\n',
            {"third-party/x": "https://example.org/x.git"},
        ),
        (
            '[submodule "a"]\r\n  URL=../a\r\n  path="dir/a b"\r\n[submodule "b"]\n path = b\n',
            {"dir/a b": "../a"},
        ),
        (
            '[core]\n\tpath = no\n\turl = no\n[submodule "x"] # why\nurl = u ; note\npath = p',
            {"p": "u"},
        ),
        ('[submodule "x"]\n\tpath = p/\n\tbranch = main\n\turl = u\n', {"p": "u"}),
    ],
)
def test_urls(text: str, urls: dict[str, str]) -> None:
    """A submodule with a path and an address is found, however the file is laid out."""
    assert urls == modules.urls(text)
