"""Every state-changing system call of dgpin's commands, failed in each way, on real processes.

Phases: `bump` and `init` on a host; `recovery`, the next bump after one that was killed at each of
its calls; `facts`, a dry run that fills the cache of facts; `build cache` and `exported source`,
what `build` keeps. After each fault comes the next run.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dgpin import files
from dgpin.errors import DgpinError
from tests.crash import caches, scene, tracing
from tests.crash.scene import Scene
from tests.crash.tracing import Call, Ended, Fault

EXIT_CODES = {0, 1, 2, 3, 130}


class Case(NamedTuple):
    """One fault: which call of which phase, and the host that it starts from."""

    phase: str
    start: str
    call: Call
    fault: Fault

    def __str__(self) -> str:
        where = f"{self.phase} from {self.start}"
        return f"{where}: {self.fault.value} at {self.call.name} {self.call.number}"


@dataclass(frozen=True)
class Phase:
    """A command and the hosts, or caches, that it starts from, by the names of their directories.

    Without words it is not a command but what one of them keeps in the build cache.
    """

    name: str
    words: Sequence[str]
    starts: Sequence[str]

    def work(self, where: Path) -> Callable[[], int]:
        """Return what is done in a host or a cache."""
        if not self.words:
            return caches.command(where, self.name)
        return scene.command(where, self.words)


def phases(given: Scene, notes: Path) -> tuple[Phase, ...]:
    """Return the phases; this leaves hosts in which a bump was killed in the scene's room."""
    # Without the losses accepted a bump ends when it has recovered: refused, or nothing to do.
    recovery = given.bump[:3]
    kept = caches.make(given.room)
    return (
        Phase("bump", given.bump, ["host"]),
        Phase("bump outside git", given.bump, ["plain"]),
        Phase("recovery", recovery, list(_interrupted(given, "host", notes))),
        Phase("recovery outside git", recovery, list(_interrupted(given, "plain", notes))),
        Phase("init", ["init"], ["host"]),
        Phase("facts", [*given.bump, "--dry-run"], ["host"]),
        *(Phase(kind, [], kept) for kind in caches.KINDS),
    )


def _interrupted(given: Scene, start: str, notes: Path) -> Iterator[str]:
    """Kill a bump at each of its calls, and yield the hosts that differ in what is left."""
    seen: set[object] = set()
    for call in _calls(given, Phase("bump", given.bump, [start]), start, notes):
        name = f"{start}-killed-at-{call.name}-{call.number}"
        host = given.copy(given.room / name, start)
        tracing.inject(scene.command(host, given.bump), call, Fault.KILL)
        left = _without_numbers(scene.texts(host))
        if left in seen or not scene.leftovers(host):
            shutil.rmtree(host)
            continue
        seen.add(left)
        yield name


def _without_numbers(texts: scene.Texts) -> frozenset[tuple[str, int]]:
    """Return what is left, but for the numbers that each run draws for itself."""
    return frozenset(
        (path.partition(".dgpin-")[0] + path.rpartition("-")[2], len(text))
        for path, (_, text) in texts.items()
        if "dgpin" in path
    ) | {(path, hash(text)) for path, (_, text) in texts.items() if "dgpin" not in path}


def _calls(given: Scene, phase: Phase, start: str, notes: Path) -> list[Call]:
    host = given.copy(given.room / "recorded", start)
    ended, calls = tracing.record(phase.work(host), notes)
    if ended.code not in EXIT_CODES or not calls:
        message = f"nothing to fail was recorded: {phase.name} ended with {ended}"
        raise RuntimeError(message)
    shutil.rmtree(host)
    return [call for call in calls if _is_of_dgpin(call)]


def _is_of_dgpin(call: Call) -> bool:
    """Whether a call writes a file or to standard output, not to a git that reads objects."""
    return "/dev/null" not in call.said and not re.match(r"([3-9]|\d\d+)<pipe:", call.said)


def cases(given: Scene, found: Sequence[Phase], notes: Path) -> Iterator[Case]:
    """Yield every case there is."""
    for phase in found:
        for start in phase.starts:
            if phase.name == "facts":
                _forget_facts()
            for call in _calls(given, phase, start, notes):
                for fault in Fault:
                    if fault is Fault.SHORT and (call.name != "write" or call.size < 2):
                        continue
                    yield Case(phase.name, start, call, fault)


def _forget_facts() -> None:
    shutil.rmtree(Path(os.environ["DGPIN_CACHE_DIR"]) / "facts", ignore_errors=True)


def sample(every: Sequence[Case], size: int, seed: str) -> list[Case]:
    """Choose some cases by a seed, always the same ones for the same seed."""

    def rank(case: Case) -> bytes:
        return hashlib.sha256(f"{seed} {case}".encode()).digest()

    return sorted(every, key=rank)[:size]


