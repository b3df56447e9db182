"""Paged MQA logits where a third of the requests have no context, next_n 4."""

from dgpin.smoke import paged
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="mixed0_n4",
    guards="after an empty request between two others, the queries are the wrong ones",
    call=f"{paged.CALL}; block_kv 64, 512 requests of 1 to 700 tokens, a third 0, next_n 4",
    reference=paged.REFERENCE,
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=1e-6,
    floor=0.1,
    capabilities=("next_n4",),
    refusals=paged.NO_NEXT_N4,
    ran_on=("sm_90",),
    family="paged_n4",
)


def run(bench: Bench) -> Outcome:
    """Compare 512 short requests; workers own tasks of several, so they cross empty ones."""
    return paged.compare(bench, paged.lengths(512, 1, 700, zeros=0.34), next_n=4)
