"""The door that writes the user's tree: what it keeps, what it refuses, what it says."""

import fcntl
import os
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dgpin import files
from dgpin.errors import DgpinError, UsageError
from dgpin.files import journal as record_module
from dgpin.files.disk import Disk
from dgpin.files.journal import Entry, Record


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """Return a host of two files in a git work tree."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "a.txt").write_bytes(b"old a\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_bytes(b"old b\n")
    return tmp_path


def _write(root: Path, *edits: files.Edit) -> None:
    with files.locked(root, command="bump") as tree:
        tree.apply(edits)


def _edit(path: str, old: bytes | None = b"old a\n", new: bytes = b"new\n") -> files.Edit:
    return files.Edit(path=path, old=old, new=new)


def _refusing(call: str, error: BaseException) -> Disk:
    """Return a disk on which one kind of call fails."""

    def refuse(*_: object) -> None:
        raise error

    return type("Refusing", (Disk,), {call: refuse})()  # type: ignore[no-any-return]


def _names(root: Path) -> list[str]:
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if not path.relative_to(root).as_posix().startswith(".git/HEAD")
    )


# What is kept.


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755])
def test_mode_is_kept(root: Path, mode: int) -> None:
    """The permission bits of a site are those that it had."""
    (root / "a.txt").chmod(mode)

    _write(root, _edit("a.txt"))

    assert mode == stat.S_IMODE((root / "a.txt").stat().st_mode)


def test_extended_attributes_are_kept(root: Path) -> None:
    """What the user attached to a file stays attached."""
    os.setxattr(root / "a.txt", "user.note", b"kept")

    _write(root, _edit("a.txt"))

    assert b"kept" == os.getxattr(root / "a.txt", "user.note")


def test_a_new_file_gets_the_mode_of_the_umask(root: Path) -> None:
    """A file that dgpin makes has the permissions of any file that the user makes."""
    before = os.umask(0o027)
    try:
        _write(root, _edit("dgpin.toml", old=None))
    finally:
        os.umask(before)

    assert 0o640 == stat.S_IMODE((root / "dgpin.toml").stat().st_mode)


def test_a_link_stays_a_link(root: Path) -> None:
    """A site that is a link inside the host: the file behind it is rewritten."""
    (root / "link").symlink_to("sub/b.txt")

    _write(root, _edit("link", old=b"old b\n"))

    assert "sub/b.txt" == str((root / "link").readlink())
    assert b"new\n" == (root / "sub/b.txt").read_bytes()


def test_two_names_of_one_file_are_written_once(root: Path) -> None:
    """A link and the file behind it may both be sites if the two edits agree."""
    (root / "link").symlink_to("a.txt")

    _write(root, _edit("link"), _edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()


def test_an_edit_that_changes_nothing_touches_nothing(root: Path) -> None:
    """Running again does not even renew the file."""
    before = (root / "a.txt").stat()

    _write(root, _edit("a.txt", new=b"old a\n"))

    assert before == (root / "a.txt").stat()


def test_nothing_is_left_without_edits(root: Path) -> None:
    """The lock alone leaves nothing either."""
    before = _names(root)

    _write(root)

    assert before == _names(root)


# What is refused; nothing is written in any of these.


def _outside(root: Path) -> None:
    (root.parent / "outside").mkdir(exist_ok=True)
    (root.parent / "outside/a.txt").write_bytes(b"old a\n")
    (root / "out").symlink_to(root.parent / "outside")
    (root / "out.txt").symlink_to(root.parent / "outside/a.txt")
    (root / "loop").symlink_to("loop")
    (root / ".git/config").write_bytes(b"old a\n")
    (root / "config").symlink_to(".git/config")
    os.mkfifo(root / "pipe")


@pytest.mark.parametrize(
    "path",
    [
        "../outside/a.txt",
        "sub/../../outside/a.txt",
        "/etc/passwd",
        "out/a.txt",
        "out.txt",
        "loop",
        ".git/config",
        ".GIT/config",
        "config",
        ".dgpin/a.txt",
        "sub",
        "pipe",
        "",
        ".",
        "a\0b",
        "x" * 300,
    ],
)
def test_paths_that_lead_elsewhere_are_refused(root: Path, path: str) -> None:
    """`..`, links that lead out, git's own files, and what is no file: exit 2."""
    _outside(root)

    with pytest.raises(files.OutsideError) as caught:
        _write(root, _edit("sub/b.txt", old=b"old b\n"), _edit(path))

    assert 2 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()
    assert b"old a\n" == (root.parent / "outside/a.txt").read_bytes()
    assert b"old a\n" == (root / ".git/config").read_bytes()


