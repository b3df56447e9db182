"""The logits kernel on 1024 empty requests, next_n 1."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="zero_full_n1",
    guards="the logits kernel reads lengths past the last request of an all-empty batch",
    call=(
        "fp8_fp4_paged_mqa_logits with the schedule [[1024, 0]] * (slots + 1), "
        "lengths[1024, 1] and page table guarded"
    ),
    reference="no fault; there is nothing to compute",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=0,
    floor=0,
    metric="broken",
    ran_on=("sm_90",),
    seconds=0.5,
    family="paged_n1",
    may_fault=True,
)


def run(bench: Bench) -> Outcome:
    """Run the kernel on nothing."""
    return paged.empty_batch(bench, next_n=1)
