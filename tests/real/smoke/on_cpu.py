"""Run checks on the CPU against the fake build; prints one JSON object.

python on_cpu.py ROOT CHECK[,CHECK…] [FAULT…], under an interpreter that has torch.
"""

import functools
import importlib
import json
import sys
from pathlib import Path

root, names, *faults = sys.argv[1:]
sys.path[:0] = [root, str(Path(__file__).parent)]
sys.modules.pop("dgpin", None)

import fake_build  # noqa: E402 - found through the path above
import torch  # noqa: E402

from dgpin.smoke.bench import Bench  # noqa: E402
from dgpin.smoke.case import judge  # noqa: E402

fake_build.FAULTS.update(faults)
answers: dict[str, dict[str, object]] = {}
for name in names.split(","):
    check = importlib.import_module(f"dgpin.smoke.checks.{name}")
    alone: list[bool] = []
    take = functools.partial(alone.append, True)
    bench = Bench(torch, fake_build, arch="sm_90", device="cpu", alone=take)
    try:
        outcome = check.run(bench)
    except RuntimeError as error:
        answers[name] = {"raised": str(error)}
        continue
    answers[name] = {
        "number": outcome.number,
        "controls": dict(outcome.controls),
        "why": judge(check.CHECK, outcome),
        "alone": any(alone),
        "notes": {key: str(value) for key, value in outcome.notes.items()},
    }
sys.stdout.write(json.dumps(answers))
