"""Settings that the host changes: each must take, and read back."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

ALIGNMENT = 128  # of grouped rows, on every architecture up to 2.8.1
ALIGNMENT_SM100 = (128, 256)  # 2.8.2 answers 256 there

CHECK = Check(
    id="config",
    guards="a setting that the host makes is ignored, or answers another layout",
    call="set_num_sms, set_pdl, set_mk_alignment_for_contiguous_layout and their getters",
    reference="what was set is what is read; alignment 128; get_tma_aligned_size(33, 4) is 36",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=0,
    metric="wrong",
    ran_on=("sm_90",),
    seconds=0.1,
)


def run(bench: Bench) -> Outcome:
    """Change each setting, read it, put it back."""
    build = bench.build
    broken = []
    workers, pdl = build.get_num_sms(), build.get_pdl()
    rows = build.get_mk_alignment_for_contiguous_layout()
    for set_it, get_it, values in (
        (build.set_num_sms, build.get_num_sms, (workers - 2, workers)),
        (build.set_pdl, build.get_pdl, (True, False, pdl)),
        (
            build.set_mk_alignment_for_contiguous_layout,
            build.get_mk_alignment_for_contiguous_layout,
            (64, rows),
        ),
    ):
        for value in values:
            set_it(value)
            if get_it() != value:
                broken.append(f"{get_it.__name__} answers {get_it()} after {value} was set")
    best = [
        build.get_theoretical_mk_alignment_for_contiguous_layout(tokens) for tokens in (None, 4096)
    ]
    allowed = (ALIGNMENT,) if bench.arch == "sm_90" else ALIGNMENT_SM100
    broken += [f"the theoretical row alignment is {x}" for x in best if x not in allowed]
    if build.get_tma_aligned_size(33, 4) != 36:
        broken.append("get_tma_aligned_size(33, 4) is not 36")
    return Outcome(
        number=len(broken),
        broken=tuple(broken),
        notes={"num_sms": workers, "row_alignment": rows, "pdl": pdl},
    )
