"""Where a page's commands are typed: a clone, or a host that pins the example's DeepGEMM."""

import os
import sys
from pathlib import Path


def environment(home: Path) -> dict[str, str]:
    """Return what a new user's shell has: an empty home, dgpin on PATH, no network."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        # A closed port: who needs a network is refused at once.
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "DGPIN_GITHUB_API": "http://127.0.0.1:9",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
