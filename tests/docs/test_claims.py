"""Pages of claims: every claim names a test, and every test that is named exists."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

# A page's rows are claims, except for what a table of another kind says.
PAGES = ("docs/explanation/security.md",)
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_ROW = re.compile(r"^\| (?!---|claim \|)(.*) \|$", re.MULTILINE)
_INTRODUCTION = (
    "Each line names the test that holds it. `tests/docs/test_claims.py` sees to it that the test "
    "exists."
)


def _tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_bytes())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _unproven(text: str) -> list[str]:
    """Return the sentences of a page that name no test: prose, and rows without one."""
    rows = [row for row in _ROW.findall(text) if not _NAMED.search(row)]
    lines = [line for line in text.splitlines() if line and not line.startswith(("#", "|"))]
    prose = " ".join(lines).replace(_INTRODUCTION, "").strip()
    return [*rows, *([prose] if prose else [])]


@pytest.mark.parametrize("page", PAGES)
def test_every_claim_names_a_test(page: str) -> None:
    """No sentence of a page of claims stands without the test that holds it."""
    assert [] == _unproven((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_every_named_test_exists(page: str) -> None:
    """A test that a page names is there, in the file that the page names."""
    named = _NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    absent = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).is_file() or name not in _tests(ROOT / file)
    ]

    assert named
    assert [] == absent


@pytest.mark.parametrize(
    "text", ["A claim.", "| A claim. | |", "| A claim. | `tests/test_cache.py` |"]
)
def test_a_claim_without_a_test_is_seen(text: str) -> None:
    """A sentence, or a row, that names no test does not pass."""
    assert _unproven(text)
