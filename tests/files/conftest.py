"""The host that these tests write."""

from pathlib import Path

import pytest


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """Return a host of two files in a git work tree."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "a.txt").write_bytes(b"old a\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_bytes(b"old b\n")
    return tmp_path
