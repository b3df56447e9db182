"""What a GPU, or the lack of one, proves of an architecture."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dgpin.api.builds import Build
from dgpin.errors import UnavailableError
from dgpin.smoke import device, headers
from dgpin.smoke.device import Device
from dgpin.verdict import Verdict
from dgpin.verify import smoke_step
from dgpin.verify.answer import Point

H200 = Device(name="NVIDIA H200", driver="580", arch="sm_90")


def _report(arch: str = "sm_90", *, code: int = 0, blocked: str = "") -> Any:
    return SimpleNamespace(
        arch=arch,
        proven=(arch,) if code == 0 and not blocked else (),
        blocked=blocked,
        results=(),
        facts=(),
        ran=None,
        exit_code=lambda: code,
    )


def _run(
    monkeypatch: pytest.MonkeyPatch, *, gpu: Device | None, report: Any
) -> dict[str, tuple[Verdict, str]]:
    def smoke(*_: object) -> Any:
        if isinstance(report, Exception):
            raise report
        return report

    monkeypatch.setattr(device, "first", lambda _env: gpu)
    monkeypatch.setattr(smoke_step, "_smoke", smoke)
    monkeypatch.setattr(headers, "rows", lambda *_args, **_options: ())
    material: Any = SimpleNamespace(
        subject=SimpleNamespace(new=Point(repo="r", commit="c" * 40)),
        request=SimpleNamespace(env={}, document=lambda *_: None),
        new=lambda: Build(label="b", root=Path("/build")),
    )
    _, proofs = smoke_step.run(material, ("sm_90", "sm_100"), None)
    return {row.rule: (row.verdict, row.message) for row in proofs}


@pytest.mark.parametrize(
    ("gpu", "report", "sm_90", "sm_100"),
    [
        (None, None, (Verdict.UNKNOWN, "there is no GPU here"), "there is no GPU here"),
        (
            H200,
            _report(),
            (Verdict.PASS, "proved on NVIDIA H200 (sm_90)"),
            "the GPU here is NVIDIA H200 (sm_90)",
        ),
        (
            H200,
            _report(code=1),
            (Verdict.FAIL, "not sound on NVIDIA H200 (sm_90)"),
            "the GPU here is NVIDIA H200 (sm_90)",
        ),
        (
            H200,
            _report(code=3),
            (Verdict.UNKNOWN, "(sm_90) not every check of the core had an answer"),
            "the GPU here is NVIDIA H200 (sm_90)",
        ),
        (
            H200,
            _report(blocked="the driver is too old"),
            (Verdict.UNKNOWN, "the driver is too old"),
            "the GPU here is NVIDIA H200 (sm_90)",
        ),
        (
            H200,
            UnavailableError("no torch"),
            (Verdict.UNKNOWN, "no torch"),
            "no torch",
        ),
    ],
)
def test_one_gpu_proves_one_architecture(
    gpu: Device | None,
    report: Any,
    sm_90: tuple[Verdict, str],
    sm_100: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own, when the build stood; every other one stays unknown, with the reason."""
    found = _run(monkeypatch, gpu=gpu, report=report)

    assert sm_90[0] is found["sm_90"][0]
    assert found["sm_90"][1].endswith(sm_90[1])
    assert (Verdict.UNKNOWN, f"not proved: {sm_100}") == found["sm_100"]
