"""What only Blackwell has must decline on Hopper, never run."""

from collections.abc import Callable

from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.group import Alone
from dgpin.smoke.references import Tensor

CHECK = Check(
    id="sm100_only",
    guards="a Blackwell path runs on Hopper without a word, and its result is garbage",
    call=(
        "get_mqa_logits_metadata, bf16_mega_moe, fp8_fp4_gemm_nt with fp4, fp8_gemm_nt with "
        "packed scales, paged metadata with next_n 3"
    ),
    reference="each raises before it launches anything",
    arches=("sm_90",),
    limit=0,
    metric="ran",
    ran_on=("sm_90",),
    seconds=1.5,
)


def run(bench: Bench) -> Outcome:
    """Call each and keep what it answers."""
    answers = {name: _answer(bench, call) for name, call in _calls(bench).items()}
    ran = [name for name, answer in answers.items() if not answer]
    return Outcome(
        number=len(ran), broken=tuple(f"{name} ran on {bench.arch}" for name in ran), notes=answers
    )


def _answer(bench: Bench, call: Callable[[], object]) -> str:
    try:
        call()
        bench.synchronize()
    except Exception as error:  # noqa: BLE001 - whatever it says, it declined
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def _calls(bench: Bench) -> dict[str, Callable[[], object]]:
    torch, build = bench.torch, bench.build

    def zeros(*shape: int, kind: object) -> Tensor:
        return torch.zeros(*shape, device=bench.device, dtype=kind)

    def mega_moe() -> None:
        buffer = build.get_symm_buffer_for_mega_moe(
            Alone(), 4, 64, 2, 512, 256, mma_type="bf16xbf16"
        )
        first, second = build.transform_weights_for_mega_moe(
            bench.randn(4, 512, 512), bench.randn(4, 512, 256)
        )
        build.bf16_mega_moe(bench.poisoned(16, 512), first, second, buffer)

    def fp4() -> None:
        packed, scales = zeros(64, 128, kind=torch.int8), zeros(64, 2, kind=torch.float32)
        build.fp8_fp4_gemm_nt(
            (packed, scales), (packed, scales), bench.poisoned(64, 64), recipe=(1, 1, 128)
        )

    def packed_scales() -> None:
        values = zeros(64, 512, kind=torch.float32).to(torch.float8_e4m3fn)
        ones = bench.integers([[0x7F7F7F7F]] * 64)
        build.fp8_gemm_nt((values, ones), (values, ones), bench.poisoned(64, 64))

    def three_tokens() -> None:
        context = bench.integers([[100] * 3] * 4)
        made = build.get_paged_mqa_logits_metadata(context, 64, build.get_num_sms())
        q = zeros(4, 3, 64, 128, kind=torch.float32).to(torch.float8_e4m3fn)
        cache = zeros(8, 64, 1, 132, kind=torch.uint8)
        weights, table = zeros(12, 64, kind=torch.float32), zeros(4, 2, kind=torch.int32)
        build.fp8_fp4_paged_mqa_logits((q, None), cache, weights, context, table, made, 128)

    starts, ends = bench.integers([0] * 4), bench.integers([1] * 4)
    return {
        "get_mqa_logits_metadata": lambda: build.get_mqa_logits_metadata(starts, ends, 64, 64),
        "bf16_mega_moe": mega_moe,
        "fp8_fp4_gemm_nt with fp4": fp4,
        "fp8_gemm_nt with packed scales": packed_scales,
        "paged logits with next_n 3": three_tokens,
    }