@pytest.mark.parametrize("path", ["out/new", "../new", ".git/hooks", ".dgpin"])
def test_new_files_are_made_inside_only(root: Path, path: str) -> None:
    """The same holds for a file that does not exist yet."""
    _outside(root)

    with pytest.raises(files.OutsideError):
        _write(root, _edit(path, old=None))

    assert not (root.parent / "outside/new").exists()
    assert not (root.parent / "new").exists()


def test_a_second_hard_link_is_refused(root: Path) -> None:
    """The other name would keep the old text; the message says how to part the two."""
    os.link(root / "a.txt", root / "other")

    with pytest.raises(files.UnwritableError, match=r"a\.txt: has another hard link") as caught:
        _write(root, _edit("sub/b.txt", old=b"old b\n"), _edit("a.txt"))

    assert 2 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


def test_two_texts_for_one_file_are_refused(root: Path) -> None:
    """A link and the file behind it cannot be given different texts."""
    (root / "link").symlink_to("a.txt")

    with pytest.raises(files.UnwritableError, match=r"link: is the same file as a\.txt"):
        _write(root, _edit("a.txt"), _edit("link", new=b"other\n"))

    assert b"old a\n" == (root / "a.txt").read_bytes()


@pytest.mark.parametrize(
    ("path", "old"),
    [
        ("a.txt", b"another text\n"),
        ("missing.txt", b"old\n"),
        ("sub/deep/missing.txt", b"old\n"),
        ("a.txt/below", b"old\n"),
        ("a.txt", None),
        ("dangling", None),
    ],
)
def test_a_file_that_is_not_what_was_read_is_refused(
    root: Path, path: str, old: bytes | None
) -> None:
    """Changed, gone or come into being since it was read: exit 3, and every site stays."""
    (root / "dangling").symlink_to("nowhere")

    with pytest.raises(files.ChangedError) as caught:
        _write(root, _edit("sub/b.txt", old=b"old b\n"), _edit(path, old=old))

    assert 3 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()
    assert b"old a\n" == (root / "a.txt").read_bytes()


def test_a_new_file_needs_its_directory(root: Path) -> None:
    """dgpin makes no directories in the host."""
    with pytest.raises(files.WriteError, match=r"new/dgpin\.toml: cannot be written: No such file"):
        _write(root, _edit("sub/b.txt", old=b"old b\n"), _edit("new/dgpin.toml", old=None))

    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


def test_a_file_whose_owner_cannot_be_kept_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another owner's file: the new one would belong to someone else."""
    look = os.fstat

    def another_owner(descriptor: int) -> os.stat_result:
        found = list(look(descriptor))
        found[4] += 1  # st_uid
        return os.stat_result(found)

    monkeypatch.setattr("dgpin.files.staging.os.fstat", another_owner)
    disk = _refusing("set_owner", PermissionError(1, "Operation not permitted"))

    with (
        pytest.raises(files.WriteError, match=r"a\.txt: .*nothing was written"),
        files.locked(root, command="bump", disk=disk) as tree,
    ):
        tree.apply([_edit("a.txt"), _edit("sub/b.txt", old=b"old b\n")])

    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


# One at a time.


def test_a_second_writer_is_refused(root: Path) -> None:
    """While one dgpin writes, another one ends with 3, and the first one's lock stays."""
    with files.locked(root, command="bump"):
        with pytest.raises(files.BusyError) as caught, files.locked(root, command="bump"):
            pass
        assert (files.state_directory(root) / "lock").exists()

    assert 3 == caught.value.exit_code
    assert not files.state_directory(root).exists()


def test_two_hosts_of_one_repository_share_the_lock(root: Path) -> None:
    """They may share files."""
    with (
        files.locked(root / "sub", command="bump"),
        pytest.raises(files.BusyError),
        files.locked(root, command="bump"),
    ):
        pass


