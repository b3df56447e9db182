"""What every test gets: its own cache, and no programs unless its directory is for them."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

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
