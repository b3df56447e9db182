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


def diff_api(
    *, host: bool = False, digest: str = "d4" * 32, accepted: str | None = None
) -> dict[str, Any]:
    """Return the JSON of `dgpin diff-api` with one breaking change, and one use in a host."""
    change = {
        "rule": "symbol-removed",
        "level": "breaking",
        "effect": "gone",
        "path": "deep_gemm.gone",
        "names": ["deep_gemm.gone"],
        "detail": "the function is gone",
        "parameter": "",
        "before": "",
        "after": "",
        "private": False,
        "successor": None,
        "witness": {"code": "deep_gemm.gone", "in_a": "is there", "in_b": "AttributeError"},
        "unwitnessed": "",
        "fingerprint": "f6" * 8,
        "cure": "",
        "accepted": accepted,
    }
    return {
        "schema": "dgpin/diff-api/1",
        "dgpin": "0.1.0",
        "verdict": "fail" if accepted is None else "pass",
        "a": _surface("A", "e5" * 32),
        "b": _surface("B", digest),
        "changes": [change],
        "capabilities": [],
        "incomparable": [],
        "unreadable": [],
        "disagreements": [],
        "allow": [],
        **({"host": _host(accepted)} if host else {}),
    }


def _surface(label: str, digest: str) -> dict[str, Any]:
    nothing: dict[str, Any] = {"architectures": [], "families": [], "switches": [], "needs": None}
    return {
        "label": label,
        "digest": digest,
        "version": "2.8.0",
        "toolchain": {},
        "static": True,
        "notes": [],
        "symbols": 3,
        "capabilities": nothing,
    }


def _host(accepted: str | None) -> dict[str, Any]:
    use = {
        "path": "vllm/ops.py",
        "line": 7,
        "rule": "raises",
        "consequence": "raises",
        "counts": True,
        "source": "deep_gemm.gone(x)",
        "function": "op",
        "form": "call",
        "symbol": "deep_gemm.gone",
        "parameter": "",
        "exception": "AttributeError",
        "why": "AttributeError",
        "cure": "Use the new name.",
        "caught_by": None,
        "through": None,
        "callers": [],
        "consumers": [],
        "fingerprint": "a7" * 8,
        "accepted": accepted,
    }
    files = {"listed": 90, "parsed": 4}
    rest: dict[str, Any] = {"dynamic": [], "untold": [], "skipped": []}
    return {"files": files, "uses": 40, "findings": [use], **rest}


def lint(*levels: str, digest: str = "d4" * 32) -> dict[str, Any]:
    """Return the JSON of `dgpin lint` with a finding of each level."""
    findings = [
        {
            "rule": "swallowed",
            "level": level,
            "path": "vllm/ops.py",
            "line": 7,
            "source": "f(**kwargs)",
            "message": "a keyword may be swallowed",
            "cure": "Name it.",
            "fingerprint": "b8" * 8,
        }
        for level in levels
    ]
    return {
        "schema": "dgpin/lint/1",
        "dgpin": "0.1.0",
        "api": {"label": "B", "digest": digest, "version": "2.8.0", "static": True},
        "files": {"listed": 90, "parsed": 4},
        "uses": 40,
        "findings": findings,
        "ignored": 0,
        "untold": [],
        "skipped": [],
        "dynamic": [],
    }


def build(*verdicts: str, commit: str | None = None, dirty: bool = False) -> dict[str, Any]:
    """Return the JSON of `dgpin build` with the answers of its builds; none for a preflight."""
    source: dict[str, Any] = {
        "label": "NEW",
        "root": "/x",
        "commit": commit,
        "dirty": dirty,
        "digest": "c9" * 32,
        "binding": "pybind11",
        "submodules": [],
    }
    return {
        "schema": "dgpin/build/1",
        "dgpin": "0.1.0",
        "source": source,
        "notes": [],
        "needed": None,
        "preflight": [],
        "builds": [
            {
                "verdict": each,
                "message": "compiled",
                "cached": False,
                "seconds": 0.5,
                "package": None,
                "log": None,
                "fingerprint": {"schema": 1, "key": "", "components": {}},
                "errors": [],
                "imports": [],
            }
            for each in verdicts
        ],
        "copied": None,
        "wheels": [],
    }


