"""An environment of its own for each peer, from PyPI, kept beside the real inputs."""

import subprocess
from pathlib import Path

from tests.bench import pythons
from tests.real import inputs

Version = tuple[int, int]


def environment(*requirements: str, python: Version) -> Path:
    """Return the `bin` of a virtual environment that holds these requirements.

    Raises:
        Absent: there is no such Python, or pip could not install them.
    """
    found = pythons.with_headers().get(python)
    version = ".".join(map(str, python))
    if found is None:
        raise Absent(f"Python {version} is not on this machine")

    def make(target: Path) -> None:
        subprocess.run([found[0], "-m", "venv", "--clear", str(target)], check=True)
        argv = [str(target / "bin/python"), "-m", "pip", "install", "-q", *requirements]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Absent(f"pip: {done.stderr.strip().splitlines()[-1]}")

    return inputs.once(f"peers/{'+'.join(requirements)}-{version}", make) / "bin"


class Absent(Exception):  # noqa: N818 - it is a reason, shown in the table
    """A peer that cannot be run here, and why."""
