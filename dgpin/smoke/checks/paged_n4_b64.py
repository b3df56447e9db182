"""Paged MQA logits, 4 query tokens a request, pages of 64 tokens."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="paged_n4_b64",
    guards="decode scores with three speculative tokens are wrong, or refused",
    call=f"{paged.CALL}; block_kv 64, 64 requests of 200 to 2600 tokens, next_n 4",
    reference=paged.REFERENCE,
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=0.1,
    capabilities=("next_n4",),
    refusals=paged.NO_NEXT_N4,
    ran_on=("sm_90",),
    seconds=4,
    family="paged_n4",
)


def run(bench: Bench) -> Outcome:
    """Compare 64 requests of ordinary lengths."""
    return paged.compare(bench, paged.lengths(64, 200, 2600), next_n=4, block_kv=64)
