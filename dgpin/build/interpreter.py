"""The Pythons that a build is for."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpin import process
from dgpin.build import interpreter_kept
from dgpin.errors import UnavailableError, UsageError

_PROBE = Path(__file__).with_name("interpreter_probe.py")
_LIMIT = 30.0
_ANSWERS = {"version", "implementation", "include", "ext_suffix", "platform", "path", "modules"}


class InterpreterError(UnavailableError):
    """An interpreter that cannot be asked."""

    hint = "Give `--python` the path of a working CPython, such as .venv/bin/python."

    def __init__(self, python: str, why: str) -> None:
        super().__init__(f"the interpreter `{python}` {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A CPython: its headers, the suffix of its extensions, and where it looks for packages."""

    path: Path
    version: str
    include: Path
    ext_suffix: str
    platform: str
    search: tuple[Path, ...]
    modules: frozenset[str] = frozenset()  # those of the modules asked for that it has
    user: Path | None = None  # the user's own packages, which are not among `search`

    @property
    def short(self) -> str:
        """The version by which extensions are told apart: `3.11`."""
        return ".".join(self.version.split(".")[:2])

    def left_out(self, package: str, env: Mapping[str, str]) -> str:
        """Say where a package is that is not looked for there; "" where it is nowhere else."""
        paths = [Path(word) for word in env.get("PYTHONPATH", "").split(":") if word]
        places = [*([self.user] if self.user else []), *paths]
        found = ", ".join(str(place) for place in places if (place / package).is_dir())
        return f"{found} is left out, as user site-packages and PYTHONPATH are" if found else ""


def default(env: Mapping[str, str]) -> str:
    """Return the interpreter under test: the active virtual environment's, else python3 on PATH.

    Raises:
        UsageError: there is neither.
    """
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if prefix := env.get(variable):
            candidate = Path(prefix, "bin", "python")
            if candidate.exists():
                return str(candidate)
    if found := shutil.which("python3", path=env.get("PATH")):
        return found
    raise UsageError("there is no python3 on PATH", hint="Name an interpreter with --python.")


def read(python: str, *, modules: Sequence[str] = ()) -> Interpreter:
    """Ask an interpreter about itself; which of `modules` it has is told without importing them.

    Raises:
        UsageError: there is no such program.
        InterpreterError: it does not answer, or is no CPython.
    """
    found = shutil.which(os.path.expanduser(python))  # noqa: PTH111 - a bare name stays bare
    if found is None:
        raise UsageError(f"--python {python}: there is no such program", hint=InterpreterError.hint)
    # Compilers run it from directories of their own; a link in a virtual environment stays one.
    found = os.path.abspath(found)  # noqa: PTH100 - Path.absolute keeps `..`
    answer = interpreter_kept.answer(found, modules)
    if answer is None:
        answer = _ask(found, modules)
        interpreter_kept.keep(found, modules, answer)
    if answer["implementation"] != "cpython":
        raise InterpreterError(found, f"is {answer['implementation']}, not CPython")
    search = [Path(entry) for entry in answer["path"]]
    for name, place in answer.get("homes", {}).items():
        home = Path(place)
        if home.name == name and home.parent not in search:  # installed as editable
            search.append(home.parent)
    return Interpreter(
        path=Path(found),
        version=answer["version"],
        include=Path(answer["include"]),
        ext_suffix=answer["ext_suffix"],
        platform=answer["platform"],
        search=tuple(search),
        modules=frozenset(answer["modules"]),
        user=Path(answer["user"]) if answer.get("user") else None,
    )


def _ask(found: str, modules: Sequence[str]) -> Mapping[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "answer.json")
        done = process.run([found, "-I", _PROBE, out, *modules], timeout=_LIMIT)
        try:
            answer = dict(json.loads(out.read_bytes()))
        except (OSError, ValueError, TypeError):
            answer = {}
    if answer.keys() >= _ANSWERS:
        return answer
    why = f"fails: {done.tail}" if done.tail else "ends without an answer"
    raise InterpreterError(found, "does not answer" if done.returncode is None else why)
