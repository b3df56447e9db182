"""A disk that fails at a chosen step, and a small host to try it on."""

import errno
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgpin import files
from dgpin.files.disk import Disk
from dgpin.files.journal import STAGED

# One site of each kind that needs care: a link, an executable, line ends and bytes that are not
# text, a file in a directory of its own, and a file that does not exist yet.
OLD: dict[str, bytes | None] = {
    "cmake/deepgemm.cmake": b'set(TAG "aaaaaaa")\r\n\xff\xfe\r\n',
    "tools/install.sh": b"REF=aaaaaaa\n",
    "linked.txt": b"see aaaaaaa\n",
    "dgpin.toml": None,
}
NEW: dict[str, bytes] = {
    "cmake/deepgemm.cmake": b'set(TAG "bbbbbbb")\r\n\xff\xfe\r\n',
    "tools/install.sh": b"REF=bbbbbbb\n",
    "linked.txt": b"see bbbbbbb\n",
    "dgpin.toml": b"[pin]\n",
}
NOT_OF_TWO = {path: OLD[path] for path in ("cmake/deepgemm.cmake", "linked.txt")}
EDITS = tuple(files.Edit(path=path, old=OLD[path], new=NEW[path]) for path in NEW)


class DiedError(BaseException):
    """The process was killed here: no handler may do anything about it."""


@dataclass
class FaultyDisk(Disk):
    """A disk whose call number `at`, counted from 0, fails.

    `fault` runs instead of that call; with `persistent`, instead of every later one too. With
    `exchanges` off, the file system has no renameat2. Nothing is synced without `syncs`: only a
    loss of power would tell, and the model of it is elsewhere.
    """

    at: int | None = None
    fault: Callable[[], object] | None = None
    persistent: bool = False
    exchanges: bool = True
    syncs: bool = False
    full: bool = False
    calls: list[str] = field(default_factory=list)

    def step(self, name: str) -> None:
        """Count a call, and fail if it is its turn."""
        number = len(self.calls)
        self.calls.append(name)
        if self.fault is None or self.at is None:
            return
        if number == self.at or (self.persistent and number > self.at):
            self.fault()

    def note(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """Hear of a call that was made."""


def _counted(name: str) -> Callable[..., Any]:
    real = getattr(Disk, name)

    def call(self: FaultyDisk, *args: Any) -> Any:
        if name in {"move", "exchange"} and not self.exchanges:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self.step(name)
        result = None
        if self.syncs or name not in {"sync", "sync_directory"}:
            result = real(self, *args)
        self.note(name, args, result)
        return result

    return call


for _name in [name for name in vars(Disk) if not name.startswith("_")]:
    setattr(FaultyDisk, _name, _counted(_name))


def error(code: int = errno.EIO) -> Callable[[], None]:
    """Return a fault: the system refuses the call."""

    def refuse() -> None:
        raise OSError(code, os.strerror(code))

    return refuse


def die() -> None:
    """Be killed before the call; a dead process makes no other."""
    raise DiedError


class Saves:
    """Saves of other programs, made in the process of the bump.

    One that opens a file waits where dgpin holds its opening up, and goes on by itself.
    """

    def __init__(self) -> None:
        self._waiting: list[threading.Thread] = []

    def by_rename(self, target: Path, text: bytes) -> None:
        """Save as most editors do: a new file takes the name."""
        draft = target.with_name("draft")
        draft.write_bytes(text)
        draft.rename(target)

    def in_place(self, target: Path, text: bytes) -> None:
        """Save into the file that has the name now."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        try:
            descriptor = os.open(target, flags | os.O_NONBLOCK, 0o644)
        except BlockingIOError:
            thread = threading.Thread(target=target.write_bytes, args=(text,))
            self._waiting.append(thread)
            thread.start()
            _wait_in_open(thread)
            return
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)

    def finish(self) -> None:
        """Wait until every save is made; no bump may be at work any more."""
        while self._waiting:
            self._waiting.pop().join()


def _wait_in_open(thread: threading.Thread) -> None:
    """Wait until a thread is held up in openat: one that comes to it later saves at another time.

    The numbers are those of x86-64 and aarch64.
    """
    place = Path(f"/proc/self/task/{thread.native_id}/syscall")
    give_up = time.monotonic() + 5
    while thread.is_alive() and time.monotonic() < give_up:
        try:
            if place.read_text().split()[0] in {"257", "56"}:
                return
        except OSError:
            pass
        time.sleep(0.001)


def make_host(root: Path, *, git: bool) -> None:
    """Write the small host; a bystander lies beside each site."""
    for path, text in OLD.items():
        if text is None:
            continue
        where = root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        if path == "linked.txt":
            (root / "docs").mkdir()
            (root / "docs/real.txt").write_bytes(text)
            where.symlink_to("docs/real.txt")
        else:
            where.write_bytes(text)
        (where.parent / "bystander").write_bytes(b"not yours\n")
    (root / "tools/install.sh").chmod(0o755)
    if git:
        (root / ".git").mkdir()
        (root / ".git/HEAD").write_text("ref: refs/heads/main\n")


def bump(root: Path, disk: Disk) -> None:
    """Write the new texts wherever the old ones still are, as `bump` would."""
    with files.locked(root, command="bump", disk=disk) as tree:
        edits = [edit for edit in EDITS if texts(root)[edit.path] != edit.new]
        tree.apply(edits)


def bump_all(root: Path, disk: Disk) -> None:
    """Write every new text, whatever the sites hold."""
    with files.locked(root, command="bump", disk=disk) as tree:
        tree.apply(EDITS)


def bump_two(root: Path, disk: Disk) -> None:
    """Write one site that exists and one that does not."""
    with files.locked(root, command="bump", disk=disk) as tree:
        tree.apply([EDITS[1], EDITS[-1]])


def recover(root: Path, disk: Disk | None = None) -> None:
    """Do what the next writing command does first."""
    with files.locked(root, command="bump", disk=disk or FaultyDisk()):
        pass


def texts(root: Path) -> dict[str, bytes | None]:
    """Return what the sites hold."""
    return {
        path: (root / path).read_bytes() if (root / path).exists() else None for path in EDITS_PATHS
    }


def leftovers(root: Path) -> list[str]:
    """Return what lies in the host that is neither a site nor there before."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.name.startswith(STAGED) or path.name in {"dgpin", ".dgpin", "journal", "intent"}
    )


def others(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and bytes of everything else, links and directories included."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name in {*EDITS_PATHS, "docs/real.txt"} and not path.is_symlink():
            found[name] = (path.stat().st_mode, b"")
        elif path.is_symlink():
            found[name] = (0, os.fsencode(path.readlink()))
        else:
            found[name] = (path.stat().st_mode, b"" if path.is_dir() else path.read_bytes())
    found.pop("dgpin.toml", None)
    return found


EDITS_PATHS = tuple(edit.path for edit in EDITS)


def room() -> Path | None:
    """Return a directory in memory, if there is one: nothing here is synced."""
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None


def umask() -> int:
    """Return the mask for new files."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
