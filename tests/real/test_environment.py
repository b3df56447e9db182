"""Real builds of deep_gemm, as an interpreter would find them."""

import sys
from pathlib import Path

import pytest

from dgpin.pin import environment
from dgpin.pin.environment_check import judge
from dgpin.verdict import Verdict
from tests.real import inputs


def test_installed_hides_vendored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel's 2.6.1 before vLLM 0.30's own copy: both are described, and the former wins."""
    host = tmp_path / "vllm" / "third_party"
    host.mkdir(parents=True)
    (host / "deep_gemm").symlink_to(inputs.vendored("0.30.0") / "deep_gemm")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{inputs.build('2.6.1')}")

    found = environment.read(sys.executable)

    assert found.installed is not None
    assert found.installed.version is not None
    assert found.installed.version.startswith("2.6.1")
    [own] = found.vendored
    assert ("sm_90", "sm_100", "sm_120") == own.arches
    # What the binary asks for is what the headers' names say.
    assert own.families == own.wanted
    assert "fp8_mqa_logits" in environment.exports(own)
    rows = {row.rule: row for row in judge(found)}
    assert Verdict.FAIL is rows["import"].verdict
    assert "which hides vllm.third_party.deep_gemm" in rows["import"].message
    assert Verdict.PASS is rows["kernels"].verdict
