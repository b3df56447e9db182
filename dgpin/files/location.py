"""Where a path of the host leads."""

import stat
from pathlib import Path, PurePosixPath

from dgpin.errors import UnavailableError, UsageError


class OutsideError(UsageError):
    """A path leads out of the host, or to a place where a host states nothing."""

    hint = "Only files of the host itself are read and written."

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class UnreadableError(UnavailableError):
    """The system refused to read a file."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__(
            f"{path}: cannot be read: {error.strerror or error}",
            hint="Check the permissions of the file and of its directory.",
        )
        self.path = path


def locate(root: Path, path: str) -> Path:
    """Return the real file behind a path of the host; links are followed inside the host only.

    Raises:
        OutsideError: the path leads out of the host, or is no regular file.
        UnreadableError: the system does not let us look.
        FileNotFoundError: there is no such file.
    """
    found = resolve(root, path, strict=True)
    if not stat.S_ISREG(found.stat().st_mode):
        raise OutsideError(path, "is not a regular file")
    return found


def resolve(root: Path, path: str, *, strict: bool) -> Path:
    if not is_host_path(path):
        raise OutsideError(path, "is not a path inside the host")
    real_root = root.resolve()
    try:
        found = (real_root / path).resolve(strict=strict)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(error.errno, error.strerror, path) from error
    except PermissionError as error:
        raise UnreadableError(path, error) from error
    except (OSError, RuntimeError) as error:
        # A loop of links (RuntimeError until Python 3.12), or a name too long for the system.
        raise OutsideError(path, "cannot be followed to a file") from error
    if not found.is_relative_to(real_root):
        raise OutsideError(path, f"leads out of the host, to {found}")
    if not is_host_path(found.relative_to(real_root).as_posix()):
        raise OutsideError(path, f"leads to {found}, which is not the host's own")
    return found


def is_host_path(path: str) -> bool:
    """Whether a relative path names a place inside the host that is not git's or dgpin's own."""
    parts = PurePosixPath(path).parts
    return (
        bool(parts)
        and not path.startswith("/")
        and "\0" not in path
        and not {".git", ".dgpin", ".."} & {part.lower() for part in parts}
    )
