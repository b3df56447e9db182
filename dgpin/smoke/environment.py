"""What the processes under test see: the toolkit, and an environment that is set anew."""

import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin import cache, process

# Each changes what is compiled, where it is kept, or how it is launched; what a user has set for
# a server must not decide whether a build is sound. 2.8 reads every DG_JIT_x also as DJ_JIT_x.
_CLEARED = re.compile(
    r"(DG|DJ|PYTORCH|TORCH|NCCL|CUDA_LAUNCH|CUDA_MODULE|CUDA_ENABLE|CUDA_COREDUMP|CUBLAS|NVCC)_.*|LD_PRELOAD|CUDA_PATH|PYTHON.*"
)
_USUAL_HOME = Path("/usr/local/cuda")


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """The CUDA home that DeepGEMM would take, and why. `version` is nvcc's, "" for none."""

    home: Path | None
    origin: str
    nvcc: Path | None
    version: str


def toolkit(env: Mapping[str, str]) -> Toolkit:
    """Find the CUDA home as DeepGEMM does: CUDA_HOME, CUDA_PATH, nvcc on PATH, /usr/local/cuda."""
    home, origin = None, "nothing names one"
    on_path = shutil.which("nvcc", path=env.get("PATH"))
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if home is None and env.get(variable):
            home, origin = Path(env[variable]), variable
    if home is None and on_path:
        home, origin = Path(on_path).parent.parent, "nvcc on PATH"
    if home is None and _USUAL_HOME.is_dir():
        home, origin = _USUAL_HOME, "the usual place"
    nvcc = home / "bin" / "nvcc" if home else None
    if nvcc is None or not os.access(nvcc, os.X_OK):
        return Toolkit(home=home, origin=origin, nvcc=None, version="")
    return Toolkit(home=home, origin=origin, nvcc=nvcc, version=_version(nvcc, env))


def _version(nvcc: Path, env: Mapping[str, str]) -> str:
    try:
        said = process.run([nvcc, "--version"], env=env, timeout=10).text
    except (process.MissingProgramError, OSError):
        return ""
    found = re.search(r"release ([\d.]+)", said)
    return found[1] if found else ""


def cleared(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names that the processes under test do not get."""
    return tuple(sorted(name for name in env if _CLEARED.fullmatch(name)))


def prepare(env: Mapping[str, str], found: Toolkit, jit_cache: Path) -> dict[str, str]:
    """Return the environment of a process under test."""
    dropped = {*cleared(env), "CUDA_HOME"}
    kept = {name: value for name, value in env.items() if name not in dropped}
    if found.home is not None:
        kept["CUDA_HOME"] = str(found.home)
    # Under a sanitizer the cached workspace would be freed after the context is gone.
    kept["DG_USE_TEMP_CUBLASLT_WORKSPACE"] = "1"
    kept["DG_JIT_CACHE_DIR"] = str(jit_cache)
    return kept


def jit_cache(headers: str, found: Toolkit) -> Path:
    """Return the directory of kernels compiled from these headers by this nvcc.

    DeepGEMM's own key knows neither cutlass nor cute, so an edited header there would be a stale
    hit; the directory's name knows them.
    """
    return cache.root() / "smoke" / f"{headers[:16]}-nvcc{found.version or 'none'}"


def headers_digest(package: Path) -> str:
    """Return a digest of every file under the package's `include/`, links followed."""
    total = hashlib.sha256()
    include = package / "include"
    for parent, directories, names in os.walk(include, followlinks=True):
        directories.sort()
        for name in sorted(names):
            path = Path(parent, name)
            total.update(f"{path.relative_to(include).as_posix()}\0".encode())
            if path.is_file():  # a link may lead nowhere
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
