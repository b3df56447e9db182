"""Paged MQA logits, 2 query tokens a request, pages of 32 tokens."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import SWEEP, Check, Outcome

CHECK = Check(
    id="paged_n2_b32",
    guards="decode scores with one speculative token are wrong with pages of 32 tokens",
    call=f"{paged.CALL}; block_kv 32, 64 requests of 200 to 2600 tokens, next_n 2",
    reference=paged.REFERENCE,
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=0.1,
    level=SWEEP,
    capabilities=("block_kv32",),
    refusals=paged.NO_BLOCK_KV32,
    ran_on=("sm_90",),
)


def run(bench: Bench) -> Outcome:
    """Compare 64 requests of ordinary lengths."""
    return paged.compare(bench, paged.lengths(64, 200, 2600), next_n=2, block_kv=32)
