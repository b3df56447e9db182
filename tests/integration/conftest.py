"""What tests share that bump a host: the example, a cache, and no network."""

import shutil
from pathlib import Path

import pytest

from tests.example import Example, make_deepgemm, make_host
from tests.world import World


@pytest.fixture(name="example", scope="session")
def _example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return make_deepgemm(tmp_path_factory.mktemp("example"))


@pytest.fixture(name="first", scope="session")
def _first(tmp_path_factory: pytest.TempPathFactory, example: Example) -> Path:
    host = tmp_path_factory.mktemp("hosts") / "host"
    return make_host(host, example.url, example.commits["sm120"])


@pytest.fixture(name="cache", scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(name="world")
def _world(
    example: Example, first: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> World:
    """Copy the host. Mirrors are shared; the network is a closed port, so that nobody waits."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(cache))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("DGPIN_GITHUB_API", "http://127.0.0.1:9")
    host = tmp_path / "host"
    shutil.copytree(first, host, symlinks=True)
    return World(example=example, host=host)
