"""What an interrupted run leaves, and what becomes of it."""

import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dgpin import files
from dgpin.files import journal as record_module
from dgpin.files.disk import Disk
from dgpin.files.journal import Entry, Record
from tests.files.edits import edit, names, refusing, write


def _interrupt(root: Path, *, decided: bool = True, **changes: str) -> Path:
    """Leave what a run leaves that was killed before its first rename."""
    state = files.state_directory(root)
    state.mkdir()
    entry = Entry(
        path=changes.get("path", "a.txt"),
        staged=changes.get("staged", ".dgpin-0-0"),
        old=record_module.digest(b"old a\n"),
        text=b"new\n",
    )
    name = state / ("journal" if decided else "intent")
    name.write_bytes(record_module.encode(Record(command="bump", entries=(entry,))))
    (root / ".dgpin-0-0").write_bytes(b"new\n" if decided else b"ne")
    return name


def test_a_decided_run_is_finished(root: Path) -> None:
    """The next writing command finds the new text in place, and can say what happened."""
    _interrupt(root)

    with files.locked(root, command="bump") as tree:
        assert b"new\n" == (root / "a.txt").read_bytes()
        assert tree.recovery == files.Recovery(command="bump", paths=("a.txt",), finished=True)

    assert files.pending(root) is None
    assert not (root / ".dgpin-0-0").exists()


def test_an_undecided_run_is_removed(root: Path) -> None:
    """The old text stays, and what had been staged is gone."""
    _interrupt(root, decided=False)

    with files.locked(root, command="bump") as tree:
        assert b"old a\n" == (root / "a.txt").read_bytes()
        assert tree.recovery == files.Recovery(command="bump", paths=("a.txt",), finished=False)

    assert not (root / ".dgpin-0-0").exists()


def test_a_tidied_away_staged_file_is_made_again(root: Path) -> None:
    """`git clean` between the crash and the recovery takes nothing that is needed."""
    _interrupt(root)
    (root / ".dgpin-0-0").unlink()
    (root / "a.txt").chmod(0o750)

    write(root)

    assert b"new\n" == (root / "a.txt").read_bytes()
    assert 0o750 == stat.S_IMODE((root / "a.txt").stat().st_mode)


@pytest.mark.parametrize("decided", [True, False])
def test_a_reading_command_tells_of_an_interrupted_run(root: Path, decided: bool) -> None:
    """It says what was interrupted, names the files and the cure, and exits 3."""
    _interrupt(root, decided=decided)

    found = files.pending(root)

    assert found == files.Interrupted(command="bump", decided=decided, paths=("a.txt",))
    told = files.InterruptedBumpError(found)
    state = "each of a.txt may be old or new" if decided else "a.txt had not been touched yet"
    assert f"a bump was interrupted: {state}" == told.message
    assert "dgpin bump" in told.hint
    assert 3 == told.exit_code


def test_a_living_run_is_not_an_interrupted_one(root: Path) -> None:
    """While someone holds the lock, the journal is theirs."""
    with files.locked(root, command="bump"):
        (files.state_directory(root) / "journal").write_bytes(b"")
        assert files.pending(root) is None
        (files.state_directory(root) / "journal").unlink()


def test_a_file_changed_after_the_interruption_is_not_overwritten(root: Path) -> None:
    """The message names the file and both ways on; each of them works."""
    name = _interrupt(root)
    (root / "a.txt").write_bytes(b"theirs\n")

    with pytest.raises(files.ConflictError, match=r"a\.txt changed since") as caught:
        write(root)
    assert b"theirs\n" == (root / "a.txt").read_bytes()
    assert f"`git -C {root} checkout -- a.txt`" in caught.value.hint
    assert f"`mv {name} {name.with_name('intent')}`" in caught.value.hint

    name.rename(name.with_name("intent"))
    write(root)
    assert b"theirs\n" == (root / "a.txt").read_bytes()
    assert [".git", "a.txt", "sub", "sub/b.txt"] == names(root)


def test_a_conflict_leaves_every_file_as_it_is(root: Path) -> None:
    """One file of two was changed: the other one is not finished either."""
    disk = refusing("exchange", SystemExit())
    edits = [edit("sub/b.txt", old=b"old b\n"), edit("a.txt")]
    with pytest.raises(SystemExit), files.locked(root, command="bump", disk=disk) as tree:
        tree.apply(edits)
    (root / "a.txt").write_bytes(b"theirs\n")

    with pytest.raises(files.ConflictError) as caught:
        write(root)

    assert ("a.txt",) == caught.value.paths
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


