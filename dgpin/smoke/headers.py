"""Known faults of the kernels, seen in the headers that travel with a build."""

import re
from pathlib import Path

from dgpin.verdict import Place, Row, Verdict

TREES = ("deep_gemm", "cutlass", "cute")
_SCHEDULER = "deep_gemm/scheduler/{arch}_paged_mqa_logits.cuh"
_KERNEL = "deep_gemm/impls/{arch}_fp8_paged_mqa_logits.cuh"
# The clamp, or the early way out, that keeps an all-empty batch inside shared memory.
_CLAMPED = re.compile(r"min\(lo, batch_size - 1\)|\btotal == 0")
_FAMILIES = {"sm_103": "sm100"}  # whose kernels it runs
_SKIPS_EMPTY = "current_num_kv == 0"
_STALE_PREFETCH = "issue_tma_q(q_stage_idx, q_idx + 1)"


def rows(package: Path, *, arch: str = "sm_90") -> tuple[Row, ...]:
    """Judge the include tree of a package for an architecture."""
    include = package / "include"
    missing = [name for name in TREES if not (include / name).is_dir()]
    if missing:
        return (
            Row(
                rule="include-tree",
                verdict=Verdict.FAIL,
                message=f"{', '.join(missing)} missing: no kernel can be compiled",
                places=(Place(str(include)),),
                hint="Install the package again whole, or build it with `dgpin build`.",
            ),
        )
    family = _FAMILIES.get(arch, arch.replace("_", ""))
    return (
        Row(
            rule="include-tree",
            verdict=Verdict.PASS,
            message=", ".join(TREES),
            places=(Place(str(include)),),
        ),
        *_empty_batch(include, family),
        *_empty_request(include, family),
    )


def _empty_batch(include: Path, family: str) -> tuple[Row, ...]:
    path = include / _SCHEDULER.format(arch=family)
    text = _read(path)
    if text is None or "prefix_sum" not in text:
        return ()
    if _CLAMPED.search(text):
        return (_row("empty-batch", Verdict.PASS, "an all-empty batch stays in bounds", path),)
    return (
        _row(
            "empty-batch",
            Verdict.FAIL,
            "the schedule of an all-empty batch reads past shared memory",
            path,
            line=_line(text, "prefix_sum[q_idx]"),
            hint="A batch of any multiple of 32 empty requests faults; choose a commit with the"
            " clamp.",
        ),
    )


def _empty_request(include: Path, family: str) -> tuple[Row, ...]:
    scheduler, kernel = (include / each.format(arch=family) for each in (_SCHEDULER, _KERNEL))
    schedule, text = _read(scheduler), _read(kernel)
    if schedule is None or text is None or _SKIPS_EMPTY not in schedule:
        return ()
    if _STALE_PREFETCH not in text:
        return (_row("empty-request", Verdict.PASS, "empty requests are skipped soundly", kernel),)
    return (
        _row(
            "empty-request",
            Verdict.FAIL,
            "empty requests are skipped, yet the query after the current one is fetched",
            kernel,
            line=_line(text, _STALE_PREFETCH),
            hint="Logits behind an empty request are wrong; choose a commit that fetches"
            " next_q_idx.",
        ),
    )


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _line(text: str, needle: str) -> int:
    at = text.find(needle)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0


def _row(
    rule: str, verdict: Verdict, message: str, path: Path, *, line: int = 0, hint: str = ""
) -> Row:
    place = Place(str(path), line)
    return Row(rule=rule, verdict=verdict, message=message, places=(place,), hint=hint)
