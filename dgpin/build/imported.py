"""Whether a build can be imported: tried once in each Python that has torch, in a child."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin import process
from dgpin.build import torch_files
from dgpin.build.interpreter import Interpreter
from dgpin.process import Completed

_LIMIT = 180.0  # seconds; torch alone takes two, on a cold disk a minute
_SCRIPT = Path(__file__).with_name("import_probe.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of an import. `tried` is false for a Python without torch."""

    python: str
    tried: bool
    works: bool
    error: str = ""


def attempt(
    package: Path, interpreter: Interpreter, *, env: Mapping[str, str], own_torch: bool = True
) -> Imported:
    """Import the package in a child of its own; no GPU is needed.

    `own_torch` says that the interpreter's torch is the one that was compiled against.
    """
    if torch_files.find(interpreter.search) is None:
        return Imported(python=interpreter.short, tried=False, works=False)
    done = process.run(
        [interpreter.path, "-I", _SCRIPT, package.parent],
        cwd=package.parent,
        env=env,
        timeout=_LIMIT,
    )
    works = done.returncode == 0
    error = "" if works else _error(done, package, interpreter, own_torch=own_torch)
    return Imported(python=interpreter.short, tried=True, works=works, error=error)


def _error(done: Completed, package: Path, interpreter: Interpreter, *, own_torch: bool) -> str:
    """Say why an import failed, in words that name the cause and not only the loader's."""
    if done.returncode is None:
        return f"the import did not end within {_LIMIT:.0f} s"
    if done.returncode < 0:
        return f"the import died of signal {-done.returncode}"
    last = (done.tail.splitlines() or [f"it ended with {done.returncode}"])[-1]
    kind, joint, message = last.partition(": ")
    if not joint or not kind.isidentifier():
        return last
    from dgpin.api import failures  # noqa: PLC0415 - only a failure needs its tables

    facts = {
        "stage": "package",
        "type": kind,
        "message": message,
        "missing": "",
        "maps": (),
        "line": "",
        "place": "",
    }
    names = [path.name for path in package.glob("*.so")]
    found = failures.classify(facts, extensions=names, suffix=interpreter.ext_suffix)
    if found.cause is failures.Cause.TORCH_ABI and found.symbol and own_torch:
        # It was built for this very torch, so that is not what is wrong.
        plain = failures.demangle(found.symbol)
        return f"there is no `{plain}` in torch or any library that it links"
    return found.what
