"""Versioned JSON documents, and the GitHub step summary."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from dgpin import __version__
from dgpin.render.hidden import hide

# GitHub drops a whole step summary over 1024 KiB.
LARGEST_SUMMARY = 1024 * 1000


def document(command: str, version: int, content: Mapping[str, object]) -> str:
    """Return a command's answer as JSON: `schema` names the command and the version of the form.

    The schemas are in `dgpin/render/schemas/`.
    """
    head = {"schema": f"dgpin/{command}/{version}", "dgpin": __version__}
    return json.dumps({**head, **content}, indent=2, ensure_ascii=True) + "\n"


def summarise(markdown: str) -> None:
    """Append Markdown to the step summary of a GitHub workflow, where there is one."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        text = hide(markdown).encode(errors="replace")[:LARGEST_SUMMARY]
        with Path(target).open("ab") as file:
            file.write(text + b"\n")
