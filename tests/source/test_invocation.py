"""How git is started."""

import pytest

from dgpin.source import invocation


def _config(env: dict[str, str]) -> dict[str, str]:
    count = int(env["GIT_CONFIG_COUNT"])
    return {env[f"GIT_CONFIG_KEY_{i}"]: env[f"GIT_CONFIG_VALUE_{i}"] for i in range(count)}


@pytest.mark.parametrize("name", invocation.LOCAL)
def test_hooks_repository_is_not_ours(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a hook hands down about its own repository does not reach our git."""
    monkeypatch.setenv(name, "/elsewhere")

    assert "/elsewhere" not in invocation.environment().values()


def test_users_configuration_by_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration that the caller passes by environment, such as a proxy, keeps its force."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.proxy")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "http://proxy:1")

    found = _config(invocation.environment({"remote.origin.url": "u"}))

    assert ("http://proxy:1", "u") == (found["http.proxy"], found["remote.origin.url"])


def test_nothing_of_a_repository_runs_and_nothing_asks() -> None:
    """Hooks, monitors and prompts are off, messages are English, and lazy fetching is off."""
    env = invocation.environment()

    assert "/dev/null" == _config(env)["core.hooksPath"]
    assert "false" == _config(env)["core.fsmonitor"]
    assert ("0", "", "C", "1") == tuple(
        env[name] for name in ("GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "LC_ALL", "GIT_NO_LAZY_FETCH")
    )
