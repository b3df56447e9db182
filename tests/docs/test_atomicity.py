"""Pages that claim something: every row, point and paragraph names what proves it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# The pages, and of each the headings under which nothing is claimed of dgpin.
PAGES: dict[str, frozenset[str]] = {
    "docs/explanation/atomicity.md": frozenset(
        # The second is about other tools too; the page names the command that measures them.
        {"All or nothing", "Beside other tools", "What is not claimed"}
    ),
}


def _units(text: str) -> list[tuple[str, str]]:
    """Return the rows, points and paragraphs of a page, each with its heading.

    Heads and rules of tables, code, and what only leads to a table or list are none.
    """
    units = []
    heading = ""
    for block in re.split(r"\n\s*\n", text):
        if block.startswith("#"):
            heading = block.lstrip("#").strip()
        elif block.startswith("|"):
            units += [(heading, row) for row in block.split("\n")[2:] if row.strip()]
        elif not (block.startswith(("```", "    ")) or block.rstrip().endswith(":")):
            points = re.split(r"\n(?=(?:-|\d+\.) )", block.strip())
            units += [(heading, point) for point in points]
    return units


def _tests() -> frozenset[str]:
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        found.update(re.findall(r"^def (test_\w+)", text, re.MULTILINE))
    return frozenset(found)


def _proofs(unit: str, tests: frozenset[str]) -> list[tuple[str, bool]]:
    """Return what a unit names as its proofs, and whether each of them is there."""
    named = [(name, name in tests) for name in re.findall(r"`(test_\w+)`", unit)]
    modules = re.findall(r"`(?:python -m )?(tests[./][\w./]+)`", unit)
    for module in modules:
        path = ROOT / (module if module.endswith(".py") else module.replace(".", "/"))
        named.append((module, path.exists() or path.with_suffix(".py").exists()))
    return named


@pytest.mark.parametrize("page", PAGES)
def test_every_claim_names_its_proof(page: str) -> None:
    """A test, or a module of tests."""
    tests = _tests()
    units = _units((ROOT / page).read_text(encoding="utf-8"))

    assert [] == [
        unit for heading, unit in units if heading not in PAGES[page] and not _proofs(unit, tests)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_proof_is_there(page: str) -> None:
    """What a page names exists, under its headings without claims as well."""
    tests = _tests()
    text = (ROOT / page).read_text(encoding="utf-8")

    assert [] == [name for name, is_there in _proofs(text, tests) if not is_there]


def test_a_claim_without_a_proof_is_found() -> None:
    """Rows, points and paragraphs are told apart."""
    text = "# T\n\nA `test_x`.\n\n| a |\n| - |\n| row |\n\nSo:\n\n- one `test_y`\n- two\n\nB.\n"

    assert ["| row |", "- two", "B."] == [u for _, u in _units(text) if not _proofs(u, frozenset())]


def test_a_proof_that_is_gone_is_found() -> None:
    """A test that was renamed, and a module."""
    assert [("test_x", True), ("test_y", False), ("tests/none.py", False)] == _proofs(
        "`test_x` `test_y` `tests/none.py`", frozenset({"test_x"})
    )
