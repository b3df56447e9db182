"""Real vLLM trees and DeepGEMM builds, fetched by pip into a cache and never committed.

The cache is `DGPIN_TEST_CACHE`, else `~/.cache/dgpin-tests`. What is there is left alone; a
directory appears whole or not at all, so two test runs can share it.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# The version that the index serves for each DeepGEMM version that the tests speak of.
BUILDS = {
    "2.5.0": "2.5.0.post20260810",
    "2.6.1": "2.6.1.post20260827",
    "2.8.0": "2.8.0.post20260924",
    "2.8.2": "2.8.2.post20261020",
}
TORCH = "torch==2.14.1"


def cache() -> Path:
    """Return the directory that holds everything fetched."""
    chosen = os.environ.get("DGPIN_TEST_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "dgpin-tests"


def host(version: str) -> Path:
    """Return the vLLM source tree of a release. Copy it before you change it."""
    target = cache() / "host" / version
    return _once(target, lambda: _sdist(f"vllm=={version}", marker="vllm/__init__.py", to=target))


def source(version: str) -> Path:
    """Return a DeepGEMM source tree, out of the sdist deepinfer-gemm."""
    target = cache() / "source" / version
    requirement = f"deepinfer-gemm=={version}"
    return _once(target, lambda: _sdist(requirement, marker="csrc/python_api.cpp", to=target))


def build(version: str) -> Path:
    """Return a directory that holds the built `deep_gemm` of tokenspeed-deepgemm."""
    target = cache() / "build" / version
    requirement = f"tokenspeed-deepgemm=={BUILDS.get(version, version)}"
    return _once(target, lambda: _wheel(requirement, inside="deep_gemm/", to=target))


def vendored(version: str) -> Path:
    """Return a directory that holds the `deep_gemm` inside a vLLM wheel (0.5 GB to fetch)."""
    target = cache() / "vendored" / version
    inside = "vllm/third_party/deep_gemm/"
    return _once(target, lambda: _wheel(f"vllm=={version}", inside=inside, to=target))


def torch_python() -> Path:
    """Return a Python 3.11 that has a CUDA build of torch, numpy and a compiler's helpers."""
    target = cache() / "torch-2.14.1"

    def make() -> None:
        _run(python311(), "-m", "venv", "--clear", str(target))
        _run(target / "bin/python", "-m", "pip", "install", "-q", TORCH, "numpy", "setuptools<81",
             "pybind11", "ninja")  # fmt: skip

    return _once(target, make) / "bin" / "python"


def other_torch_python() -> Path:
    """Return a Python of another version with the same torch.

    The CUDA libraries are those of the first, as they are the same for every Python; triton and
    what only a compile with torch needs is left out.
    """
    shared = next(torch_python().parents[1].glob("lib/python3*/site-packages/nvidia"))
    target = cache() / "torch-2.14.1-other"

    def make() -> None:
        _run(other_python(), "-m", "venv", "--clear", str(target))
        pip = (target / "bin/python", "-m", "pip", "install", "-q")
        _run(*pip, "--no-deps", TORCH)
        _run(*pip, "filelock", "fsspec", "jinja2", "networkx", "numpy", "setuptools<81", "sympy",
             "typing_extensions")  # fmt: skip
        packages = next(target.glob("lib/python3*/site-packages"))
        (packages / "nvidia").symlink_to(shared)

    return _once(target, make) / "bin" / "python"


def other_python() -> str:
    """Return a Python of another version than 3.11, with its headers."""
    ask = "import sysconfig; print(sysconfig.get_path('include'))"
    found = [shutil.which(f"python3.{minor}") for minor in (12, 13, 10)]
    # pyenv's shims are on PATH for versions that are not active; the versions are beside them.
    beside = sorted((Path.home() / ".pyenv/versions").glob("3.1[023].*/bin/python3"))
    for python in (*filter(None, found), *map(str, reversed(beside))):
        done = subprocess.run([python, "-c", ask], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0 and Path(done.stdout.strip(), "Python.h").is_file():
            return python
    message = "the tests on real builds need a second Python with headers"
    raise RuntimeError(message)


def python311() -> str:
    """Return an interpreter of Python 3.11: the builds are made for it."""
    if sys.version_info[:2] == (3, 11):
        return sys.executable
    found = shutil.which("python3.11")
    if found is None:
        message = "the tests on real builds need python3.11 on PATH"
        raise RuntimeError(message)
    return found


def once(name: str, make: Callable[[Path], None]) -> Path:
    """Return something else that is fetched once: `make` puts it where it is told."""
    target = cache() / name
    return _once(target, lambda: make(target))


def _once(target: Path, make: Callable[[], None]) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    stamp = target.parent / f".{target.name}.ready"
    with _lock(target.parent / f".{target.name}.lock"):
        if not stamp.exists():
            shutil.rmtree(target, ignore_errors=True)
            make()
            stamp.touch()
    return target


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sdist(requirement: str, *, marker: str, to: Path) -> None:
    # An sdist is only unpacked here. pip unpacks it and then asks its setup.py for metadata,
    # which fails without torch; what was unpacked is kept.
    with tempfile.TemporaryDirectory(dir=to.parent) as scratch:
        _run(
            python311(), "-m", "pip", "download", "--no-clean", "--no-deps", "--no-binary", ":all:",
            "--no-build-isolation", "-d", scratch, requirement,
            scratch=scratch, may_fail=True,
        )  # fmt: skip
        trees = [path for path in Path(scratch).rglob(marker) if path.is_file()]
        if not trees:
            message = f"pip left no source tree of {requirement}"
            raise RuntimeError(message)
        root = trees[0].parents[marker.count("/")]
        root.rename(to)


def _wheel(requirement: str, *, inside: str, to: Path) -> None:
    with tempfile.TemporaryDirectory(dir=to.parent) as scratch:
        _run(
            python311(), "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:",
            "-d", scratch, requirement, scratch=scratch,
        )  # fmt: skip
        out = Path(scratch, "out")
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            for name in wheel.namelist():
                if name.startswith(inside) and not name.endswith("/"):
                    path = out / "deep_gemm" / name.removeprefix(inside)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(wheel.read(name))
        out.rename(to)


def _run(*argv: str | Path, scratch: str | None = None, may_fail: bool = False) -> None:
    env = {**os.environ, **({"TMPDIR": scratch} if scratch else {})}
    env["DG_SKIP_CUDA_BUILD"] = "1"
    done = subprocess.run(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode and not may_fail:
        message = f"{' '.join(map(str, argv))}\n{done.stdout[-3000:]}"
        raise RuntimeError(message)
