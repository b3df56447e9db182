"""Read the surface of a build with the interpreter under test; each build in its own process."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache as remember
from pathlib import Path
from typing import Any

from dgpin import cache, process
from dgpin.api import answer, failures
from dgpin.api.builds import Build, NoExtensionError, TwoBuildsError
from dgpin.api.failures import BothFailedError, Cause, Failure, LoadError
from dgpin.api.surface import Surface, from_json, to_json
from dgpin.build.interpreter import Interpreter

MODULES = ("torch", "deep_gemm")  # what an interpreter under test is asked about
TIMEOUT = 300.0  # seconds: torch alone takes two, on a cold network disk a minute
_SCRIPTS = Path(__file__).with_name("probe")
_SHOWN = 300  # characters of what a library printed


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two builds, and the interpreter that loads it."""

    build: Build
    python: Interpreter


def both(a: Side, b: Side, *, timeout: float = TIMEOUT) -> tuple[Surface, Surface]:
    """Return both surfaces; the two loads run at the same time.

    Raises:
        LoadError: one of them does not load.
        BothFailedError: none does.
    """
    with contextlib.suppress(LoadError):
        kept_a, kept_b = (_kept(side, _name(side)) for side in (a, b))
        if kept_a is not None and kept_b is not None:
            return kept_a, kept_b
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - a load is long, an answer from the cache is not

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(_outcome, side, timeout) for side in (a, b)]
        first, second = (run.result() for run in runs)
    if isinstance(first, LoadError):
        raise BothFailedError(first, second) if isinstance(second, LoadError) else first
    if isinstance(second, LoadError):
        raise second
    return first, second


def _outcome(side: Side, timeout: float) -> Surface | LoadError:
    try:
        return surface(side, timeout=timeout)
    except LoadError as error:
        return error


def surface(side: Side, *, timeout: float = TIMEOUT) -> Surface:
    """Return the surface of a build, from the cache or by loading it.

    A build for another torch is loaded a second time with functions bound at their first call,
    and one that only wants a CUDA toolkit's path is given an empty one; the notes say so.

    Raises:
        NoExtensionError, TwoBuildsError: there is nothing to load, or it is not said what.
        LoadError: it does not load.
    """
    name = _name(side)
    kept = _kept(side, name)
    if kept is not None:
        return kept
    found = _load(side, digest=side.build.digest(), timeout=timeout)
    cache.write_json(name, to_json(found))
    return found


def _name(side: Side) -> str:
    """Return where the surface is kept.

    Raises:
        NoExtensionError, TwoBuildsError, LoadError: there is nothing to load, or not with this.
    """
    _check(side.build, side.python)
    return f"api/{side.build.digest()[:32]}-{key(side.python)}.json"


def _kept(side: Side, name: str) -> Surface | None:
    try:
        known = from_json(cache.read_json(name))
    except (KeyError, TypeError, ValueError):
        return None  # absent, of another format, or damaged
    return replace(known, build=replace(known.build, label=side.build.label))


def _check(build: Build, python: Interpreter) -> None:
    if not build.has_extension():
        raise NoExtensionError(build.label)
    names = build.extensions()
    rivals = [n for n in names if n.split(".")[0] == "_C" and failures.fits(n, python.ext_suffix)]
    if (build.package / "_C.py").is_file():
        rivals.append("_C.py")
    if len(rivals) > 1:
        raise TwoBuildsError(build.label, rivals)
    if "torch" not in python.modules:
        what = f"the interpreter {python.path} has no torch"
        remedy = "Name an interpreter that has torch with --python."
        raise LoadError(build.label, Failure(cause=Cause.ABSENT, what=what, remedy=remedy))
    if names and not any(failures.fits(name, python.ext_suffix) for name in names):
        facts = {"stage": "build", "type": "", "message": "", "missing": "_C"}
        why = failures.classify(facts, extensions=names, suffix=python.ext_suffix)
        raise LoadError(build.label, why)


@remember
def _version() -> str:
    """Return what tells one state of the probe, and of reading its answer, from another."""
    here = Path(__file__).parent
    files = [*sorted(_SCRIPTS.glob("*.py")), *sorted(here.glob("[ads]*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]


def key(python: Interpreter) -> str:
    """Return what changes when the interpreter, its torch or the probe changes."""
    torch = [
        f"{entry.name}:{entry.stat().st_mtime_ns}"
        for folder in python.search
        for entry in sorted(folder.glob("torch-*.dist-info"))
    ]
    text = "\0".join([str(python.path), python.version, *torch, _version()])
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]


def _load(side: Side, *, digest: str, timeout: float) -> Surface:
    build = side.build
    value, failure = _probe(side, mode="now", env={}, timeout=timeout)
    notes: list[str] = []
    if failure is not None and failure.cause is Cause.CUDA_HOME:
        with tempfile.TemporaryDirectory() as home:
            value, second = _probe(side, mode="now", env={"CUDA_HOME": home}, timeout=timeout)
        notes.append("read with an empty directory as CUDA_HOME: it wants a toolkit at import")
        failure = second
    if failure is not None and failure.cause is Cause.TORCH_ABI:
        value, second = _probe(side, mode="lazy", env={}, timeout=timeout)
        plain = failures.demangle(failure.symbol)
        notes.append(
            f"loaded lazily: it was built for another torch (there is no `{plain}`); its "
            "signatures can be read, its functions must not be called"
        )
        failure = failure if second is not None else None
    if failure is not None or value is None:
        raise LoadError(build.label, failure or failures.ended(0, stage="", tail="", limit=0))
    found = answer.surface(value, label=build.label, digest=digest)
    if value["printed"]:
        notes.append(f"it printed at import: {value['printed']}")
    return replace(found, notes=(*notes, *found.notes))


def _probe(
    side: Side, *, mode: str, env: Mapping[str, str], timeout: float
) -> tuple[Mapping[str, Any] | None, Failure | None]:
    """Run the probe once; return its answer, or why there is none."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "answer.json")
        done = process.run(
            [side.python.path, "-I", "-B", _SCRIPTS / "read.py", out, side.build.root, mode],
            cwd=Path(scratch),
            env={**os.environ, **env},
            timeout=timeout,
        )
        try:
            value = json.loads(out.read_bytes())
        except (OSError, ValueError):
            stage = Path(f"{out}.stage")
            at = stage.read_text("utf-8") if stage.is_file() else ""
            tail = done.tail[-_SHOWN:]
            return None, failures.ended(done.returncode, stage=at, tail=tail, limit=timeout)
    if value["failure"] is not None:
        why = failures.classify(
            value["failure"],
            extensions=side.build.extensions(),
            suffix=side.python.ext_suffix,
        )
        return None, why
    printed = (done.stdout + done.stderr).decode(errors="replace").strip()
    value["printed"] = " / ".join(printed[:_SHOWN].splitlines())
    return value, None
