"""The paged schedule over many batches."""

from functools import partial

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="meta_sweep",
    guards="some batch size or mix of lengths gets a schedule that leaves work out",
    call="get_paged_mqa_logits_metadata for batches of 1, 7, 32, 33, 256, with and without zeros",
    reference="starts at 0, ends at the total, never back, shares differ by at most one",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=0,
    floor=0,
    metric="broken",
    level=SWEEP,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Check the invariants of each schedule; the control is one schedule for other lengths."""
    broken, noticed = [], 0
    for batch in (1, 7, 32, 33, 256):
        for next_n in (1, 2):
            for zeros in (0.0, 0.5):
                last = paged.lengths(batch, 1, 5000, zeros=zeros)
                context = bench.integers([[length] * next_n for length in last])
                made = bench.first(
                    "get_paged_mqa_logits_metadata", partial(paged.schedule, bench, context, 64)
                )
                fault = paged.schedule_faults(bench, made, context)
                if fault:
                    broken.append(f"batch {batch}, next_n {next_n}: {fault}")
                noticed += bool(paged.schedule_faults(bench, made, context * 3 + 256))
    return Outcome(number=len(broken), controls={"other lengths": noticed}, broken=tuple(broken))
