"""The protocol with one thing wrong at a time: each of these must be caught.

A row says what is wrong, in which module of `dgpin.files`, and how: the first text is replaced by
the second. `python -m tests.crash.mutants` tries them all and prints what caught each.
"""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import dgpin

ROOT = Path(__file__).parents[2]
PACKAGE = Path(dgpin.__file__).parent  # not beside the tests where a wheel is tested
# Laws are left out: what they try is drawn, and a mutant must be caught every time.
TESTS = tuple(
    f"tests/files/test_{name}.py"
    for name in ("kept", "refused", "lock", "interrupted", "watch", "faults")
)


class Mutant(NamedTuple):
    """One thing wrong."""

    name: str
    module: str
    right: str
    wrong: str


MUTANTS = (
    # Each sync.
    Mutant(
        "the record's data is not synced",
        "staging",
        "        disk.sync(descriptor)\n",
        "        if path.name != 'intent':\n            disk.sync(descriptor)\n",
    ),
    Mutant(
        "a staged file's data is not synced",
        "staging",
        "        disk.sync(descriptor)\n",
        "        if path.name == 'intent':\n            disk.sync(descriptor)\n",
    ),
    Mutant(
        "the record's name is not synced before anything is staged",
        "transaction",
        "            self.disk.sync_directory(self.home.state)\n            # The state",
        "            # The state",
    ),
    Mutant(
        "the state directory's own name is not synced",
        "transaction",
        "            self.disk.sync_directory(self.home.state.parent)\n",
        "",
    ),
    Mutant(
        "the decision is not synced",
        "transaction",
        "self.home.journal)\n            self.disk.sync_directory(self.home.state)\n"
        "\n    def _carry",
        "self.home.journal)\n\n    def _carry",
    ),
    Mutant(
        "the new names are not synced before the journal goes",
        "transaction",
        "            self._remove_staged(entry)\n        self._sync_directories(entries)\n",
        "            self._remove_staged(entry)\n",
    ),
    Mutant(
        "only the first directory is synced",
        "transaction",
        "                self.disk.sync_directory(directory)\n",
        "                self.disk.sync_directory(directory)\n            break\n",
    ),
    Mutant(
        "the journal's going is not synced",
        "transaction",
        "        with contextlib.suppress(OSError):\n"
        "            self.disk.sync_directory(self.home.state)\n",
        "",
    ),
    Mutant(
        "the removal of staged files is not synced before the intent goes",
        "transaction",
        "        self._sync_directories(staged)\n",
        "",
    ),
    Mutant(
        "the going of the journal is not synced after an undoing",
        "transaction",
        "                self._remove(self.home.journal)\n"
        "                self.disk.sync_directory(self.home.state)\n",
        "                self._remove(self.home.journal)\n",
    ),
    # Each order.
    Mutant(
        "files are staged before the record is written",
        "transaction",
        "        try:\n            self._prepare(record)\n",
        "        try:\n"
        "            for entry in record.entries:\n"
        "                staging.create(self.disk, self._staged(entry), b'early')\n"
        "                self._remove(self._staged(entry))\n"
        "            self._prepare(record)\n",
    ),
    Mutant(
        "files are placed before the decision",
        "transaction",
        "                self._decide()\n                self._carry_out(record)\n",
        "                self._carry_out(record)\n                self._decide()\n",
    ),
    Mutant(
        "the journal goes before the files are placed",
        "transaction",
        "                self._carry_out(record)\n            except (ChangedError",
        "                self._close(record)\n"
        "                self._carry_out(record)\n"
        "                return\n"
        "            except (ChangedError",
    ),
    Mutant(
        "the intent goes before what it names",
        "transaction",
        "    def _discard(self, record: Record) -> None:\n",
        "    def _discard(self, record: Record) -> None:\n        self._remove(self.home.intent)\n",
    ),
    Mutant(
        "old texts go while new ones are still being placed",
        "transaction",
        "                self._place(entry)\n",
        "                self._place(entry)\n                self._tidy([entry])\n",
    ),
    Mutant(
        "the journal goes before the old texts are back",
        "transaction",
        "        try:\n            for entry in record.entries:\n"
        "                with _naming(entry.path):\n                    self._put_back",
        "        try:\n            self._remove(self.home.journal)\n"
        "            for entry in record.entries:\n"
        "                with _naming(entry.path):\n                    self._put_back",
    ),
    Mutant(
        "the lock goes before the work",
        "lock",
        "    try:\n        yield\n    finally:\n",
        "    os.close(os.dup(descriptor))\n    fcntl.flock(descriptor, fcntl.LOCK_UN)\n"
        "    try:\n        yield\n    finally:\n",
    ),
    # Each look at a digest.
    Mutant(
        "the old texts are not looked at before the decision",
        "transaction",
        "                if digest_of(self._target(entry)) != entry.old:\n"
        "                    raise ChangedError(entry.path)\n",
        "                pass\n",
    ),
    Mutant(
        "the old text is not looked at before it is replaced",
        "transaction",
        "        if found != entry.old or not is_ours:\n",
        "        if not is_ours:\n",
    ),
    Mutant(
        "what came back from the exchange is not looked at",
        "transaction",
        "            if came == wanted:\n                return is_first\n",
        "            return True\n",
    ),
    Mutant(
        "a save that came back is not given back",
        "transaction",
        "            wanted, placed, is_first = placed, came, False\n",
        "            return False\n",
    ),
    Mutant(
        "a save is given back over a newer one",
        "transaction",
        "            if came == wanted:\n",
        "            if came == wanted or not is_first:\n",
    ),
    Mutant(
        "a file that is open for writing is taken",
        "watch",
        "            return not isinstance(error, BlockingIOError) or _is_remote(device)\n",
        "            return True\n",
    ),
    Mutant(
        "an opening is not noticed",
        "watch",
        "        return lease is None or fcntl.fcntl(lease.descriptor, fcntl.F_GETLEASE)"
        " == fcntl.F_RDLCK\n",
        "        return True\n",
    ),
    Mutant(
        "openings are not looked for before the old texts go",
        "transaction",
        "            if not self.watch.is_quiet(self._staged(entry)):\n",
        "            if False:\n",
    ),
    Mutant(
        "openings are not looked for before the new texts go",
        "transaction",
        "        if self.watch.is_quiet(staged):\n            return\n",
        "        return\n",
    ),
    Mutant(
        "a new file that is being opened does not get its name back",
        "transaction",
        "            with contextlib.suppress(ChangedError):  # something",
        "            return\n            with contextlib.suppress(ChangedError):  # something",
    ),
    Mutant(
        "the recovery does not ask who has a file open",
        "transaction",
        "                self._begin_watch(record)\n                self._carry_out(record)\n",
        "                self._carry_out(record)\n",
    ),
    Mutant(
        "a save that a dying run caught is taken for a leftover",
        "transaction",
        "        is_ours = aside in {None, entry.old, entry.new}\n",
        "        is_ours = True\n",
    ),
    Mutant(
        "a new file takes the place of one that has come into being",
        "transaction",
        "            self.disk.move(staged, target)\n",
        "            self.disk.rename(staged, target)\n",
    ),
    Mutant(
        "conflicts are met one by one",
        "transaction",
        "                if changed:\n",
        "                if False:\n",
    ),
    Mutant(
        "old texts come back over whatever is there",
        "transaction",
        "        if digest_of(target) != entry.new:\n            return  #",
        "        if False:\n            return  #",
    ),
    Mutant(
        "the record's checksum is not looked at",
        "journal",
        '    if claimed.decode("ascii", "replace") != digest(body):\n',
        "    if False:\n",
    ),
    Mutant(
        "a record's paths are not looked at",
        "journal",
        "    if not all(_is_sound(entry) for entry in record.entries):\n",
        "    if False:\n",
    ),
    # Recovery and undoing.
    Mutant(
        "a torn intent stops everything",
        "transaction",
        "        except TornError:\n            # It was",
        "        except ZeroDivisionError:\n            # It was",
    ),
    Mutant(
        "staged files are trusted to be there",
        "transaction",
        "        if aside != entry.new:\n",
        "        if False:\n",
    ),
    Mutant(
        "a file is staged again under its own name",
        "transaction",
        "        staging.create(self.disk, part, text, like=like)\n"
        "        self.disk.rename(part, staged)\n",
        "        self._remove(staged)\n"
        "        staging.create(self.disk, staged, text, like=like)\n",
    ),
    Mutant(
        "an interrupted second staging is left",
        "transaction",
        "            return any([self._remove(staged), self._remove(_part(staged))])\n",
        "            return self._remove(staged)\n",
    ),
    Mutant(
        "an error after the decision is not undone",
        "transaction",
        "                self._undo(record, old, error)\n",
        "",
    ),
    Mutant(
        "an error before the decision leaves what was staged",
        "transaction",
        "                self._discard(record)\n            raise\n",
        "                pass\n            raise\n",
    ),
    Mutant(
        "the undone journal stays",
        "transaction",
        "                self._remove(self.home.journal)\n",
        "",
    ),
    Mutant(
        "the next run does not recover",
        "tree",
        "        recovery = transaction.recover()\n",
        "        recovery = None\n",
    ),
    Mutant(
        "an intent without a journal is taken for a decision",
        "transaction",
        "        record = load(self.home.journal)\n        if",
        "        record = load(self.home.journal) or load(self.home.intent)\n        if",
    ),
    Mutant(
        "a file is written in place",
        "transaction",
        "                self.disk.exchange(staged, target)\n            except FileNotFoundError:",
        "                self.watch.__exit__()\n"
        "                target.write_bytes(staged.read_bytes())\n"
        "                self._remove(staged)\n                return True\n"
        "            except FileNotFoundError:",
    ),
    # Readers.
    Mutant(
        "a reading command is not told",
        "reading",
        "    while (before := _trace(place)) is not None:\n",
        "    while (before := _trace(place)) is None:\n",
    ),
)


