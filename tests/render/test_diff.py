"""Diffs of whole files."""

from dgpin.files import Edit
from dgpin.render import diff


def test_a_changed_file_is_a_unified_diff() -> None:
    """Paths have git's prefixes, lines their context."""
    edit = Edit(path="d/f", old=b"a\nb\nc\n", new=b"a\nB\nc\n")

    assert diff.unified([edit]) == "--- a/d/f\n+++ b/d/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"


def test_a_missing_newline_is_said_as_git_says_it() -> None:
    """The last line without a newline is marked on both sides."""
    text = diff.unified([Edit(path="f", old=b"a", new=b"b")])

    assert text.splitlines()[3:] == [
        "-a",
        "\\ No newline at end of file",
        "+b",
        "\\ No newline at end of file",
    ]


def test_a_new_file_comes_from_nothing() -> None:
    """What was not there has no old path."""
    assert diff.unified([Edit(path="f", old=None, new=b"a\n")]).startswith("--- /dev/null\n")


def test_a_link_is_the_file_behind_it() -> None:
    """`git apply` writes through no link; two names of one file are one file."""
    edits = [Edit(path=path, old=b"a\n", new=b"b\n") for path in ("link", "d/f")]

    text = diff.unified(edits, behind={"link": "d/f"})

    assert text == "--- a/d/f\n+++ b/d/f\n@@ -1 +1 @@\n-a\n+b\n"


def test_form_feeds_and_windows_line_ends_are_no_line_breaks() -> None:
    """Only a newline ends a line, as for git."""
    text = diff.unified([Edit(path="f", old=b"a\x0cb\r\n", new=b"a\x0cB\r\n")])

    assert "-a\x0cb\r\n+a\x0cB\r\n" in text


def test_lines_are_painted_by_what_they_do() -> None:
    """Added, removed, and where."""
    styles = [line[0][1] for line in diff.painted("--- a/f\n+++ b/f\n@@ x @@\n-a\n+b\n c\n")]

    assert styles == ["bold", "bold", "cyan", "red", "green", ""]
