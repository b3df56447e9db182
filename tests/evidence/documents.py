"""Evidence as the commands write it, small."""

import json
from pathlib import Path
from typing import Any

HEADERS = "a1" * 32
OLDER = "b2" * 32


def check(
    name: str, verdict: str = "pass", *, number: float | str | None = 1.4e-6, warm: float = 0.04
) -> dict[str, Any]:
    """Return one check of a smoke run."""
    failed = verdict in {"fail", "crash", "timeout"}
    explanation = {"cause": "oob", "what": "it reads out of bounds", "cure": "Move the pin."}
    return {
        "id": name,
        "verdict": verdict,
        "message": "calc_diff 0.22" if failed else "",
        "metric": "calc_diff",
        "number": number,
        "limit": 1e-5,
        "controls": {"rolled": 0.77},
        "floor": 1e-3,
        "differing_repeats": 0,
        "seconds": 2.5,
        "cold_seconds": 2.1,
        "warm_ms": [warm, warm * 2, warm * 3] if verdict == "pass" else [],
        "kernels": [],
        "notes": {},
        "explanation": explanation if failed else None,
        "raw": "",
    }


def smoke(
    architecture: str,
    *checks: dict[str, Any],
    headers: str = HEADERS,
    when: str = "2026-09-20T10:00:00+00:00",
    digest: str = "c3" * 32,
    commit: str | None = None,
) -> dict[str, Any]:
    """Return the JSON of a smoke run; without checks nothing could run."""
    gpus = {"sm_90": "NVIDIA H200", "sm_100": "NVIDIA B200", "sm_120": "NVIDIA RTX PRO 6000"}
    loaded = {
        "version": "2.8.0",
        "package": "/x/deep_gemm",
        "extension": "/x/deep_gemm/_C.so",
        "torch": "2.14.1",
        "cuda": "13.0",
        "python": "3.11.7",
        "gpu": gpus.get(architecture, "a GPU"),
        "architecture": architecture,
    }
    run = {
        "label": "/x",
        "seconds": 20.0,
        "processes": 6,
        "loaded": loaded,
        "trouble": None,
        "checks": list(checks),
    }
    return {
        "schema": "dgpin/smoke/1",
        "dgpin": "0.1.0",
        "when": when,
        "level": 1,
        "architecture": architecture,
        "exit_code": 0,
        "build": {
            "label": "/x",
            "package": "/x/deep_gemm",
            "extension": "/x/deep_gemm/_C.so",
            "sha256": digest,
            "headers_sha256": headers,
            "fingerprint": "",
            "commit": commit,
            "requires": [],
        },
        "gpu": {"name": gpus.get(architecture, "a GPU"), "driver": "580.1"} if checks else None,
        "toolchain": {
            "python": "3.11.7",
            "torch": "2.14.1",
            "cuda_home": "/cuda",
            "cuda_home_origin": "CUDA_HOME",
            "nvcc": "13.0.88",
        },
        "facts": [
            {"rule": "torch", "verdict": "pass", "message": "fits", "places": [], "hint": ""}
        ],
        "blocked": "" if checks else "there is no GPU",
        "run": run if checks else None,
        "against": None,
        "differences": [],
        "proven": [architecture],
        "not_proven": [],
        "never_run_here_before": [],
    }


def pin_check(commit: str | None, *, verdict: str = "pass") -> dict[str, Any]:
    """Return the JSON of `dgpin check` with one row."""
    row = {
        "rule": "arches-covered",
        "verdict": verdict,
        "message": "the host enables sm_120, the source has no kernels",
        "places": [{"path": "vllm/platforms/cuda.py", "line": 9}, {"path": "all", "line": 0}],
        "hint": "",
    }
    return {
        "schema": "dgpin/check/1",
        "dgpin": "0.1.0",
        "host": "/host",
        "configuration": {"source": "vllm", "preset": True, "near": False},
        "pin": {"repo": "https://example.org/r", "commit": commit},
        "rows": [row],
    }


def diff_api(*, host: bool = False, digest: str = "d4" * 32) -> dict[str, Any]:
    """Return the JSON of `dgpin diff-api` with one breaking change, and one use in a host."""
    change = {
        "rule": "symbol-removed",
        "level": "breaking",
        "path": "deep_gemm.gone",
        "detail": "the function is gone",
        "private": False,
        "witness": {"code": "deep_gemm.gone", "in_a": "is there", "in_b": "AttributeError"},
        "accepted": None,
    }
    use = {
        "path": "vllm/ops.py",
        "line": 7,
        "rule": "raises",
        "consequence": "raises",
        "counts": True,
        "source": "deep_gemm.gone(x)",
        "why": "AttributeError",
        "cure": "Use the new name.",
    }
    return {
        "schema": "dgpin/diff-api/1",
        "dgpin": "0.1.0",
        "verdict": "fail",
        "a": {"label": "A", "digest": "e5" * 32},
        "b": {"label": "B", "digest": digest},
        "changes": [change],
        **({"host": {"uses": 40, "findings": [use]}} if host else {}),
    }


def build(*verdicts: str, commit: str | None = None, dirty: bool = False) -> dict[str, Any]:
    """Return the JSON of `dgpin build` with the answers of its builds."""
    return {
        "schema": "dgpin/build/1",
        "dgpin": "0.1.0",
        "source": {"label": "NEW", "commit": commit, "dirty": dirty},
        "builds": [{"verdict": each, "message": "compiled", "package": None} for each in verdicts],
    }


def carry(*, new: str = "NEW", fixes: int = 0, accepted: str | None = None) -> dict[str, Any]:
    """Return the JSON of `dgpin carry` with one lost fix."""
    lost = {
        "id": "ab" * 20,
        "title": "Clamp",
        "fix": True,
        "surviving": 0,
        "living": 1,
        "lines": [],
        "accepted": accepted,
    }
    return {
        "schema": "dgpin/carry/1",
        "dgpin": "0.1.0",
        "old": "OLD",
        "new": new,
        "fixes": fixes,
        "losses": [lost],
        "families": [],
    }


def verify(**steps: dict[str, Any] | None) -> dict[str, Any]:
    """Return the JSON of `dgpin verify` with the evidence of some steps."""
    return {
        "schema": "dgpin/verify/1",
        "dgpin": "0.1.0",
        "host": "/host",
        "when": "2026-09-22T10:00:00+00:00",
        "verdict": "unknown",
        "new": {"repo": "https://example.org/r", "commit": "ab" * 20, "given": None},
        "steps": [
            {
                "step": name.replace("_", "-"),
                "verdict": "unknown",
                "summary": "not told",
                "evidence": evidence,
            }
            for name, evidence in steps.items()
        ],
    }


def write(path: Path, document: object) -> Path:
    """Write a document and return its path."""
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path
