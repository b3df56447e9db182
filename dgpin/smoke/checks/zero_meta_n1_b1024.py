"""The schedule of 1024 empty requests, next_n 1."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="zero_meta_n1_b1024",
    guards="the schedule of an all-empty batch reads past shared memory: any multiple of 32 does",
    call="get_paged_mqa_logits_metadata(zeros[1024, 1], 64, slots), the lengths guarded",
    reference="no fault; every worker starts and ends past the last request",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=0,
    floor=0,
    metric="broken",
    ran_on=("sm_90",),
    may_fault=True,
)


def run(bench: Bench) -> Outcome:
    """Ask for the schedule."""
    return paged.empty_schedule(bench, next_n=1, batch=1024)