def test_a_lock_file_that_nobody_holds_is_no_obstacle(root: Path) -> None:
    """What a killed process leaves is taken over."""
    files.state_directory(root).mkdir()
    (files.state_directory(root) / "lock").touch()

    _write(root, _edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()
    assert not files.state_directory(root).exists()


def test_a_reader_does_not_disturb_a_writer(root: Path) -> None:
    """A reading command that asks whether anyone is alive holds the lock for an instant."""
    place = files.state_directory(root)
    place.mkdir()
    (place / "lock").touch()
    with (place / "lock").open() as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        signal.signal(signal.SIGALRM, lambda *_: fcntl.flock(reader, fcntl.LOCK_UN))
        signal.setitimer(signal.ITIMER_REAL, 0.05)

        _write(root, _edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_state_directory_that_is_none_is_refused(root: Path, kind: str) -> None:
    """A link or a file in its place is someone's doing: nothing is written through it."""
    place = files.state_directory(root)
    if kind == "file":
        place.write_text("")
    else:
        (root / "sub/elsewhere").mkdir()
        place.symlink_to(root / "sub/elsewhere")

    with pytest.raises(files.StateError, match="nothing was written"):
        _write(root, _edit("a.txt"))

    assert b"old a\n" == (root / "a.txt").read_bytes()


# Where lock and journal lie.


def test_state_lies_in_the_git_directory(root: Path) -> None:
    """For the root of a work tree and for a directory in it."""
    assert root / ".git/dgpin" == files.state_directory(root)
    assert root / ".git/dgpin" == files.state_directory(root / "sub")


def test_state_lies_in_a_linked_work_trees_own_git_directory(root: Path) -> None:
    """A .git file names it, absolutely or relative to itself."""
    (root / ".git/worktrees/w").mkdir(parents=True)
    (root / ".git/worktrees/w/HEAD").touch()
    (root / "sub/.git").write_text("gitdir: ../.git/worktrees/w\n")

    assert root / ".git/worktrees/w/dgpin" == files.state_directory(root / "sub")


@pytest.mark.parametrize("text", ["gitdir: /nowhere/at/all\n", "something else\n", ""])
def test_a_git_file_that_leads_nowhere_is_none(tmp_path: Path, text: str) -> None:
    """As in a copy of a work tree: the host keeps its own state."""
    (tmp_path / ".git").write_text(text)

    assert tmp_path / ".dgpin" == files.state_directory(tmp_path)


def test_state_outside_git_lies_in_the_host(tmp_path: Path) -> None:
    """An unpacked source distribution has no git directory."""
    assert tmp_path / ".dgpin" == files.state_directory(tmp_path)


# Interrupted runs.


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

    _write(root)

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
        _write(root)
    assert b"theirs\n" == (root / "a.txt").read_bytes()
    assert f"`git -C {root} checkout -- a.txt`" in caught.value.hint
    assert f"`mv {name} {name.with_name('intent')}`" in caught.value.hint

    name.rename(name.with_name("intent"))
    _write(root)
    assert b"theirs\n" == (root / "a.txt").read_bytes()
    assert [".git", "a.txt", "sub", "sub/b.txt"] == _names(root)


def test_a_conflict_leaves_every_file_as_it_is(root: Path) -> None:
    """One file of two was changed: the other one is not finished either."""
    disk = _refusing("exchange", SystemExit())
    edits = [_edit("sub/b.txt", old=b"old b\n"), _edit("a.txt")]
    with pytest.raises(SystemExit), files.locked(root, command="bump", disk=disk) as tree:
        tree.apply(edits)
    (root / "a.txt").write_bytes(b"theirs\n")

    with pytest.raises(files.ConflictError) as caught:
        _write(root)

    assert ("a.txt",) == caught.value.paths
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()


def test_an_interrupted_run_is_finished_after_the_old_text_came_back(root: Path) -> None:
    """The other way on."""
    _interrupt(root)
    (root / "a.txt").write_bytes(b"theirs\n")
    with pytest.raises(files.ConflictError):
        _write(root)
    (root / "a.txt").write_bytes(b"old a\n")

    _write(root)

    assert b"new\n" == (root / "a.txt").read_bytes()


def test_a_save_caught_by_a_dying_run_is_given_back(root: Path) -> None:
    """Killed between the exchange and the look at what came back: the save lies aside."""
    _interrupt(root)
    (root / "a.txt").write_bytes(b"new\n")
    (root / ".dgpin-0-0").write_bytes(b"theirs\n")

    with pytest.raises(files.ConflictError):
        _write(root)

    assert b"theirs\n" == (root / "a.txt").read_bytes()


def test_a_directory_that_became_a_link_is_a_conflict(root: Path) -> None:
    """Recovery does not write through a link that was not there."""
    _interrupt(root, path="sub/a.txt", staged="sub/.dgpin-0-0")
    (root / "sub").rename(root / "moved")
    (root / "sub").symlink_to("moved")
    (root / "moved/a.txt").write_bytes(b"old a\n")

    with pytest.raises(files.ConflictError):
        _write(root)

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
        _write(root)
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
        _write(root)


def test_a_torn_intent_is_removed(root: Path) -> None:
    """It is whole before anything that it names is begun."""
    name = _interrupt(root, decided=False)
    (root / ".dgpin-0-0").unlink()
    name.write_bytes(name.read_bytes()[:20])

    assert files.pending(root) is not None
    with files.locked(root, command="bump") as tree:
        assert tree.recovery is None

    assert [".git", "a.txt", "sub", "sub/b.txt"] == _names(root)


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
        tree.apply([_edit("a.txt"), _edit("sub/b.txt", old=b"old b\n")])

    assert b"new\n" == (root / "sub/b.txt").read_bytes()
    assert files.pending(root) is None


def test_an_interrupt_before_the_decision_undoes_all(root: Path) -> None:
    """Ctrl-C while files are staged: nothing was written, nothing is left."""
    before = _names(root)
    disk = _refusing("set_mode", KeyboardInterrupt())

    with (
        pytest.raises(KeyboardInterrupt),
        files.locked(root, command="bump", disk=disk) as tree,
    ):
        tree.apply([_edit("a.txt")])

    assert before == _names(root)


# Results.


def test_a_result_is_replaced_whole(tmp_path: Path) -> None:
    """The mode of the file that was there stays, and nothing lies beside it."""
    (tmp_path / "out.json").write_text("old")
    (tmp_path / "out.json").chmod(0o640)

    files.write_result(tmp_path / "out.json", "new")

    assert "new" == (tmp_path / "out.json").read_text()
    assert 0o640 == stat.S_IMODE((tmp_path / "out.json").stat().st_mode)
    assert ["out.json"] == [path.name for path in tmp_path.iterdir()]


def test_a_result_goes_through_a_link(tmp_path: Path) -> None:
    """The link stays."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")

    files.write_result(tmp_path / "link", "new")

    assert "new" == (tmp_path / "real").read_text()
    assert (tmp_path / "link").is_symlink()


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    """`-o json=/dev/stdout`, or a pipe that someone reads, must not be replaced."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    files.write_result(tmp_path / "pipe", "new")

    assert b"new" == os.read(reader, 100)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    os.close(reader)


def test_bytes_that_are_not_text_go_out_as_they_came(tmp_path: Path) -> None:
    """A path need not be UTF-8."""
    files.write_result(tmp_path / "out", os.fsdecode(b"\xff\n"))

    assert b"\xff\n" == (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("name", ["none/out.json", "."])
def test_a_result_needs_a_place(tmp_path: Path, name: str) -> None:
    """No such directory, or one instead of a file: exit 2."""
    with pytest.raises(UsageError):
        files.write_result(tmp_path / name, "new")


@pytest.mark.parametrize("call", ["create", "write", "sync", "rename"])
def test_a_result_is_there_whole_or_not_at_all(tmp_path: Path, call: str) -> None:
    """Whichever call fails, the old result stays and nothing lies beside it."""
    disk = _refusing(call, OSError(28, "No space left on device"))
    (tmp_path / "out.json").write_text("old")

    with pytest.raises(files.WriteError, match=r"out\.json: .*No space left on device") as caught:
        files.write_result(tmp_path / "out.json", "new", disk=disk)

    assert isinstance(caught.value, DgpinError)
    assert "old" == (tmp_path / "out.json").read_text()
    assert ["out.json"] == [path.name for path in tmp_path.iterdir()]


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Give back what a test took."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.signal(signal.SIGALRM, before)
