"""What became of each line of an old tree in a new one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.source.survival import Comparison, Fate, Text, likeness, pair_files

KERNEL = """\
template <uint32_t kNumHeads>
void schedule(const uint32_t batch_size, const uint32_t* lens) {
    const uint32_t lane_idx = get_lane_idx();
    uint32_t lo = 0, hi = batch_size;
    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        lo = lens[mid] <= lane_idx ? mid + 1 : lo;
        hi = lens[mid] <= lane_idx ? hi : mid;
    }
    const uint32_t q_idx = min(lo, batch_size - 1);
    metadata[lane_idx] = q_idx;
}
"""


def _tree(**files: str) -> dict[str, Text]:
    named = ((name.replace("__", "/") + ".cuh", text) for name, text in files.items())
    return {name: Text(name, tuple(text.split("\n"))) for name, text in named}


def _fates(old: dict[str, Text], new: dict[str, Text]) -> list[tuple[Fate, str, str]]:
    comparison = Comparison(old, new)
    return [
        (gone.fate, old[path].lines[gone.line].strip(), gone.now)
        for path, numbers in comparison.gone.items()
        for gone in comparison.fates(path, numbers)
    ]


def test_nothing_is_gone_from_a_tree_itself() -> None:
    """A tree loses nothing to itself."""
    assert [] == _fates(_tree(k=KERNEL), _tree(k=KERNEL))


def test_indentation_is_no_change() -> None:
    """A line that stands deeper or is spaced otherwise is the same line."""
    deeper = "\n".join(f"        {line}".replace(" = ", "=") for line in KERNEL.split("\n"))

    assert [] == _fates(_tree(k=KERNEL), _tree(k=deeper))


def test_renamed_file() -> None:
    """A file under another name, most of whose lines are there, is the same file."""
    renamed = _tree(scheduler__sm90_k=KERNEL.replace("schedule(", "sm90_schedule("))

    assert {"k.cuh": "scheduler/sm90_k.cuh"} == pair_files(_tree(k=KERNEL), renamed)
    assert [Fate.CHANGED] == [fate for fate, _, _ in _fates(_tree(k=KERNEL), renamed)]


def test_moved_inside_the_file() -> None:
    """A line that stands elsewhere in its file is not lost."""
    line = "    const uint32_t lane_idx = get_lane_idx();\n"
    moved = KERNEL.replace(line, "").replace("    metadata", f"{line}    metadata")

    assert [] == _fates(_tree(k=KERNEL), _tree(k=moved))


def test_moved_to_another_file() -> None:
    """A block that moved to another file is not lost, a single line there is no move."""
    block = KERNEL.split("    while")[1].split("    const uint32_t q_idx", maxsplit=1)[0]
    without = KERNEL.replace(f"    while{block}", "    lo = search(lens, batch_size);\n")
    single = KERNEL.replace("    const uint32_t q_idx = min(lo, batch_size - 1);\n", "")

    assert [] == _fates(
        _tree(k=KERNEL, s="x"), _tree(k=without, s=f"x\nvoid search() {{\n while{block}")
    )
    assert [(Fate.LOST, "const uint32_t q_idx = min(lo, batch_size - 1);", "")] == _fates(
        _tree(k=KERNEL, s="other();"),
        _tree(k=single, s="other();\nconst uint32_t q_idx = min(lo, batch_size - 1);"),
    )


def test_changed_line() -> None:
    """A line in whose place a similar one stands was changed, and both are told."""
    changed = KERNEL.replace("min(lo, batch_size - 1)", "min(lo, batch_size - 2)")

    assert [
        (
            Fate.CHANGED,
            "const uint32_t q_idx = min(lo, batch_size - 1);",
            "const uint32_t q_idx = min(lo, batch_size - 2);",
        )
    ] == _fates(_tree(k=KERNEL), _tree(k=changed))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("const uint32_t q_idx = min(lo, n - 1);", "const uint32_t q_idx = lo;", True),
        ("issue_tma_q(stage, next_q_idx);", "issue_tma_q(stage, q_idx + 1);", True),
        ("cute::cluster_sync();", "cute::prefetch_tma_descriptor(&tensor_map_a);", False),
        ("if (a < b) {", "while (c > d) {", False),
        ("", "}", False),
    ],
)
def test_likeness(one: str, other: str, alike: bool) -> None:
    """Lines are alike when they share most words and signs; brackets alone make none alike."""
    assert alike == (likeness(one, other) > 0)


def test_lost_line_says_where_it_would_stand() -> None:
    """A line that left is placed after the last line before it that is still there."""
    new = _tree(k=KERNEL.replace("    const uint32_t q_idx = min(lo, batch_size - 1);\n", ""))
    comparison = Comparison(_tree(k=KERNEL), new)

    (gone,) = comparison.fates("k.cuh", comparison.gone["k.cuh"])

    assert ("k.cuh", "    metadata[lane_idx] = q_idx;") == (
        gone.new_path,
        new["k.cuh"].lines[gone.new_line],
    )


def test_dropped_file() -> None:
    """A file that shares nothing with the new tree is gone, with every line that says something."""
    comparison = Comparison(_tree(k=KERNEL), _tree(other="int main() {}"))

    assert {} == comparison.partners
    assert {Fate.LOST} == {
        gone.fate for gone in comparison.fates("k.cuh", comparison.gone["k.cuh"])
    }


def test_no_kernel_inherits_from_another_architecture() -> None:
    """A dropped sm120 file is not taken for the sm90 file that resembles it."""
    old = _tree(sm120_k=KERNEL, sm90_k=KERNEL)

    assert {"sm120_k.cuh"} == set(Comparison(old, _tree(sm90_k=KERNEL)).gone)


@given(st.sets(st.integers(0, 10)))
def test_what_is_gone_was_left_out(left_out: set[int]) -> None:
    """Whichever lines are left out, those and no others are gone."""
    lines = KERNEL.split("\n")
    text = Text("k.cuh", tuple(lines))
    kept = "\n".join(line for number, line in enumerate(lines) if number not in left_out)
    comparison = Comparison({"k.cuh": text}, {"k.cuh": Text("k.cuh", tuple(kept.split("\n")))})

    assert (left_out & text.numbers()) == comparison.gone.get("k.cuh", set())
