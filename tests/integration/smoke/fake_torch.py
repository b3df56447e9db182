"""What the worker touches of torch, without a GPU: installed as `torch` in the fake interpreter.

TORCH_FAKE_* variables choose the device that it claims to have.
"""

import os
from types import SimpleNamespace

__version__ = "2.99.0+cu130"
version = SimpleNamespace(cuda="13.0")
backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=True)))
bfloat16 = float32 = uint8 = None
lost = False


class AcceleratorError(RuntimeError):
    """What torch raises for an error of the device."""


def zeros(_count: int, **_device: str) -> None:
    if os.environ.get("FAKE_GPU") == "none":
        raise RuntimeError("No CUDA GPUs are available")


def manual_seed(_seed: int) -> None:
    pass


def synchronize() -> None:
    if lost:
        raise AcceleratorError("CUDA error: an illegal memory access was encountered")


def lose() -> None:
    """Behave from now on as after a fault of the device."""
    global lost  # noqa: PLW0603 - so does a real device
    lost = True


cuda = SimpleNamespace(
    synchronize=synchronize,
    get_device_capability=lambda: tuple(map(int, os.environ.get("FAKE_GPU", "9.0").split("."))),
    get_device_name=lambda: "Fake GPU",
)