def carry(
    *, commit: str | None = None, lost: bool = True, accepted: str | None = None
) -> dict[str, Any]:
    """Return the JSON of `dgpin carry` with one lost fix, or none."""
    line = {
        "here": {"path": "a.cuh", "line": 3},
        "text": "q_idx = min(q_idx, n);",
        "fate": "lost",
        "there": {"path": "a.cuh", "line": 4},
        "function": None,
        "now": None,
        "telling": True,
    }
    loss = {
        "id": "ab" * 20,
        "title": "Clamp",
        "commit": None,
        "fix": True,
        "changed": False,
        "accepted": accepted,
        "score": 5,
        "reasons": ["limits a value"],
        "living": 1,
        "surviving": 0,
        "lines": [line],
    }
    return {
        "schema": "dgpin/carry/1",
        "dgpin": "0.1.0",
        "old": "OLD",
        "new": "NEW",
        "new_commit": commit,
        "upstream": None,
        "fixes": int(lost and accepted is None),
        "losses": [loss] if lost else [],
        "families": [],
        "left_out": [],
        "not_compared": [],
    }


def bump(commit: str, *, lost: bool = False, accepted: str | None = None) -> dict[str, Any]:
    """Return the JSON of `dgpin bump` to a commit, and of a lost fix if it compared."""
    here = {"path": "a.cuh", "line": 3}
    fix = {"id": "cd" * 20, "title": "Clamp", "accepted": accepted, "here": here, "there": None}
    said = "1 change that looks like a fix is lost"
    compared = {"compared": True, "verdict": said, "fixes": [fix], "families": []}
    lists = ("changes", "stale_comments", "findings", "hazards", "strays", "losses", "recipe")
    return {
        "schema": "dgpin/bump/1",
        "dgpin": "0.1.0",
        "written": False,
        "host_commit": "",
        "configuration": {"source": "vllm", "preset": True},
        "old": {"repo": None, "commit": "ef" * 20},
        "new": {
            "repo": "https://example.org/r",
            "commit": commit,
            "asked": commit,
            "kind": "full sha",
            "branches": [],
            "tags": [],
            "pulls": [],
            "subject": "Begin 2.8.0",
            "author_date": "2026-01-01T00:00:00Z",
            "verified": True,
            "as_of": "",
        },
        "ahead": None,
        "behind": None,
        "diff": "",
        "carry": compared if lost else None,
        "cures": [],
        **{name: [] for name in lists},
    }


def verify(
    *, unproved: tuple[str, ...] = (), commit: str = "ab" * 20, **steps: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the JSON of `dgpin verify` with the evidence of some steps; without it one is open."""
    return {
        "schema": "dgpin/verify/1",
        "dgpin": "0.1.0",
        "host": "/host",
        "when": "2026-09-22T10:00:00+00:00",
        "seconds": 1.5,
        "verdict": "unknown",
        "old": None,
        "new": {"repo": "https://example.org/r", "commit": commit, "given": None},
        "required": [],
        "architectures": [
            {"architecture": each, "verdict": "unknown", "message": "not proved", "hint": ""}
            for each in unproved
        ],
        "steps": [
            step(name.replace("_", "-"), "unknown" if evidence is None else "pass", evidence)
            for name, evidence in steps.items()
        ],
    }


def step(name: str, verdict: str, evidence: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return one step of verify."""
    return {
        "step": name,
        "verdict": verdict,
        "summary": "not told" if verdict == "unknown" else "told",
        "rows": [],
        "more": "",
        "seconds": 0.5,
        "reused": False,
        "evidence": evidence,
    }


def write(path: Path, document: object) -> Path:
    """Write a document and return its path."""
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path
