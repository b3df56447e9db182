"""The Pythons of this machine, by version."""

import json
import shutil
import sys
from functools import cache
from pathlib import Path

from dgpin import process

_ASK = (
    "import json, sys, sysconfig; print(json.dumps([sys.version_info[:2], "
    "sysconfig.get_path('include'), sysconfig.get_config_var('EXT_SUFFIX')]))"
)


@cache
def with_headers() -> dict[tuple[int, int], tuple[str, str, str]]:
    """Return executable, include directory and suffix of extensions for 3.10 to 3.13.

    pyenv's shims are on PATH for versions that are not active, so each is asked.
    """
    named = [shutil.which(f"python3.{minor}") for minor in range(10, 14)]
    beside = sorted((Path.home() / ".pyenv/versions").glob("3.1[0123].*/bin/python3"))
    found: dict[tuple[int, int], tuple[str, str, str]] = {}
    for python in (sys.executable, *filter(None, named), *map(str, beside)):
        done = process.run([python, "-c", _ASK])
        if done.returncode == 0:
            (major, minor), include, suffix = json.loads(done.text)
            if Path(include, "Python.h").is_file():
                found.setdefault((major, minor), (python, include, suffix))
    return found
