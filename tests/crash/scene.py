"""The example host, its sources in a warm cache, and commands to run on copies of it."""

import contextlib
import io
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin import files
from dgpin.cli import app
from dgpin.files.journal import STAGED
from tests.crash import tracing
from tests.example import make_deepgemm, make_host

Texts = dict[str, tuple[int, bytes]]


@dataclass(frozen=True)
class Scene:
    """A host before and after a bump.

    `old` and `new` are the host's files with their modes, git's own included save its index,
    which git renews as it likes.
    """

    room: Path
    bump: Sequence[str]
    old: Texts
    new: Texts

    @property
    def sites(self) -> tuple[str, ...]:
        """The files that the bump rewrites."""
        return tuple(path for path in self.new if self.old.get(path) != self.new[path])

    def copy(self, where: Path, like: str = "host") -> Path:
        """Make another host like one that is there."""
        shutil.copytree(self.room / like, where, symlinks=True)
        return where


def make(room: Path) -> Scene:
    """Make the host and the repositories, and fetch what the bump needs into a cache."""
    tracing.environment(
        {
            "DGPIN_CACHE_DIR": str(room / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
    )
    example = make_deepgemm(room / "example")
    host = make_host(room / "host", example.url, example.commits["sm120"])
    bump = ["bump", example.commits["new"], "--offline"]
    for name in ("sm_120", "deep_gemm.fp8_m_grouped_gemm_nt_masked"):
        bump += ["--accept-loss", name]
    shutil.copytree(host, room / "bumped", symlinks=True)
    shutil.copytree(host, room / "plain", symlinks=True, ignore=shutil.ignore_patterns(".git"))
    online = [word for word in bump if word != "--offline"]
    if _quietly(command(room / "bumped", online)) != 0:
        raise RuntimeError("the bump without a fault fails")
    # What a command loads when it first runs is loaded here, not in the children.
    for number, words in enumerate((["init"], ["check"], [*bump, "--dry-run"])):
        warm = Path(shutil.copytree(host, room / f"warm-{number}", symlinks=True))
        _quietly(command(warm, words))
    return Scene(room=room, bump=bump, old=texts(host), new=texts(room / "bumped"))


def _quietly(work: Callable[[], int]) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return work()


def command(host: Path, words: Sequence[str]) -> Callable[[], int]:
    """Return the work of a dgpin command in a host."""

    def work() -> int:
        os.chdir(host)
        return app.main(list(words))

    return work


def texts(host: Path) -> Texts:
    """Return the mode and the bytes of every file of a host, except git's index."""
    return {
        path.relative_to(host).as_posix(): (path.lstat().st_mode, path.read_bytes())
        for path in sorted(host.rglob("*"))
        if path.is_file() and path != host / ".git/index"
    }


def recover(host: Path) -> None:
    """Do what any writing command does first."""
    with files.locked(host, command="bump"):
        pass


def leftovers(host: Path) -> list[str]:
    """Return what a run left behind in a host."""
    state = files.state_directory(host)
    found = [path for path in host.rglob(f"{STAGED}*") if path != state]
    return [str(path) for path in (*found, *([state] if state.exists() else []))]
