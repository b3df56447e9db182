"""What makes a lost change look like a fix."""

import re
from pathlib import Path

import pytest

from dgpin.source import fixlike
from dgpin.source.fixlike import RULES, Where

# For every rule a line or subject that meets it, and one that does not.
PAIRS = {
    "clamp": ("q_idx = min(lo, n - 1);", "int minimum = lo;"),
    "sync": ("__syncwarp();", "sync_count += one;"),
    "condition": ("if (next_n != 4 and is_varlen) {", "constexpr bool flag = true;"),
    "assertion": ("DG_HOST_ASSERT(block_kv);", "assertive = 1;"),
    "bound": ("smem + idx + 1", "call(idx);"),
    "warning": ("// must not run past the end", "// a kernel"),
    "says-fix": ("Fix IMA guard in paged MQA logits", "Add a kernel"),
    "says-danger": ("Prevent OOB", "Update the prefix"),
}


def test_every_rule_has_a_pair() -> None:
    """A rule that nothing meets is not a rule."""
    assert {rule.id for rule in RULES} == PAIRS.keys()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_pair(rule: fixlike.Rule) -> None:
    """The one text of the pair meets its rule, the other does not."""
    meets, misses = PAIRS[rule.id]

    assert (True, False) == (
        rule.pattern.search(meets) is not None,
        rule.pattern.search(misses) is not None,
    )


def test_one_line_clamp_is_a_fix() -> None:
    """A clamp of one line counts as a fix, whatever its subject says."""
    found = fixlike.judge([("q = min(lo, n - 1);", "q = lo;")], subject="Tidy up", size=1)

    assert (True, True) == (found.is_fix, "limits a value" in found.reasons)


def test_sign_that_is_still_there_is_not_lost() -> None:
    """A clamp that was rewritten and still clamps is no sign."""
    found = fixlike.judge([("q = min(lo, n - 1);", "q_idx = cute::min(lo, n - 1);")], size=1)

    assert (False, ()) == (found.is_fix, found.reasons)


def test_large_change_is_a_feature() -> None:
    """What a kernel of hundreds of lines has in guards does not make it a fix."""
    lines = [("if (a < b and c) {", "")] * 300

    assert not fixlike.judge(lines, subject="Add a kernel", size=300).is_fix


def test_comment_of_several_lines_warns() -> None:
    """Words that warn are found across the lines of a comment."""
    lines = [
        ("// so q_idx + 1 is not", ""),
        ("// necessarily the next Q", ""),
        ("if (a != b) {", ""),
    ]

    assert "its comment warns" in fixlike.judge(lines, size=3).reasons


@pytest.mark.parametrize(
    ("line", "halves"),
    [
        ("  // note", ("", "note")),
        (" * note", ("", "note")),
        ("# note", ("", "note")),
        ("x = 1; // note", ("x = 1;", " note")),
        ("x = 1  # note", ("x = 1 ", "note")),
        ("#pragma unroll", ("#pragma unroll", "")),
        ("#if defined(X)", ("#if defined(X)", "")),
        ("x = 1;", ("x = 1;", "")),
    ],
)
def test_halves(line: str, halves: tuple[str, str]) -> None:
    """Code and comment of a line are told apart, and a preprocessor line is code."""
    assert halves == fixlike.halves(line)


def test_comment_bears_no_sign_of_code() -> None:
    """A comment that speaks of a barrier synchronises nothing."""
    assert set() == fixlike.signs("// wait for the barrier: min(a, b)")


def test_only_rules_of_its_kind() -> None:
    """Words in a subject are not looked for in code, and the other way round."""
    assert {Where.CODE, Where.COMMENT, Where.SUBJECT} == {rule.where for rule in RULES}
    assert (
        ()
        == fixlike.judge([("fix_up(guard);", "")], subject="min(a, b) if (a < b)", size=50).reasons
    )


def test_reference_has_every_rule() -> None:
    """The table in the reference has a row for each rule, with its place and weight."""
    page = Path(__file__).parents[2] / "docs/reference/carry.md"
    rows = re.findall(
        r"^\| .+ \| (code|comment|subject) \| (\d) \|$", page.read_text(), re.MULTILINE
    )

    assert [(rule.where.value, str(rule.weight)) for rule in RULES] == rows
