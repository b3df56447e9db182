"""A package that pip or uv downloads, no file of which becomes larger than an archive may."""

import signal
from pathlib import Path

from dgpin import process
from dgpin.build import archive as archives
from dgpin.build.interpreter import Interpreter
from dgpin.errors import UnavailableError

_LIMIT = 1800.0  # seconds; vLLM's wheel has half a gigabyte


class DownloadError(UnavailableError):
    """pip or uv could not get a package."""

    hint = "Check the name and version; the package must have a wheel for this interpreter."

    def __init__(self, label: str, why: str) -> None:
        super().__init__(f"{label}: {why}")


def wheel(wanted: str, *, python: Interpreter, to: Path, label: str) -> Path:
    """Let pip resolve and download one wheel, without what it needs, into an empty directory.

    Raises:
        DownloadError: it cannot.
        BombError: the wheel is too large.
    """
    pip = [str(python.path), "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--only-binary", ":all:", "--dest", str(to), wanted], label)
    found = next(to.glob("*.whl"), None)
    if found is None:
        raise DownloadError(label, "pip left no wheel")
    return found


def unpacked(wanted: str, *, python: Interpreter, to: Path, label: str) -> None:
    """Let uv resolve, download and unpack one wheel, without what it needs.

    Raises:
        DownloadError: it cannot.
        BombError: a file of it is too large.
    """
    uv = ["uv", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
    _run([*uv, "--python", str(python.path), "--target", str(to), wanted], label)


def _run(argv: list[str], label: str) -> None:
    done = process.run(argv, timeout=_LIMIT, largest=archives.LARGEST)
    # Python is told by an error, other programs by a signal.
    if done.returncode == -signal.SIGXFSZ or (done.returncode and b"File too large" in done.stderr):
        raise archives.BombError(label, f"a file of it has more than {archives.LARGEST} bytes")
    if done.returncode is None:
        raise DownloadError(label, f"the download did not end within {_LIMIT / 60:.0f} min")
    if done.returncode != 0:
        raise DownloadError(label, done.tail or f"`{argv[0]}` ended with {done.returncode}")
