"""Reports as a run would give them."""

from pathlib import Path
from typing import Any

from dgpin.build.interpreter import Interpreter
from dgpin.build.torch_files import Torch
from dgpin.smoke.case import Check
from dgpin.smoke.compare import compare
from dgpin.smoke.device import Device
from dgpin.smoke.environment import Toolkit
from dgpin.smoke.explain import explain
from dgpin.smoke.report import Report
from dgpin.smoke.results import Loaded, Ran, Result, Trouble
from dgpin.smoke.target import Target
from dgpin.verdict import Place, Row, Verdict

FAULT = "RuntimeError: an illegal memory access was encountered\nTraceback (most recent call last):"
LOADED = Loaded(
    torch="2.11.0+cu130", cuda="13.0", python="3.12.3", version="2.8.0", package="/b/__init__.py",
    extension="/b/_C.so", arch="sm_90", gpu="NVIDIA H200",
)  # fmt: skip


def check(name: str, **fields: Any) -> Check:
    """Return a check."""
    told = {"guards": "x", "call": "x", "reference": "x", "arches": ("sm_90",), "limit": 1e-6}
    return Check(id=name, **{**told, **fields})


def result(name: str, verdict: Verdict = Verdict.PASS, **fields: Any) -> Result:
    """Return a check's answer."""
    return Result(check=check(name, ran_on=("sm_90",)), verdict=verdict, **fields)


PASSED = result("gemm", number=1.4e-9, controls={"rolled": 0.7}, cold_seconds=2.5,
                warm_ms=(0.03, 0.04, 0.05))  # fmt: skip
FAULTY = result("zero", Verdict.FAIL, message="out of bounds", explanation=explain(FAULT),
                raw=FAULT)  # fmt: skip
WRONG = result("mixed", Verdict.FAIL, message="calc_diff nan | over", number=float("nan"))
DECLINED = result("paged", Verdict.UNSUPPORTED, message="block_kv == 64")


def ran(*results: Result, trouble: Trouble | None = None) -> Ran:
    """Return what a build's run found."""
    return Ran(
        label="new",
        results=results,
        loaded=None if trouble else LOADED,
        trouble=trouble,
        seconds=3.5,
        shards=2,
    )


def report(*results: Result, old: Ran | None = None, **fields: Any) -> Report:
    """Return a report of these answers."""
    new = ran(*results) if results else None
    told: dict[str, Any] = {
        "target": target(),
        "arch": "sm_90",
        "level": 1,
        "facts": (Row(rule="compiler", verdict=Verdict.PASS, message="/usr/bin/g++"),),
        "when": "2026-01-02T03:04:05Z",
        "device": Device(name="NVIDIA H200", driver="580.1", arch="sm_90"),
        "ran": new,
        "against": old,
        "pairs": compare(old, new) if old and new else (),
    }
    return Report(**{**told, **fields})


FAILING_FACT = Row(
    rule="nvcc",
    verdict=Verdict.FAIL,
    message="no nvcc",
    places=(Place("/cuda"),),
    hint="Set CUDA_HOME.",
)


def target() -> Target:
    """Return a build that was only read."""
    return Target(
        label="build",
        package=Path("/b/deep_gemm"),
        python=Interpreter(
            path=Path("/py"), version="3.12.3", include=Path("/i"), ext_suffix=".so",
            platform="linux", search=(),
        ),
        toolkit=Toolkit(
            home=Path("/cuda"), origin="CUDA_HOME", nvcc=Path("/cuda/bin/nvcc"), version="13.0"
        ),
        env={},
        torch=Torch(
            root=Path("/t"), version="2.11.0", git="", cuda="13.0", hip="", cxx11_abi=True,
            cxx_std=17,
        ),
        extension=Path("/b/deep_gemm/_C.so"),
        data=b"code",
        headers="ab" * 32,
        others=(),
        requires=("torch==2.11.0",),
        fingerprint="",
    )  # fmt: skip
