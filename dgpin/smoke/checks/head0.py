"""Paged MQA logits with empty requests at the start."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="head0",
    guards="empty requests at the start shift the queries",
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
    return paged.compare(bench, [*[0] * 170, *paged.lengths(342, 1, 700)], next_n=1)
