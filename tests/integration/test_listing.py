"""The host's Python files, as its git lists them."""

from pathlib import Path

import pytest

from dgpin import process
from dgpin.api.host.listing import listing


def test_a_hook_s_variables_do_not_move_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tracked and new files are listed, ignored ones not, whatever GIT_DIR a hook has set."""
    host, other = tmp_path / "host", tmp_path / "other"
    for folder in (host, other):
        process.run(["git", "init", "-q", folder]).check()
    for name in ("tracked.py", "new.py", "ignored.py"):
        (host / name).touch()
    (host / ".gitignore").write_text("ignored.py\n")
    process.run(["git", "-C", host, "add", "tracked.py"]).check()
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))

    assert ("new.py", "tracked.py") == listing(host).paths
