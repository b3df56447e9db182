"""The script that runs checks inside the interpreter under test.

    python -I worker.py REQUEST.json

It needs the standard library, torch and deep_gemm only. Answers go, one JSON object a line, to
the file that the request names: imports and compilers print to stdout as they like. A hang ends
the process (exit 1, a traceback on stderr); a fault of the GPU does so too (exit 70), because
every later call would answer with the same error.
"""

import ctypes
import faulthandler
import importlib.util
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

POISONED = 70
LOADING_SECONDS = 180.0
WAITING_SECONDS = 300.0
TEXT_LIMIT = 20_000


class Events:
    """The answers' file; a line is written whole, and at once."""

    def __init__(self, path: str) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, event: str, **fields: object) -> None:
        """Append one event."""
        line = json.dumps({"event": event, **fields}, default=str)
        os.write(self._handle, (line + "\n").encode())


class Turn:
    """One check's way to have the device to itself; `waited` is in seconds."""

    def __init__(self, check: str, deadline: float, go: Path, events: Events) -> None:
        self.waited = 0.0
        self._check = check
        self._deadline = deadline
        self._go = go
        self._events = events

    def take(self) -> None:
        """Wait until the file is there. Being alone only saves time, so not for ever."""
        began = time.monotonic()
        self._events.tell("wait", check=self._check)
        faulthandler.cancel_dump_traceback_later()
        parent = os.getppid()
        while not self._go.exists() and time.monotonic() - began < WAITING_SECONDS:
            if os.getppid() != parent:
                os._exit(1)  # nobody is left to say go, nor to read an answer
            time.sleep(0.01)
        self._go.unlink(missing_ok=True)
        faulthandler.dump_traceback_later(self._deadline, exit=True)
        self._events.tell("alone", check=self._check)
        self.waited += time.monotonic() - began


