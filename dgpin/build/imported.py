"""Whether a build can be imported: tried once in each Python that has torch, in a child."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.build import torch_files
from dgpin.build.interpreter import Interpreter

_LIMIT = 180.0  # seconds; torch alone takes two, on a cold disk a minute
_SCRIPT = Path(__file__).with_name("import_probe.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of an import. `tried` is false for a Python without torch."""

    python: str
    tried: bool
    works: bool
    error: str = ""


def attempt(package: Path, interpreter: Interpreter, *, env: Mapping[str, str]) -> Imported:
    """Import the package in a child of its own; no GPU is needed."""
    if torch_files.find(interpreter.search) is None:
        return Imported(python=interpreter.short, tried=False, works=False)
    done = process.run(
        [interpreter.path, "-I", _SCRIPT, package.parent],
        cwd=package.parent,
        env=env,
        timeout=_LIMIT,
    )
    lines = done.tail.splitlines()
    if done.returncode is None:
        error = f"did not end within {_LIMIT:.0f} s"
    elif done.returncode < 0:
        error = f"died of signal {-done.returncode}"
    else:
        error = lines[-1] if lines else f"ended with {done.returncode}"
    works = done.returncode == 0
    return Imported(python=interpreter.short, tried=True, works=works, error="" if works else error)
