"""Paged MQA logits with empty requests among few long ones."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="mixed0_long",
    guards="empty requests among few long ones shift the queries",
    call=f"{paged.CALL}; block_kv 64, next_n 1",
    reference=paged.REFERENCE,
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=0.1,
    level=SWEEP,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare the requests that have a context."""
    return paged.compare(bench, paged.lengths(16, 1, 20000, zeros=0.34), next_n=1)
