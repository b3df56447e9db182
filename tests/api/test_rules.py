"""Rules are rows: each has a case that trips it, a page, and a name of one form."""

import re
from pathlib import Path

from dgpin.api import rules
from dgpin.api.change import Effect, Level
from tests.api.corpus import pybind_kinds, python_kinds, torch_kinds, wrapper_kinds

ROOT = Path(__file__).parents[2]
CASES = (
    *python_kinds.CASES,
    *pybind_kinds.CASES,
    *torch_kinds.CASES,
    *wrapper_kinds.CASES,
)
# Found where a module, not a statement, is what changes.
ELSEWHERE = {"module-removed", "symbol-added"}


def test_every_rule_has_a_case() -> None:
    """A rule that nothing trips is not a rule."""
    tripped = {rule for case in CASES for rule, _, _ in case.finds}

    assert {rule.id for rule in rules.RULES} - ELSEWHERE == tripped


def test_sixty_kinds() -> None:
    """The corpus is as wide as it says."""
    assert len({(case.kind, case.before) for case in CASES}) == len(CASES)
    assert len(CASES) >= 120


def test_names() -> None:
    """A rule's name is kebab-case and its own."""
    names = [rule.id for rule in rules.RULES]

    assert len(set(names)) == len(names)
    assert [] == [n for n in names if not re.fullmatch(r"[a-z]+(-[a-z]+)+", n)]


def test_every_rule_is_documented() -> None:
    """Each rule is a heading of the reference, and no other is."""
    page = (ROOT / "docs/reference/rules.md").read_text("utf-8")

    assert [rule.id for rule in rules.RULES] != []
    assert {rule.id for rule in rules.RULES} == set(re.findall(r"^### (\S+)$", page, re.MULTILINE))


def test_effects_fit_levels() -> None:
    """What breaks has an effect; what is compatible has none."""
    for rule in rules.RULES:
        assert (rule.level in {Level.COMPATIBLE, Level.ADDED}) == (rule.effect is Effect.NONE)


def test_texts() -> None:
    """A rule says what, why and what to do in sentences, and shows both sides."""
    for rule in rules.RULES:
        for text in (rule.summary, rule.why, rule.cure):
            assert text.endswith(".")
        assert rule.before
