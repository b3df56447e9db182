"""Try pieces of host code against a build, in a process of its own; cached."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dgpin import cache, process
from dgpin.api import load
from dgpin.api.load import Side
from dgpin.api.surface import Surface

_SCRIPT = Path(__file__).with_name("probe") / "call.py"
_DEATHS = 3  # a trial that kills its process is left out; not more often than this


def attempt(
    side: Side, surface: Surface, trials: Sequence[dict[str, Any]], *, timeout: float = load.TIMEOUT
) -> Sequence[Mapping[str, str]]:
    """Return the outcome of each trial: `{"ok": …}` or `{"raises": …}`."""
    text = json.dumps(trials, sort_keys=True)
    told = hashlib.sha256(f"{load.key(side.python)}{text}".encode()).hexdigest()
    name = f"api/{surface.build.digest[:32]}-tried-{told[:16]}.json"
    cached = cache.read_json(name)
    if isinstance(cached, list) and len(cached) == len(trials):
        return cached
    mode = "lazy" if any(note.startswith("loaded lazily") for note in surface.notes) else "now"
    found = _run(side, text, mode=mode, count=len(trials), timeout=timeout)
    if len(found) == len(trials):
        cache.write_json(name, found)
    rest = [{"raises": "LookupError: it could not be tried"}] * (len(trials) - len(found))
    return [*found, *rest]


def _run(side: Side, trials: str, *, mode: str, count: int, timeout: float) -> list[Any]:
    with tempfile.TemporaryDirectory() as scratch:
        out, asked, home = (Path(scratch, name) for name in ("answer.json", "trials.json", "cuda"))
        asked.write_text(trials, encoding="utf-8")
        home.mkdir()
        env = {"CUDA_HOME": str(home), **os.environ}
        found: list[Any] = []
        for _ in range(_DEATHS):
            process.run(
                [side.python.path, "-I", "-B", _SCRIPT, out, side.build.root, mode, asked],
                cwd=Path(scratch),
                env=env,
                timeout=timeout,
            )
            try:
                found = json.loads(out.read_bytes())
            except (OSError, ValueError):
                return []
            if len(found) == count:
                break
        return found
