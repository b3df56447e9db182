"""What a check works with: torch, the build, its own random numbers, and the clock."""

import time
from collections.abc import Callable
from typing import TypeVar

from dgpin.smoke import guard, operands
from dgpin.smoke.references import Build, Tensor, Torch
from dgpin.smoke.wanted import VLLM, Needs

T = TypeVar("T")

SEED = 1234
WARM_CALLS = 20
REPEATS = 8


class Bench:
    """The device as one check sees it.

    `announce` is told the name of each call before it is made, so that a hang can be named;
    `alone` returns when no other process of the run works on the device.
    """

    def __init__(
        self,
        torch: Torch,
        build: Build,
        *,
        arch: str,
        device: str = "cuda",
        needs: Needs = VLLM,
        announce: Callable[[str], None] = lambda _: None,
        alone: Callable[[], None] = lambda: None,
    ) -> None:
        self.torch = torch
        self.build = build
        self.arch = arch
        self.device = device
        self.needs = needs
        self.cold_seconds = 0.0
        self.warm_ms: list[float] = []
        self._announce = announce
        self._alone = alone
        self._kept: list[object] = []
        torch.manual_seed(SEED)

    @property
    def on_gpu(self) -> bool:
        """Whether this is the real thing; the tests of the checks run on the CPU."""
        return self.device != "cpu"

    @property
    def needs_pow2(self) -> bool:
        """Whether fp8 scales must be powers of two: Hopper alone takes any fp32 scale."""
        return self.arch != "sm_90"

    def synchronize(self) -> None:
        """Wait for the device, so that its errors come up here."""
        if self.on_gpu:
            self.torch.cuda.synchronize()

    def randn(self, *shape: int, scale: float = 1.0) -> Tensor:
        """Return normal random bf16 values."""
        return self.randn32(*shape, scale=scale).to(self.torch.bfloat16)

    def randn32(self, *shape: int, scale: float = 1.0) -> Tensor:
        """Return normal random fp32 values."""
        return self.torch.randn(*shape, device=self.device, dtype=self.torch.float32) * scale

    def integers(self, values: object) -> Tensor:
        """Return int32 values on the device."""
        return self.torch.tensor(values, device=self.device, dtype=self.torch.int32)

    def poisoned(self, *shape: int, dtype: object = None) -> Tensor:
        """Return an output full of NaN: what a kernel does not write stays visible."""
        kind = dtype or self.torch.bfloat16
        return self.torch.full(shape, float("nan"), device=self.device, dtype=kind)

    def fp8_rows(self, *shape: int, scale: float = 1.0) -> tuple[Tensor, Tensor]:
        """Return a random left operand and its scales."""
        x = self.randn(*shape, scale=scale)
        return operands.fp8_rows(self.torch, x, pow2=self.needs_pow2)

    def fp8_blocks(self, *shape: int, scale: float = 1.0) -> tuple[Tensor, Tensor]:
        """Return a random right operand and its scales."""
        x = self.randn(*shape, scale=scale)
        return operands.fp8_blocks(self.torch, x, pow2=self.needs_pow2)

    def guarded(self, tensor: Tensor) -> Tensor:
        """Return a copy that ends at the end of a mapping; on the CPU, the tensor itself."""
        if not self.on_gpu:
            return tensor
        copy, owner = guard.at_the_end(self.torch, tensor)
        self._kept.append(owner)
        return copy

    def alone(self) -> None:
        """Wait for the device to be free of others, before the call that may fault.

        A fault is slow, and slows everybody, while another process has work there. Compile before:
        the others wait too.
        """
        self.synchronize()
        self._alone()

    def first(self, name: str, call: Callable[[], T]) -> T:
        """Make the first call of something that may compile, and time it to its end."""
        self._announce(name)
        self.synchronize()
        started = time.perf_counter()
        result = call()
        self.synchronize()
        self.cold_seconds += time.perf_counter() - started
        return result

    def time(self, call: Callable[[], object], calls: int = WARM_CALLS) -> None:
        """Time warm calls one by one; for information, never for the verdict."""
        if not self.on_gpu:
            return
        call()
        event = self.torch.cuda.Event
        marks = [(event(enable_timing=True), event(enable_timing=True)) for _ in range(calls)]
        for before, after in marks:
            before.record()
            call()
            after.record()
        self.synchronize()
        self.warm_ms = sorted(before.elapsed_time(after) for before, after in marks)

    def differing(self, call: Callable[[], Tensor], expected: Tensor) -> int:
        """Return how many repeated calls give other bits than `expected`: a race, if any."""
        reference = self._bits(expected).clone()
        self.synchronize()
        changed = 0
        for _ in range(REPEATS if self.on_gpu else 1):
            again = self._bits(call())
            self.synchronize()
            changed += not self.torch.equal(again, reference)
        return changed

    def _bits(self, x: Tensor) -> Tensor:
        return x.contiguous().view(self.torch.uint8)
