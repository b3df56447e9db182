"""A DeepGEMM, a torch and a toolkit small enough to be compiled in a test."""

from pathlib import Path

import pytest

from tests.build import small as smalls
from tests.build.small import Small


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Return the small world; nobody writes into it."""
    return smalls.make(tmp_path_factory.mktemp("small"))


@pytest.fixture
def small(made: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Small:
    """Return the small world with a source of the test's own."""
    for name in ("CXX", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CUDA_PATH", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDA_HOME", str(made.toolkit))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(made.toolkit / "lib64"))
    (tmp_path / "venv").symlink_to(made.root / "venv")
    (tmp_path / "cuda").symlink_to(made.toolkit)
    own = Small(root=tmp_path)
    smalls.write_source(own.source)
    return own
