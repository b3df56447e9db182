"""The table of known faults is complete, and every test in it is there."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.cases import CASES

ROOT = Path(__file__).parents[1]
KNOWN = """
    A1 A3 A6 A7 A8 A9
    B1 B3 B4 B7
    C1 C2 C4 C7 C8
    D1 D3 D4 D6 D7 D8 D10
    E1 E3 E5 E6 E8 E9 E11 E12
    F1 F2 F5 F7 F8
    G1 G3 G4
    H1 H3 H4 H6 H8 H10 H11
    I1 I3 I5 I7 I9
    J1 J2 J3
    L1 L2 L3 L4 L5 L6 L7 L8 L12
    """


@cache
def _tests(module: str) -> frozenset[str]:
    """Return the names of a module's tests, read from its text."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    return frozenset(
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_every_case_is_in_the_table() -> None:
    """No known fault is left out, and none is made up."""
    assert set(KNOWN.split()) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_proven_or_explained(name: str) -> None:
    """A case has tests that exist, or a sentence that says what tells it instead."""
    case = CASES[name]
    missing = [
        named for named in case.tests if (parts := named.split("::"))[1] not in _tests(parts[0])
    ]

    assert [] == missing
    assert case.tests or ("dgpin " in case.note and case.note.endswith("."))
