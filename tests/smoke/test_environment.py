"""What the processes under test see."""

from pathlib import Path

import pytest

from dgpin.smoke import environment
from dgpin.smoke.environment import Toolkit

KIT = Toolkit(home=Path("/cuda"), origin="CUDA_HOME", nvcc=Path("/cuda/bin/nvcc"), version="13.0")


def test_prepare() -> None:
    """What decides about kernels is dropped and set anew; the rest stays."""
    given = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "CUDA_VISIBLE_DEVICES": "1",
        "CUDA_PATH": "/other",
        "DG_JIT_DEBUG": "maybe",
        "DJ_JIT_CACHE_DIR": "/warm",
        "PYTHONPATH": "/elsewhere",
        "LD_PRELOAD": "/lib/shim.so",
        "CUDA_LAUNCH_BLOCKING": "1",
        "CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "1",
        "CUDA_COREDUMP_FILE": "/dumps/%p",
    }

    assert environment.prepare(given, KIT, Path("/jit")) == {
        "PATH": "/bin",
        "HOME": "/home/me",
        "CUDA_VISIBLE_DEVICES": "1",
        "CUDA_HOME": "/cuda",
        "DG_JIT_CACHE_DIR": "/jit",
        "DG_USE_TEMP_CUBLASLT_WORKSPACE": "1",
    }


@pytest.mark.parametrize(
    ("env", "home", "origin"),
    [
        ({"CUDA_HOME": "/a", "CUDA_PATH": "/b"}, "/a", "CUDA_HOME"),
        ({"CUDA_PATH": "/b"}, "/b", "CUDA_PATH"),
        ({"CUDA_HOME": "", "CUDA_PATH": "/b"}, "/b", "CUDA_PATH"),
    ],
)
def test_toolkit(env: dict[str, str], home: str, origin: str) -> None:
    """The CUDA home is the one that DeepGEMM would take, also when nothing is there."""
    found = environment.toolkit({"PATH": "", **env})

    assert (Path(home), origin, None, "") == (found.home, found.origin, found.nvcc, found.version)


def test_digest(tmp_path: Path) -> None:
    """Any header's name or content changes the digest, and with it the cache's name."""
    include = tmp_path / "include" / "cutlass"
    include.mkdir(parents=True)
    seen = {environment.headers_digest(tmp_path)}
    for name, text in (("a.hpp", "1"), ("a.hpp", "2"), ("b.hpp", "")):
        (include / name).write_text(text)
        seen.add(environment.headers_digest(tmp_path))

    (include / "lost.hpp").symlink_to("/nonexistent/lost.hpp")
    seen.add(environment.headers_digest(tmp_path))

    assert 5 == len(seen)
    assert environment.jit_cache("a" * 64, KIT).name == "aaaaaaaaaaaaaaaa-nvcc13.0"
