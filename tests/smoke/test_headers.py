"""Known faults of the kernels are seen in their headers, and only where they are."""

from pathlib import Path

import pytest

from dgpin.smoke import headers
from dgpin.verdict import Verdict

SCHEDULER = "include/deep_gemm/scheduler/sm90_paged_mqa_logits.cuh"
KERNEL = "include/deep_gemm/impls/sm90_fp8_paged_mqa_logits.cuh"
UNCLAMPED = "q_idx = lo;\nx = prefix_sum[q_idx];\n"
CLAMPED = "q_idx = min(lo, batch_size - 1);\nx = prefix_sum[q_idx];\n"
SKIPPING = "while (current_num_kv == 0) advance();\n"
STALE = "\nissue_tma_q(q_stage_idx, q_idx + 1);\n"
RIGHT = "\nissue_tma_q(q_stage_idx, next_q_idx);\n"


def tree(root: Path, scheduler: str, kernel: str) -> Path:
    """Write a package's include tree."""
    for name in headers.TREES:
        (root / "include" / name).mkdir(parents=True)
    for path, text in ((SCHEDULER, scheduler), (KERNEL, kernel)):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.mark.parametrize(
    ("scheduler", "kernel", "failing"),
    [
        (UNCLAMPED, STALE, ["empty-batch"]),
        (CLAMPED, STALE, []),
        ("if (total == 0) return;\n" + UNCLAMPED, STALE, []),
        (CLAMPED + SKIPPING, RIGHT, []),
        (CLAMPED + SKIPPING, STALE, ["empty-request"]),
        (UNCLAMPED + SKIPPING, STALE, ["empty-batch", "empty-request"]),
    ],
)
def test_faults(tmp_path: Path, scheduler: str, kernel: str, failing: list[str]) -> None:
    """A fault needs both of its signs."""
    rows = headers.rows(tree(tmp_path, scheduler, kernel))

    assert failing == [row.rule for row in rows if row.verdict is Verdict.FAIL]


def test_family(tmp_path: Path) -> None:
    """sm_103 runs the kernels of sm_100, so their headers are the ones to judge."""
    root = tree(tmp_path, CLAMPED, RIGHT)
    path = root / SCHEDULER.replace("sm90", "sm100")
    path.write_text(UNCLAMPED)

    for arch in ("sm_100", "sm_103"):
        (place,) = [row.places[0] for row in headers.rows(root, arch=arch) if row.hint]
        assert str(path) == place.path


def test_place(tmp_path: Path) -> None:
    """A fault is shown where it stands."""
    rows = headers.rows(tree(tmp_path, CLAMPED + SKIPPING, STALE))

    assert [f"{tmp_path / KERNEL}:2"] == [str(row.places[0]) for row in rows if row.hint]


def test_incomplete_tree(tmp_path: Path) -> None:
    """A tree without cutlass can compile nothing."""
    (tmp_path / "include" / "deep_gemm").mkdir(parents=True)
    (row,) = headers.rows(tmp_path)

    assert (Verdict.FAIL, "cutlass, cute missing: no kernel can be compiled") == (
        row.verdict,
        row.message,
    )
