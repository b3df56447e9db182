"""What is read of a build before anything of it is loaded."""

import json
from pathlib import Path

import pytest

from dgpin.smoke import target

COMMIT = "ab" * 20


@pytest.mark.parametrize(
    ("written", "commit"),
    [(COMMIT, COMMIT), (f"{COMMIT} and changes", ""), ("", ""), (None, "")],
)
def test_the_commit_is_what_dgpin_built(tmp_path: Path, written: str | None, commit: str) -> None:
    """A build with changes is no commit's, and a build of others does not tell."""
    if written is not None:
        text = json.dumps({"schema": 1, "components": {"commit": written}})
        (tmp_path / "fingerprint.json").write_text(text)

    key, found = vars(target)["_made_of"](tmp_path / "deep_gemm")

    assert (written is not None, commit) == (bool(key), found)
