"""What every test gets: its own cache, and no programs unless its directory is for them.

And what those share that bump a host: the example, a cache, and no network.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.example import Example, make_deepgemm, make_host
from tests.world import World

# How fast a shared machine is at the moment says nothing about a law.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

# Otherwise every child of a fresh clone compiles all of dgpin anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

TESTS = Path(__file__).parent
RUNS_PROGRAMS = ("integration", "long", "real", "gpu", "crash", "history", "bench", "docs", "page")


@pytest.fixture(autouse=True)
def _own_world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any
) -> None:
    """Keep the user's cache and configuration out, and programs out of unit tests."""
    world = tmp_path_factory.mktemp("world")
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(world / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(world / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("GITHUB_TOKEN", "FORCE_COLOR", "NO_COLOR", "DGPIN_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    if Path(request.path).relative_to(TESTS).parts[0] not in RUNS_PROGRAMS:

        def refuse(*_args: object, **_kwargs: object) -> None:
            pytest.fail("a unit test started a process; move it to tests/integration")

        monkeypatch.setattr(subprocess, "Popen", refuse)


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
