"""The search over a host's text, whatever its names and lines hold."""

from pathlib import Path

import pytest

from dgpin import process
from dgpin.pin import stray


@pytest.mark.parametrize("tracked", [True, False], ids=["in git", "without git"])
def test_a_line_is_found_where_an_editor_shows_it(tmp_path: Path, *, tracked: bool) -> None:
    """A form feed or U+2028 ends no line, and an end of line in a name ends no record."""
    (tmp_path / "a\nb").write_text("one\nold \f\u2028 pin\n", encoding="utf-8")
    (tmp_path / "c").write_text("old\n")
    if tracked:
        for words in (["init", "-q"], ["add", "--all"]):
            process.run(["git", "-C", tmp_path, *words]).check()

    found = sorted(stray.search_in(tmp_path)(["old"]))

    assert [("a\nb", 2, "old \f\u2028 pin"), ("c", 1, "old")] == found


@pytest.mark.parametrize("setting", ["grep.column", "grep.fullName", "submodule.recurse"])
def test_a_user_s_settings_change_no_place(
    tmp_path: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host inside a repository is searched, and its lines told, as it sees them itself."""
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "a").write_text("one\nan old pin\n")
    for words in (["init", "-q"], ["add", "--all"]):
        process.run(["git", "-C", tmp_path, *words]).check()
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": setting, "GIT_CONFIG_VALUE_0": "true"}
    for name, value in config.items():
        monkeypatch.setenv(name, value)

    assert [("a", 2, "an old pin")] == list(stray.search_in(tmp_path / "host")(["old"]))
