"""The GPU of this machine, as its driver names it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dgpin import process

_ASK = ("nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A GPU; `arch` is such as sm_90."""

    name: str
    driver: str
    arch: str


def first(env: Mapping[str, str]) -> Device | None:
    """Return the first visible GPU, or None where the driver's own tool does not tell."""
    visible = env.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    chosen = ("--id", visible) if visible else ()
    try:
        done = process.run([*_ASK, *chosen], env=env, timeout=20)
    except (process.MissingProgramError, OSError):
        return None
    return parse(done.text) if done.returncode == 0 else None


def parse(text: str) -> Device | None:
    """Return the first GPU of nvidia-smi's answer: `NVIDIA H200, 580.159.04, 9.0`."""
    for line in text.splitlines():
        parts = [part.strip() for part in line.rsplit(",", 2)]
        if len(parts) == 3 and re.fullmatch(r"\d+\.\d+", parts[2]):  # noqa: PLR2004 - as asked
            major, minor = parts[2].split(".")
            return Device(name=parts[0], driver=parts[1], arch=f"sm_{major}{minor}")
    return None
