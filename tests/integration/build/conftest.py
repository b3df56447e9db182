"""A DeepGEMM, a torch and a toolkit small enough to be compiled in a test."""

import os
import shutil
from pathlib import Path

import pytest

from tests.build import small as smalls
from tests.build.jobs import build
from tests.build.small import Small


def environment(patch: pytest.MonkeyPatch, made: Small) -> None:
    """Take away what a compile listens to, and name the small toolkit."""
    for name in ("CXX", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CUDA_PATH", "VIRTUAL_ENV"):
        patch.delenv(name, raising=False)
    patch.setenv("CUDA_HOME", str(made.toolkit))
    patch.setenv("LD_LIBRARY_PATH", str(made.toolkit / "lib64"))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Return the small world; nobody writes into it."""
    return smalls.make(tmp_path_factory.mktemp("small"))


@pytest.fixture
def small(made: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Small:
    """Return the small world with a source of the test's own."""
    environment(monkeypatch, made)
    (tmp_path / "venv").symlink_to(made.root / "venv")
    (tmp_path / "cuda").symlink_to(made.toolkit)
    own = Small(root=tmp_path)
    smalls.write_source(own.source)
    return own


@pytest.fixture(scope="session")
def ready(made: Small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the small source once, and return the cache that holds it."""
    root = tmp_path_factory.mktemp("ready")
    smalls.write_source(root / "source")
    (root / "venv").symlink_to(made.root / "venv")
    with pytest.MonkeyPatch.context() as patch:
        environment(patch, made)
        patch.setenv("DGPIN_CACHE_DIR", str(root / "cache"))
        assert build(Small(root=root)).entry is not None
    return root / "cache"


@pytest.fixture
def built(small: Small, ready: Path) -> Small:
    """Return the small world with its source built already; nothing is compiled again."""
    shutil.copytree(ready, os.environ["DGPIN_CACHE_DIR"], dirs_exist_ok=True)
    return small
