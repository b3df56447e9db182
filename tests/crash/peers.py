"""What a kill leaves of other tools' rewrites: `python -m tests.crash.peers` prints the table.

Each tool moves the same pin in the same six files, and is killed before each of its system calls
that changes something in the host. bump-my-version is looked for on PATH (it is in the `bench`
group of dependencies); git, patch, sed and strace are Debian's.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.crash import scene, tracing
from tests.crash.tracing import CHANGING, Fault
from tests.example import make_deepgemm

FILES = tuple(f"pins/{number}.txt" for number in range(6))
_TEXT = '# where DeepGEMM comes from\nREF="{}"\n# end\n'
_BUMPVERSION = """\
[tool.bumpversion]
current_version = "{old}"
parse = "(?P<commit>[0-9a-f]{{40}})"
serialize = ["{{commit}}"]
allow_dirty = true
commit = false
tag = false
"""


@dataclass(frozen=True)
class Peer:
    """A tool: how it is started in a host, and how its name is printed."""

    name: str
    words: Sequence[str]


@dataclass
class Row:
    """What the kills of one tool left: at once, and after the same command once more."""

    name: str
    left: Counter[str]
    rerun: Counter[str]


def _host(room: Path) -> tuple[Path, Path, str, str]:
    """Write the host with the configuration of every tool; return what a trial needs."""
    example = make_deepgemm(room / "example")
    old, new = example.commits["old"], example.commits["sm120"]
    host = room / "host"
    (host / "pins").mkdir(parents=True)
    for name in FILES:
        (host / name).write_text(_TEXT.format(old))
    sites = "\n".join(f'"{name}" = [\'REF="<commit>"\']' for name in FILES)
    (host / "dgpin.toml").write_text(f'[pin]\nrepo = "{example.url}"\n\n[sites]\n{sites}\n')
    tables = "".join(f'[[tool.bumpversion.files]]\nfilename = "{name}"\n' for name in FILES)
    (host / ".bumpversion.toml").write_text(_BUMPVERSION.format(old=old) + tables)
    _git(host, "init", "-q", "-b", "main")
    _git(host, "add", ".")
    _git(host, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "Begin")
    for name in FILES:
        (host / name).write_text(_TEXT.format(new))
    (room / "pin.diff").write_bytes(_git(host, "diff"))
    _git(host, "checkout", "-q", ".")
    return host, room, old, new


def _git(host: Path, *words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=host, capture_output=True, check=True)
    return done.stdout


def peers(room: Path, old: str, new: str) -> tuple[Peer, ...]:
    """Return the tools that are here; each has to be."""
    return (
        Peer("bump-my-version", [_path("bump-my-version"), "bump", "--new-version", new]),
        Peer("git apply", [_path("git"), "apply", str(room / "pin.diff")]),
        Peer("patch -p1", [_path("patch"), "-s", "-f", "-p1", "-i", str(room / "pin.diff")]),
        Peer("sed -i", [_path("sed"), "-i", f"s/{old}/{new}/", *FILES]),
    )


def _path(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is not on PATH")
    return found


@dataclass(frozen=True)
class Trial:
    """A host, the room for copies of it, and the two commits."""

    host: Path
    room: Path
    old: str
    new: str

    def copy(self) -> Path:
        """Make another host."""
        where = Path(tempfile.mkdtemp(dir=self.room)) / "host"
        shutil.copytree(self.host, where, symlinks=True)
        return where

    def row(
        self,
        name: str,
        calls: Sequence[tuple[str, int]],
        *,
        kill: Callable[[Path, str, int], None],
        rerun: Callable[[Path], None],
    ) -> Row:
        """Kill before each call, then run once more, and count what is left."""
        row = Row(name, Counter(), Counter())
        for call, number in calls:
            where = self.copy()
            kill(where, call, number)
            row.left[_what(where, self.old, self.new)] += 1
            rerun(where)
            row.rerun[_what(where, self.old, self.new)] += 1
            shutil.rmtree(where)
        return row


def measure(peer: Peer, trial: Trial) -> Row:
    """Kill a tool before each of its calls, each time in a fresh copy of the host."""

    def start(where: Path, strace: Sequence[str]) -> None:
        subprocess.run(
            ["strace", "-qq", *strace, *peer.words],
            cwd=where,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def rerun(where: Path) -> None:
        subprocess.run(peer.words, cwd=where, capture_output=True, check=False)

    def kill(where: Path, name: str, number: int) -> None:
        inject = f"inject={name}:signal=KILL:when={number}"
        start(where, ["-o", "/dev/null", "-e", f"trace={name}", "-e", inject])

    notes = trial.room / "notes"
    recorded = trial.copy()
    start(recorded, ["-y", "-o", str(notes), "-e", f"trace={CHANGING}"])
    calls = _calls(notes.read_text(errors="replace"), recorded)
    return trial.row(peer.name, calls, kill=kill, rerun=rerun)


def measure_dgpin(trial: Trial) -> Row:
    """Do the same with `dgpin bump`, in a child of this process."""
    words = ["bump", trial.new]
    if tracing.run(scene.command(trial.copy(), words), None).code != 0:
        raise SystemExit("the bump without a fault fails")
    words.append("--offline")
    recorded = trial.copy()
    _, found = tracing.record(scene.command(recorded, words), trial.room / "notes")
    calls = {(call.name, call.number): call for call in found if _is_inside(call.said, recorded)}

    def kill(where: Path, name: str, number: int) -> None:
        tracing.inject(scene.command(where, words), calls[name, number], Fault.KILL)

    def rerun(where: Path) -> None:
        tracing.run(scene.command(where, words), None)

    return trial.row("dgpin bump", list(calls), kill=kill, rerun=rerun)


def _calls(notes: str, host: Path) -> list[tuple[str, int]]:
    """Return the calls that change something in a host, by name and number."""
    counts: Counter[str] = Counter()
    calls = []
    for line in notes.splitlines():
        found = re.match(r"(\w+)\((.*)", line)
        if not found:
            continue
        name, said = found.groups()
        counts[name] += 1
        is_reading = name == "openat" and not re.search("O_CREAT|O_WRONLY|O_RDWR|O_TRUNC", said)
        if _is_inside(said, host) and not is_reading:
            calls.append((name, counts[name]))
    return calls


def _is_inside(said: str, host: Path) -> bool:
    """Whether a call is about the host's own files; a path that is not absolute is."""
    said = re.sub(r"AT_FDCWD<[^>]*>", "", said)
    paths = [*re.findall(r'"([^"]*)"', said), *re.findall(r"\d<([^>]*)>", said)]
    return any(
        path.startswith(str(host)) or re.match(r"(?:\./)?(?:pins|\.bumpversion|sed)", path)
        for path in paths
    )


