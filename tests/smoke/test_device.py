"""The driver's tool names the GPU."""

import pytest

from dgpin.smoke.device import Device, parse


@pytest.mark.parametrize(
    ("said", "device"),
    [
        ("NVIDIA H200, 580.1, 9.0\n", Device(name="NVIDIA H200", driver="580.1", arch="sm_90")),
        ("A, b, 590.1, 10.3\n", Device(name="A, b", driver="590.1", arch="sm_103")),
        ("No devices were found\n", None),
        ("", None),
    ],
)
def test_parse(said: str, device: Device | None) -> None:
    """Its answer is read, and no answer is no GPU."""
    assert device == parse(said)
