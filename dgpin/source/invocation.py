"""How git is started: no hook, no prompt, no command of a repository's, no foreign variable."""

import os
from collections.abc import Mapping

# Time limits in seconds. A fetch of a fork network's history over a slow line takes minutes.
READ_LIMIT = 60.0
FETCH_LIMIT = 600.0

# `git rev-parse --local-env-vars`: what a hook that runs dgpin hands down about its repository.
LOCAL = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)

_ALWAYS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "credential.interactive": "false",
    "i18n.logOutputEncoding": "UTF-8",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "submodule.recurse": "false",
    "transfer.bundleURI": "false",
}

_SETTINGS = {
    # What a redirect may still use, or the user's own `url.….insteadOf`.
    "GIT_ALLOW_PROTOCOL": "https:ssh:git:file",
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LANGUAGE": "C",
    "LC_ALL": "C",
    "SSH_ASKPASS_REQUIRE": "never",
}


def settings(config: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables that make git quiet, safe and English; `config` joins as `-c` would.

    They travel by environment, which `ps` does not show to other users: an address may hold a
    password.
    """
    variables = dict(_SETTINGS)
    pairs = {**_ALWAYS, **(config or {})}
    # What the caller configured this way (a proxy, a header with a token) stays in force.
    first = _count(os.environ.get("GIT_CONFIG_COUNT", ""))
    for index, (key, value) in enumerate(pairs.items(), start=first):
        variables[f"GIT_CONFIG_KEY_{index}"] = key
        variables[f"GIT_CONFIG_VALUE_{index}"] = value
    variables["GIT_CONFIG_COUNT"] = str(first + len(pairs))
    return variables


def environment(config: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the whole environment for a git that dgpin starts; see `settings`."""
    inherited = {name: value for name, value in os.environ.items() if name not in LOCAL}
    return {**inherited, **settings(config)}


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else 0
