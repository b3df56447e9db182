"""Bumps while others are at work in the same host: readers, editors, git, other bumps."""

import os
import random
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dgpin import files
from dgpin.cli.host import open_host
from dgpin.errors import DgpinError
from tests.crash import scene

PATHS = ("cmake/a.cmake", "tools/b.sh", "tools/c.py", "d.txt")
COMMITS = ("a" * 40, "b" * 40)
_TEXT = '# by {name}, save 0\nREF="{commit}"\n# end\n'


def make(root: Path) -> Path:
    """Write a host of four sites that its own dgpin.toml names."""
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(_TEXT.format(name=path, commit=COMMITS[0]))
    sites = "\n".join(f'"{path}" = [\'REF="<commit>"\']' for path in PATHS)
    (root / "dgpin.toml").write_text(f'[pin]\nrepo = "https://example.org/x"\n\n[sites]\n{sites}\n')
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return root


def bump(root: Path, commit: str) -> None:
    """Move every site that states a commit, from what is there now."""
    with files.locked(root, command="bump") as tree:
        old = {path: (root / path).read_bytes() for path in PATHS}
        tree.apply(
            files.Edit(path=path, old=text, new=_moved(text, commit)) for path, text in old.items()
        )


def _moved(text: bytes, commit: str) -> bytes:
    return re.sub(rb'REF="[0-9a-f]{40}"', f'REF="{commit}"'.encode(), text)


@contextmanager
def beside(work: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Let another process work; yield whether it still does, and make sure that it went well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    ended: list[int] = []

    def is_at_work() -> bool:
        if not ended:
            pid, status = os.waitpid(child, os.WNOHANG)
            ended.extend([status] if pid else [])
        return not ended

    yield is_at_work
    while is_at_work():
        time.sleep(0.001)
    if ended != [0]:
        raise RuntimeError(f"the other process failed: {ended}")


def readers(root: Path, bumps: int) -> tuple[int, list[str]]:
    """Read the pin again and again during so many bumps; return the views, and what is wrong."""

    def work() -> None:
        for number in range(bumps):
            bump(root, COMMITS[(number + 1) % 2])

    views, bad = 0, []
    with beside(work) as is_at_work:
        while is_at_work():
            try:
                _, fit = open_host(root)
            except DgpinError as error:
                # To be told is well; that it was interrupted would be untrue.
                if isinstance(error, files.InterruptedBumpError):
                    bad.append(str(error))
                continue
            views += 1
            commits = {re.findall(rb"[0-9a-f]{40}", text)[0] for text in fit.reading.raw.values()}
            if len(commits) != 1:
                bad.append(f"a mixed view: {sorted(commits)}")
    return views, bad


def editor(root: Path, saves: int, *, in_place: bool) -> tuple[int, list[str]]:
    """Save one site again and again during bumps; return the bumps, and the saves that are lost.

    The editor reads, changes its line and saves, and looks whether its line is still there before
    the next save: no bump may have put an older text over it.
    """
    path = root / PATHS[1]
    lost = root / "lost"
    pauses = random.Random(saves)

    def work() -> None:
        for number in range(1, saves + 1):
            text = path.read_bytes()
            if f"save {number - 1}\n".encode() not in text:
                lost.write_bytes(b"save %d was lost: %r" % (number - 1, text))
                return
            text = re.sub(rb"save \d+", b"save %d" % number, text)
            if in_place:
                path.write_bytes(text)
            else:
                (root / "draft").write_bytes(text)
                (root / "draft").replace(path)
            time.sleep(pauses.uniform(0, 0.1))

    bumps, bad = 0, []
    with beside(work) as is_at_work:
        while is_at_work():
            with suppress(files.ChangedError, files.OpenError):
                bump(root, COMMITS[(bumps + 1) % 2])
                bumps += 1
    if lost.exists():
        bad.append(lost.read_text())
    bad += scene.leftovers(root)
    return bumps, bad


def rivals(root: Path, bumps: int) -> tuple[int, list[str]]:
    """Bump from two processes at once; return how often one had to wait, and what is wrong."""

    def work() -> None:
        for number in range(bumps):
            with suppress(files.BusyError):
                bump(root, COMMITS[number % 2])

    busy, bad = 0, []
    with beside(work):
        for number in range(bumps):
            busy += 1
            with suppress(files.BusyError):
                bump(root, COMMITS[(number + 1) % 2])
                busy -= 1
    commits = {re.findall(rb"[0-9a-f]{40}", (root / path).read_bytes())[0] for path in PATHS}
    if len(commits) != 1:
        bad.append(f"a mix at the end: {sorted(commits)}")
    bad += scene.leftovers(root)
    return busy, bad


def checkout(root: Path, rounds: int) -> tuple[int, list[str]]:
    """Bump while git switches between two branches; return the bumps, and what is wrong."""
    subprocess.run(["rm", "-rf", ".git"], cwd=root, check=True)
    for words in (
        ["init", "-q", "-b", "one"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "One"],
        ["checkout", "-q", "-b", "two"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    for path in PATHS:
        text = (root / path).read_text()
        (root / path).write_text(text.replace("# end", "# the end"))
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "Two"]
    subprocess.run(commit, cwd=root, check=True)

    def work() -> None:
        for number in range(rounds):
            branch = ["one", "two"][number % 2]
            subprocess.run(["git", "checkout", "-q", "-f", branch], cwd=root, check=True)

    bumps, bad = 0, []
    with beside(work) as is_at_work:
        while is_at_work():
            # A file that git has taken away for an instant is none of the bump's faults.
            with suppress(files.ChangedError, files.OpenError, FileNotFoundError):
                bump(root, COMMITS[(bumps + 1) % 2])
                bumps += 1
    for path in PATHS:
        text = (root / path).read_text()
        whole = re.fullmatch(rf'# by {path}, save 0\nREF="(a|b){{40}}"\n# (the )?end\n', text)
        if not whole:
            bad.append(f"{path} holds what nobody wrote: {text!r}")
    bad += scene.leftovers(root)
    return bumps, bad
