"""What is written beside the answer itself."""

from pathlib import Path

import pytest

from dgpin.render.document import summarise


def test_the_step_summary_has_no_credential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub shows it to whoever reads the run; it is added to what stands there."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    summarise("https://token@example.org/x could not be asked")

    assert "before\nhttps://example.org/x could not be asked\n" == summary.read_text()
