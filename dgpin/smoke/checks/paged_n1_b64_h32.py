"""Paged MQA logits, 1 query token a request, pages of 64 tokens, 32 heads."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="paged_n1_b64_h32",
    guards="decode scores are wrong with half as many heads",
    call=f"{paged.CALL}; block_kv 64, 64 requests of 200 to 2600 tokens, next_n 1, 32 heads",
    reference=paged.REFERENCE,
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=0.1,
    level=SWEEP,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare 64 requests of ordinary lengths."""
    return paged.compare(bench, paged.lengths(64, 200, 2600), next_n=1, heads=32)