NOTHING = Mutant("nothing", "transaction", "class Transaction:\n", "class Transaction:\n")


def catch(mutant: Mutant, *, keep: Path) -> str:
    """Return what caught a mutant, empty if nothing did."""
    _copy(mutant, keep)
    for program in (
        ["-m", "tests.crash.losses"],
        ["-m", "pytest", "-x", "-q", *TESTS],
    ):
        try:
            done = subprocess.run(
                [sys.executable, *program],
                cwd=keep,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "it does not come to an end"
        if done.returncode:
            found = re.findall(r"^(?:FAILED .*::|bad: )(.*)", done.stdout, re.MULTILINE)
            return found[0][:100] if found else done.stderr[-300:]
    return ""


def _copy(mutant: Mutant, where: Path) -> None:
    shutil.copytree(PACKAGE, where / "dgpin", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests/crash", where / "tests/crash")
    shutil.copytree(ROOT / "tests/files", where / "tests/files")
    for name in ("__init__.py", "conftest.py"):
        shutil.copy(ROOT / "tests" / name, where / "tests" / name)
    module = where / "dgpin/files" / f"{mutant.module}.py"
    module.write_text(apply(mutant, module.read_text(encoding="utf-8")), encoding="utf-8")


def apply(mutant: Mutant, text: str) -> str:
    """Return a module with one thing wrong.

    Raises:
        ValueError: the text that is to be replaced does not stand there once.
    """
    if text.count(mutant.right) != 1:
        raise ValueError(f"{mutant.name}: found {text.count(mutant.right)} times")
    return text.replace(mutant.right, mutant.wrong)


def _try(mutant: Mutant) -> str:
    with tempfile.TemporaryDirectory() as name:
        return catch(mutant, keep=Path(name))


def gate(chosen: Sequence[Mutant]) -> int:
    """Try mutants, two at a time, say what caught each, and return how many survive.

    Raises:
        RuntimeError: something is caught where nothing is wrong, so that no catch means anything.
    """
    # A shell starts what runs in the background deaf to Ctrl-C, and a test listens for it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if caught := _try(NOTHING):
        raise RuntimeError(f"nothing is wrong, and it is caught: {caught}")
    survive = 0
    with ThreadPoolExecutor(2) as pool:
        for mutant, caught in zip(chosen, pool.map(_try, chosen), strict=True):
            survive += not caught
            sys.stdout.write(f"{'caught' if caught else 'SURVIVES'}: {mutant.name}: {caught}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen)} mutants, {survive} survive\n")
    return survive


def main() -> int:
    """Try the mutants whose names hold a text, or all; exit 1 if one survives."""
    chosen = [each for each in MUTANTS if not sys.argv[1:] or sys.argv[1] in each.name]
    return int(gate(chosen) > 0)


if __name__ == "__main__":
    sys.exit(main())