def _what(host: Path, old: str, new: str) -> str:
    found = [(host / name).read_text() if (host / name).exists() else None for name in FILES]
    texts = [_TEXT.format(old), _TEXT.format(new)]
    if any(text not in texts for text in found):
        return "torn or missing"
    if len(set(found)) == 2:
        return "mixed"
    return "all old" if found[0] == texts[0] else "all new"


KINDS = ("all old", "all new", "mixed", "torn or missing")
HEAD = f"| tool | kills | {' | '.join(KINDS)} | after the same command again |\n"
RULE = "|---|--:|--:|--:|--:|--:|---|\n"


def line(row: Row) -> str:
    """Return a row as Markdown."""
    left = " | ".join(str(row.left[kind]) for kind in KINDS)
    again = ", ".join(f"{row.rerun[kind]} {kind}" for kind in KINDS if row.rerun[kind])
    return f"| {row.name} | {sum(row.left.values())} | {left} | {again} |\n"


def main() -> None:
    """Measure them all and print the table."""
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        tracing.environment(
            {
                "DGPIN_CACHE_DIR": str(room / "cache"),
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
            }
        )
        trial = Trial(*_host(room))
        sys.stdout.write(HEAD + RULE)
        for peer in peers(room, trial.old, trial.new):
            sys.stdout.write(line(measure(peer, trial)))
            sys.stdout.flush()
        sys.stdout.write(line(measure_dgpin(trial)))


if __name__ == "__main__":
    main()
