"""Level 3: the core under compute-sanitizer, and a cold cache that eight processes fill at once."""

import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dgpin.smoke import runner
from dgpin.smoke.case import CORE
from dgpin.smoke.environment import Toolkit
from dgpin.smoke.results import Ran, Result
from dgpin.smoke.runner import Following, Plan
from dgpin.verdict import Verdict

PROGRAM = "compute-sanitizer"
TOOLS = ("memcheck", "racecheck")
# Only DeepGEMM's kernels: torch's own would take minutes, and so would nvcc.
_OPTIONS = (
    *("--print-limit", "3"),
    *("--target-processes", "application-only"),
    *("--kernel-name", "kns=deep_gemm"),
)
_SLOWER = 10.0  # deadlines are for plain runs
_RACERS = 8
# Compiles few kernels, and would fail if it loaded half of one.
_RACE = "fp8_einsum"
# These launch no kernel of DeepGEMM's, or, as `pdl`, none that no other check launches.
_LEFT_OUT = frozenset({"api", "config", "cublaslt", "pdl", "sm100_only"})


def extend(ran: Ran, plan: Plan, kit: Toolkit, following: Following) -> Ran:
    """Return a run with the results of level 3 appended, each named after its tool."""
    started = time.monotonic()
    program = _find(kit, plan.env.get("PATH"))
    more = list(cold_race(plan, following))
    for tool in TOOLS:
        if program is None:
            missing = f"{PROGRAM} is neither in {kit.home} nor on PATH"
            more += [_named(tool, r, Verdict.SKIP, missing) for r in ran.results[:1]]
            continue
        core = tuple(c for c in plan.checks if c.level == CORE and c.id not in _LEFT_OUT)
        wrapper = (str(program), "--tool", tool, *_OPTIONS)
        wrapped = replace(plan, checks=core, wrapper=wrapper, patience=_SLOWER)
        following.begin((wrapped,))
        (found,) = runner.run([wrapped], following.watch)
        why = f"{PROGRAM}: {found.trouble.explanation.what}" if found.trouble else ""
        more += [_named(tool, r, r.verdict, why or r.message) for r in found.results]
    seconds = ran.seconds + time.monotonic() - started
    return replace(ran, results=(*ran.results, *more), seconds=seconds)


def cold_race(plan: Plan, following: Following) -> Sequence[Result]:
    """Let eight processes compile the same kernel into one empty cache; all must pass."""
    checks = tuple(check for check in plan.checks if check.id == _RACE)
    if not checks:
        return ()
    with tempfile.TemporaryDirectory(prefix="dgpin-cold-") as cold:
        env = {**plan.env, "DG_JIT_CACHE_DIR": cold}
        racers = tuple(
            replace(plan, checks=checks, env=env, shards=_RACERS, label=f"{plan.label} {at}")
            for at in range(_RACERS)
        )
        following.begin(racers)
        results = [r for ran in runner.run(racers, following.watch) for r in ran.results]
    worst = next((r for r in results if r.verdict is not Verdict.PASS), results[0])
    lost = sum(r.verdict is not Verdict.PASS for r in results)
    message = f"{lost} of {_RACERS} processes: {worst.message}" if lost else ""
    verdict = worst.verdict if worst.verdict is not Verdict.SKIP else Verdict.FAIL
    return (_named("cold-cache", worst, verdict, message),)


def _find(kit: Toolkit, path: str | None) -> Path | None:
    own = kit.home / "bin" / PROGRAM if kit.home else None
    if own is not None and own.is_file():
        return own
    found = shutil.which(PROGRAM, path=path)
    return Path(found) if found else None


def _named(tool: str, result: Result, verdict: Verdict, message: str) -> Result:
    check = replace(result.check, id=f"{tool}:{result.check.id}")
    return replace(result, check=check, verdict=verdict, message=message)