def judge(given: Scene, case: Case, phase: Phase, room: Path) -> Iterator[str]:
    """Run a case in a room of its own and yield what is wrong afterwards."""
    host = given.copy(room / "tried", case.start)
    if case.phase == "facts":
        _forget_facts()
    ended = tracing.inject(phase.work(host), case.call, case.fault)
    try:
        yield from _ending(case, ended)
        if phase.words:
            yield from _judge(given, case, host, ended)
        else:
            yield from caches.judge(host, phase.name, ended.code)
    except DgpinError as error:
        yield f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(host)


def _ending(case: Case, ended: Ended) -> Iterator[str]:
    killed = case.fault is Fault.KILL and ended.code == -9
    if not killed and ended.code not in EXIT_CODES:
        yield f"exit {ended.code}: {ended.printed.strip()[-300:]}"
    if "Traceback" in ended.printed:
        yield f"a traceback: {ended.printed.strip()[-300:]}"


def _judge(given: Scene, case: Case, host: Path, ended: Ended) -> Iterator[str]:
    which, is_first = _which(given, host, case), not case.phase.startswith("recovery")
    if is_first and "nothing was written" in ended.printed and which != "old":
        yield "it says that nothing was written, and something was"
    if ended.code == 0 and case.phase.startswith("bump") and which != "new":
        yield "it exits 0 without having written everything"
    if which == "mixed":
        yield from _is_told(host)
    scene.recover(host)
    if _which(given, host, case) == "mixed":
        yield "neither all old nor all new after the next run"
    if scene.leftovers(host):
        yield f"left over: {scene.leftovers(host)}"
    yield from _others(given, host)
    if case.phase == "facts" and tracing.run(scene.command(host, given.bump), None).code != 0:
        yield "the next bump does not go through"


def _is_told(host: Path) -> Iterator[str]:
    """A reading command on a mix says that a bump was interrupted."""
    if files.pending(host) is None:
        yield "a mix that is not told"
        return
    told = tracing.run(scene.command(host, ["check"]), None)
    if told.code != 3 or "was interrupted" not in told.printed:
        yield f"check exits {told.code} on a mix: {told.printed[-200:]}"


def _which(given: Scene, host: Path, case: Case) -> str:
    sites = given.sites
    if case.phase == "init":
        sites = ("dgpin.toml",)
    now = {path: _text(host / path) for path in sites}
    if now == {path: given.old.get(path) for path in sites}:
        return "old"
    if case.phase == "init" and now["dgpin.toml"] is not None:
        return "new" if now["dgpin.toml"][1].endswith(b"\n") else "mixed"
    return "new" if now == {path: given.new[path] for path in sites} else "mixed"


def _text(path: Path) -> tuple[int, bytes] | None:
    return (path.lstat().st_mode, path.read_bytes()) if path.exists() else None


def _others(given: Scene, host: Path) -> Iterator[str]:
    """Every other file is as it was."""
    mine = {*given.sites, "dgpin.toml"}
    in_git = (host / ".git").exists()
    now = {path: text for path, text in scene.texts(host).items() if path not in mine}
    before = {
        path: text
        for path, text in given.old.items()
        if path not in mine and (in_git or not path.startswith(".git/"))
    }
    if now != before:
        changed = sorted({*now.items()} ^ {*before.items()})[:3]
        yield f"touched: {[path for path, _ in changed]}"


def run(given: Scene, chosen: Sequence[Case], found: Sequence[Phase]) -> list[tuple[Case, str]]:
    """Try the cases in two processes, one on the disk and one in memory; return what is bad."""
    by_name = {phase.name: phase for phase in found}
    readers = []
    for half, where in enumerate((given.room, _memory() or given.room)):
        out, into = os.pipe()
        if os.fork() == 0:
            os.close(out)
            try:
                _work(given, chosen[half::2], by_name, where, into)
            finally:
                os._exit(0)
        os.close(into)
        readers.append(out)
    bad = []
    for half, out in enumerate(readers):
        with os.fdopen(out, errors="replace") as reader:
            lines = reader.read().splitlines()
        if not lines or lines[-1] != "done":
            raise RuntimeError(f"half {half} of the cases did not come to its end: {lines[-3:]}")
        for line in lines[:-1]:
            number, _, what = line.partition(" ")
            bad.append((chosen[half::2][int(number)], what))
        os.wait()
    return bad


def _memory() -> Path | None:
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None


def _work(
    given: Scene, chosen: Sequence[Case], phases: dict[str, Phase], where: Path, into: int
) -> None:
    """Try cases with a cache of one's own, and write down what is bad."""
    with tempfile.TemporaryDirectory(dir=where) as name, os.fdopen(into, "w") as report:
        room = Path(name)
        shutil.copytree(given.room / "cache", room / "cache", symlinks=True)
        tracing.environment({"DGPIN_CACHE_DIR": str(room / "cache")})
        for number, case in enumerate(chosen):
            found = judge(given, case, phases[case.phase], room)
            report.writelines(f"{number} {what!r}\n" for what in found)
        report.write("done\n")
