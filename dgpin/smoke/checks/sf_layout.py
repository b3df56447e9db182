"""Scale factors brought into the layout that TMA reads."""

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.operands import align
from dgpin.smoke.references import Tensor, worst

CHECK = Check(
    id="sf_layout",
    guards="scales reach the kernels transposed, padded or strided otherwise",
    call=(
        "transform_sf_into_required_layout(sf, m, k, (1, 128, 128), g, True, True); "
        "get_mn_major_tma_aligned_tensor(sf)"
    ),
    reference="the same values, stride 1 along the rows, columns align(m, 4) apart",
    arches=("sm_90",),
    limit=0,
    metric="max error",
    ran_on=("sm_90",),
    seconds=5,
)
CASES = ((33, 7168, None), (4096, 2048, None), (96, 1024, 4))


def run(bench: Bench) -> Outcome:
    """Compare copies exactly; the control is the same scales rolled by one."""
    torch, build = bench.torch, bench.build
    errors, broken, control = [], [], 0.0
    for rows, columns, groups in CASES:
        leading = () if groups is None else (groups,)
        scales = torch.rand(*leading, rows, columns // 128, device=bench.device) + 0.5
        made, plain = _layouts(bench, scales, rows, columns, groups)
        errors += [float((x - scales).abs().max()) for x in (made, plain)]
        if (made.stride(-2), made.stride(-1)) != (1, align(rows, 4)):
            broken.append(f"the strides of {tuple(scales.shape)} are {tuple(made.stride())}")
        control = float((made - scales.roll(1, -1)).abs().max())
    weights = torch.rand(17, 16, device=bench.device)
    kept = build.transform_sf_into_required_layout(
        weights, 2112, 2048, (1, 128, 128), None, False, True
    )
    errors.append(float((kept - weights).abs().max()))
    big = torch.rand(512, 56, device=bench.device)
    bench.time(lambda: build.get_mn_major_tma_aligned_tensor(big))
    return Outcome(number=worst(errors), controls={"scales rolled": control}, broken=tuple(broken))


def _layouts(
    bench: Bench, scales: Tensor, rows: int, columns: int, groups: int | None
) -> tuple[Tensor, Tensor]:
    build = bench.build
    made = bench.first(
        "transform_sf_into_required_layout",
        lambda: build.transform_sf_into_required_layout(
            scales, rows, columns, (1, 128, 128), groups, True, True
        ),
    )
    plain = bench.first(
        "get_mn_major_tma_aligned_tensor", lambda: build.get_mn_major_tma_aligned_tensor(scales)
    )
    return made, plain
