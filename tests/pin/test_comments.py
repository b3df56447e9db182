"""Comments are the host's; what a pin makes stale in them is shown word by word."""

import pytest

from dgpin.pin import comments
from dgpin.pin.comments import Truth
from tests.pin.hosts import NEW, OLD, facts, reading

AFTER = facts(NEW, version="2.8.0", arches=("sm_90", "sm_100"))
TRUTH = Truth(
    facts=AFTER,
    branch="dev",
    other_branches=frozenset({"nv_dev", "dev", "main"}),
    gone_submodules=frozenset({"fmt"}),
)


def stale(line: str) -> list[str]:
    """Return the stale words of a comment above a commit."""
    read = reading({"f": f"{line}\nV={OLD}\n"}, "\"f\" = 'V=<commit>'")
    return [word.word for block in comments.blocks(read) for word in comments.stale(block, TRUTH)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# Pinned to the tip of the nv_dev branch (SM120 support).", ["SM120", "nv_dev"]),
        ("# currently targeting nv-dev branch due to sm120 support", ["sm120", "nv-dev"]),
        ("# the fork's dev branch: upstream 2.8.0 plus the SM90 port", []),
        ("# upstream 2.6.1", ["2.6.1"]),
        ("# needs CUDA 12.3.1 and torch 2.11.0", []),
        ("# a development version, the main idea", []),
        ("# the main branch", ["main"]),
        (f"# at {OLD[:8]}", [OLD[:8]]),
        (f"# at {NEW[:8]}", []),
        ("# a decade, a facade, 1234567", []),
        ("# edits in DeepGEMM/cutlass/fmt build again", ["fmt"]),
        ("# a formatter, fmtlib", []),
        ("// SM100 and sm_90a", []),
    ],
)
def test_a_stale_word_is_one_that_the_pin_contradicts(line: str, expected: list[str]) -> None:
    """Other branches, versions, short commits, architectures and lost submodules are stale."""
    assert expected == stale(line)


def test_a_block_is_the_comment_right_above() -> None:
    """It reaches up to the first line that is no comment, and stands above the statement."""
    text = f"# not this\n\n# one\n# two\nL(\n  {OLD})\n"

    (block,) = comments.blocks(reading({"f": text}, "\"f\" = { at = '<commit>', in = 'L( … )' }"))

    assert (block.first, block.last, block.lines) == (3, 4, ("# one", "# two"))


def test_a_form_feed_ends_no_line() -> None:
    """The block above a site is the one that an editor shows there."""
    text = f"# an old\fpage\n# SM120\nX=1\n# not this one\u2028\n\n# SM90\nV={OLD}\n"

    (block,) = comments.blocks(reading({"f": text}, "\"f\" = 'V=<commit>'"))

    assert (block.first, block.last, block.lines) == (6, 6, ("# SM90",))


def test_a_named_file_is_a_path_with_a_directory() -> None:
    """Prose and variables are no files."""
    line = "# Keep in sync with tools/install.sh and ${X}/y.py, see https://h/a/b.md"
    read = reading({"f": f"{line}\nV={OLD}\n"}, "\"f\" = 'V=<commit>'")
    (block,) = comments.blocks(read)

    assert [path for _, path in comments.named_files(block)] == ["tools/install.sh"]


def test_a_note_is_wrapped_and_marked() -> None:
    """Long notes become several lines of at most 88 columns, with the block's mark."""
    lines = comments.renewed("word " * 40, like="  // old")

    assert all(line.startswith("  // word") and len(line) <= 88 for line in lines)
    assert len(lines) == 3