def load_package(name: str, directory: Path) -> ModuleType:
    """Import exactly the package in `directory`; nothing else there becomes importable."""
    place = directory / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        name, place, submodule_search_locations=[str(directory)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main(request: dict[str, Any]) -> int:
    """Load torch, the build and the device, then run the checks in order."""
    events = Events(request["events"])
    events.tell("started", pid=os.getpid())
    # A crash is an answer, and torch with its device is much to write to a disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    load_package("dgpin", Path(__file__).resolve().parents[1])
    faulthandler.dump_traceback_later(LOADING_SECONDS, exit=True)
    loaded = _load(request, events)
    if loaded is None:
        return 1
    torch, build, arch = loaded
    for name in request["checks"]:
        if _run(name, torch, build, arch, request, events):
            # Not a plain exit: the lost device's destructors would only add noise.
            os._exit(POISONED)
    events.tell("done")
    if not request["wrapped"]:
        # Unloading torch takes half a second, and who waits to be alone waits for it too.
        _flush()
        os._exit(0)
    return 0


def _load(request: dict[str, Any], events: Events) -> tuple[Any, Any, str] | None:
    """Return torch, the build and the architecture, or None after telling what is broken."""
    seconds: dict[str, float] = {}

    def step(where: str, action: Callable[[], Any]) -> Any:  # noqa: ANN401 - a module, mostly
        began = time.perf_counter()
        try:
            value = action()
        except BaseException as error:
            events.tell("broken", where=where, **_told(error))
            raise
        seconds[where] = time.perf_counter() - began
        return value

    try:
        torch = step("torch", lambda: importlib.import_module("torch"))
        gpu = step("device", lambda: _device(torch))
        step("architecture", lambda: _fits(gpu["arch"], request["arch"]))
        build = step("build", lambda: _build(request))
        step("settings", lambda: _settings(torch, build))
    except Exception:  # noqa: BLE001 - told above; the parent explains it
        traceback.print_exc()
        return None
    extension = getattr(build, "_C", None)
    events.tell(
        "loaded",
        torch=str(torch.__version__),
        cuda=str(torch.version.cuda),
        python=sys.version.split()[0],
        version=str(getattr(build, "__version__", "")),
        package=str(build.__file__),
        extension=str(getattr(extension, "__file__", "")),
        names=sorted(name for name in dir(build) if not name.startswith("_")),
        seconds=seconds,
        **gpu,
    )
    return torch, build, str(gpu["arch"])


def _device(torch: Any) -> dict[str, object]:  # noqa: ANN401 - a module
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    major, minor = torch.cuda.get_device_capability()
    return {"arch": f"sm_{major}{minor}", "gpu": str(torch.cuda.get_device_name())}


def _fits(arch: object, wanted: str | None) -> None:
    if wanted is not None and arch != wanted:
        raise RuntimeError(f"the GPU is {arch}, and {wanted} was asked for")


def _build(request: dict[str, Any]) -> Any:  # noqa: ANN401 - a module
    if request["package"] is None:
        return importlib.import_module(request["module"])
    return load_package("deep_gemm", Path(request["package"]))


def _settings(torch: Any, build: Any) -> None:  # noqa: ANN401 - modules
    torch.backends.cuda.matmul.allow_tf32 = False
    # As the host does; the default is off. 2.8 starts its compiler here.
    build.set_pdl(True)


def _run(  # noqa: PLR0917 - one call, below
    name: str,
    torch: Any,  # noqa: ANN401 - a module
    build: Any,  # noqa: ANN401 - a module
    arch: str,
    request: dict[str, Any],
    events: Events,
) -> bool:
    """Run one check and tell its outcome; return whether the device is lost."""
    from dgpin.smoke import wanted  # noqa: PLC0415 - importable only after main's first lines
    from dgpin.smoke.bench import Bench  # noqa: PLC0415
    from dgpin.smoke.case import UnsupportedError, judge  # noqa: PLC0415

    module = _module(name, request["directory"])
    check = module.CHECK
    deadline = check.deadline * request["patience"]
    faulthandler.dump_traceback_later(deadline, exit=True)
    _mark(name)
    events.tell("check", check=name)
    before = _kernels()
    turn = Turn(name, deadline, Path(request["go"]), events)
    bench = Bench(
        torch,
        build,
        arch=arch,
        needs=wanted.from_json(request["needs"]),
        announce=lambda call: events.tell("call", check=name, call=call),
        alone=turn.take,
    )
    began = time.perf_counter()
    told: dict[str, object]
    try:
        outcome = module.run(bench)
        bench.synchronize()
        told = {
            "number": float(outcome.number),
            "controls": dict(outcome.controls),
            "differing": outcome.differing,
            "notes": dict(outcome.notes),
            "why": judge(check, outcome),
        }
    except UnsupportedError as error:
        told = {"unsupported": str(error)}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the check's answer
        traceback.print_exc()
        told = _told(error)
    lost = _is_lost(torch)
    _flush()
    events.tell(
        "end",
        check=name,
        lost=lost,
        seconds=time.perf_counter() - began - turn.waited,
        cold_seconds=bench.cold_seconds,
        warm_ms=bench.warm_ms,
        kernels=sorted(_kernels() - before),
        **told,
    )
    return lost


def _mark(name: str) -> None:
    """Print which check begins, so that each check's output can be told apart."""
    _flush()
    for stream in (sys.stdout, sys.stderr):
        stream.write(f"@@ dgpin check {name}\n")
        stream.flush()


def _flush() -> None:
    # 2.6 prints with C's buffer, whose text would otherwise come out at the very end.
    ctypes.CDLL(None).fflush(None)
    sys.stdout.flush()
    sys.stderr.flush()


def _module(name: str, directory: str | None) -> Any:  # noqa: ANN401 - a check's module
    if directory is None:
        return importlib.import_module(f"dgpin.smoke.checks.{name}")
    spec = importlib.util.spec_from_file_location(name, Path(directory) / f"{name}.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"no check {name} in {directory}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _told(error: BaseException) -> dict[str, object]:
    text = f"{type(error).__name__}: {error}"
    return {"raised": text[:TEXT_LIMIT], "kind": type(error).__name__}


def _is_lost(torch: Any) -> bool:  # noqa: ANN401 - a module
    """Whether the context is gone: then every call in this process fails alike."""
    try:
        torch.cuda.synchronize()
    except Exception:  # noqa: BLE001 - any error here is the sticky one
        return True
    return False


def _kernels() -> set[str]:
    """Return the kernels in the JIT cache, by their names there."""
    cache = Path(os.environ.get("DG_JIT_CACHE_DIR", "/nonexistent")) / "cache"
    try:
        return {entry.name.removeprefix("kernel.").split(".")[0] for entry in cache.iterdir()}
    except OSError:
        return set()


if __name__ == "__main__":
    faulthandler.enable()
    raise SystemExit(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