def test_an_interrupted_run_is_finished_after_the_old_text_came_back(root: Path) -> None:
    """The other way on."""
    _interrupt(root)
    (root / "a.txt").write_bytes(b"theirs\n")
    with pytest.raises(files.ConflictError):
        write(root)
    (root / "a.txt").write_bytes(b"old a\n")

    write(root)

    assert b"new\n" == (root / "a.txt").read_bytes()


def test_a_save_caught_by_a_dying_run_is_given_back(root: Path) -> None:
    """Killed between the exchange and the look at what came back: the save lies aside."""
    _interrupt(root)
    (root / "a.txt").write_bytes(b"new\n")
    (root / ".dgpin-0-0").write_bytes(b"theirs\n")

    with pytest.raises(files.ConflictError):
        write(root)

    assert b"theirs\n" == (root / "a.txt").read_bytes()


def test_a_directory_that_became_a_link_is_a_conflict(root: Path) -> None:
    """Recovery does not write through a link that was not there."""
    _interrupt(root, path="sub/a.txt", staged="sub/.dgpin-0-0")
    (root / "sub").rename(root / "moved")
    (root / "sub").symlink_to("moved")
    (root / "moved/a.txt").write_bytes(b"old a\n")

    with pytest.raises(files.ConflictError):
        write(root)

    assert b"old a\n" == (root / "moved/a.txt").read_bytes()


def _signed(body: bytes) -> bytes:
    return record_module.digest(body).encode() + b"\n" + body


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b" ",
    "edited": lambda data: data.replace(b"a.txt", b"b.txt"),
    "empty": lambda _: b"",
    "binary": lambda _: b"\xff\n\xfe",
    "a list": lambda _: _signed(b"[]"),
    "no files": lambda _: _signed(b'{"version": 1}'),
    "newer": lambda _: _signed(b'{"version": 2, "command": "bump", "files": []}'),
    "half a row": lambda _: _signed(b'{"version": 1, "command": "b", "files": [{"path": "a"}]}'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_stops_everything(root: Path, damage: str) -> None:
    """Nobody knows what it meant to do: reading and writing commands say so and exit 3."""
    name = _interrupt(root)
    name.write_bytes(DAMAGES[damage](name.read_bytes()))

    with pytest.raises(files.JournalError) as caught:
        write(root)
    with pytest.raises(files.JournalError):
        files.pending(root)

    assert 3 == caught.value.exit_code
    assert str(name) in caught.value.hint
    assert b"old a\n" == (root / "a.txt").read_bytes()


@pytest.mark.parametrize(
    ("path", "staged"),
    [
        ("../a.txt", "../.dgpin-0-0"),
        ("/etc/passwd", "/etc/.dgpin-0-0"),
        (".git/config", ".git/.dgpin-0-0"),
        ("a.txt", "sub/.dgpin-0-0"),
        ("a.txt", "sub/b.txt"),
        ("a.txt", "b.txt"),
    ],
)
def test_a_forged_journal_reaches_nothing(root: Path, path: str, staged: str) -> None:
    """A tree may come with a record in it: it is read with the same mistrust as any path."""
    _interrupt(root, path=path, staged=staged)

    with pytest.raises(files.JournalError, match="names files that no dgpin would write"):
        write(root)


def test_a_torn_intent_is_removed(root: Path) -> None:
    """It is whole before anything that it names is begun."""
    name = _interrupt(root, decided=False)
    (root / ".dgpin-0-0").unlink()
    name.write_bytes(name.read_bytes()[:20])

    assert files.pending(root) is not None
    with files.locked(root, command="bump") as tree:
        assert tree.recovery is None

    assert [".git", "a.txt", "sub", "sub/b.txt"] == names(root)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Take Ctrl-C as a program in the foreground does; one started with `&` ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_polite_signals_wait_for_the_end_of_the_renames(root: Path) -> None:
    """Ctrl-C between two renames takes effect after the last one."""

    class Impatient(Disk):
        def exchange(self, one: Path, other: Path) -> None:
            signal.raise_signal(signal.SIGINT)  # to this thread, now
            super().exchange(one, other)

    with (
        pytest.raises(KeyboardInterrupt),
        files.locked(root, command="bump", disk=Impatient()) as tree,
    ):
        tree.apply([edit("a.txt"), edit("sub/b.txt", old=b"old b\n")])

    assert b"new\n" == (root / "sub/b.txt").read_bytes()
    assert files.pending(root) is None


def test_an_interrupt_before_the_decision_undoes_all(root: Path) -> None:
    """Ctrl-C while files are staged: nothing was written, nothing is left."""
    before = names(root)
    disk = refusing("set_mode", KeyboardInterrupt())

    with (
        pytest.raises(KeyboardInterrupt),
        files.locked(root, command="bump", disk=disk) as tree,
    ):
        tree.apply([edit("a.txt")])

    assert before == names(root)
