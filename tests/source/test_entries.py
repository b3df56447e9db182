"""What git lists for a commit."""

import pytest

from dgpin.source import entries
from dgpin.source.entries import Entry, Mode

SHA = "1" * 40


def _tree(**links: str) -> dict[str, Entry]:
    tree = {
        "a/file": Entry(Mode.FILE, SHA, "a/file"),
        "top": Entry(Mode.PROGRAM, SHA, "top"),
        "lib": Entry(Mode.SUBMODULE, SHA, "lib"),
    }
    return tree | {
        path: Entry(Mode.LINK, target, path)
        for path, target in ((name.replace("__", "/"), to) for name, to in links.items())
    }


def test_listing() -> None:
    """Each line gives mode, SHA and path; odd bytes in a path survive."""
    listing = (
        f"100644 blob {SHA}\ta b\x00120000 blob {SHA}\tl\x00160000 commit {SHA}\tm\x00".encode()
        + f"100755 blob {SHA}\t".encode()
        + b"\xff\0"
    )

    assert [
        Entry(Mode.FILE, SHA, "a b"),
        Entry(Mode.LINK, SHA, "l"),
        Entry(Mode.SUBMODULE, SHA, "m"),
        Entry(Mode.PROGRAM, SHA, "\udcff"),
    ] == list(entries.parse(listing))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a/file", "a/file"),
        ("top", "top"),
        ("to_file", "a/file"),
        ("to_dir/file", "a/file"),
        ("deep/up", "top"),
        ("twice", "a/file"),
        ("lib", None),
        ("a", None),
        ("missing", None),
        ("outside", None),
        ("absolute", None),
        ("circle", None),
        ("dangling", None),
        ("../top", None),
        ("/top", None),
        ("", None),
    ],
)
def test_links(path: str, found: str | None) -> None:
    """Links are followed inside the tree; none leads outside or round in a circle."""
    tree = _tree(
        to_file="a/file",
        to_dir="a",
        deep__up="../top",
        twice="to_file",
        outside="../../etc/passwd",
        absolute="/etc/passwd",
        circle="circle",
        dangling="nothing",
    )

    entry = entries.follow(path, entries=tree, target=lambda link: link.sha)

    assert found == (entry.path if entry else None)
