"""Programs that have a site open for writing, or open it while a bump is at work."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from dgpin import files
from dgpin.errors import DgpinError
from dgpin.files import watch
from dgpin.files.watch import Watch
from tests.crash import faulty
from tests.crash.faulty import NEW, OLD, FaultyDisk, Saves
from tests.files.edits import edit, names, write

SITE = "tools/install.sh"


def test_a_file_open_for_writing_is_refused(root: Path) -> None:
    """Its program may write at any moment: exit 3, every site stays, nothing is left."""
    before = names(root)

    with (
        (root / "a.txt").open("r+"),
        pytest.raises(files.OpenError, match=r"a\.txt: another program has it open") as caught,
    ):
        write(root, edit("sub/b.txt", old=b"old b\n"), edit("a.txt"))

    assert 3 == caught.value.exit_code
    assert b"old b\n" == (root / "sub/b.txt").read_bytes()
    assert b"old a\n" == (root / "a.txt").read_bytes()
    assert before == names(root)


def test_a_file_open_for_reading_is_written(root: Path) -> None:
    """Readers are in nobody's way."""
    with (root / "a.txt").open():
        write(root, edit("a.txt"))

    assert b"new\n" == (root / "a.txt").read_bytes()


def test_a_recovery_waits_for_a_file_open_for_writing(tmp_path: Path) -> None:
    """Killed after the exchange, and the old file is still open for writing: it is not removed."""
    for number in range(1000):
        root = tmp_path / str(number)
        faulty.make_host(root, git=True)
        disk = FaultyDisk(at=number, fault=faulty.die)
        with (root / SITE).open("r+b", buffering=0) as old:
            inode = os.fstat(old.fileno()).st_ino
            _bump_unwatched(root, disk)
            there = {path.lstat().st_ino for path in (root / "tools").iterdir()}
            try:
                faulty.recover(root)
            except files.OpenError:
                after = {path.lstat().st_ino for path in (root / "tools").iterdir()}
                assert inode in after
            else:
                assert (root / SITE).stat().st_ino == inode or inode not in there
        faulty.recover(root)
        assert faulty.texts(root) in (OLD, NEW)
        assert [] == faulty.leftovers(root)
        if len(disk.calls) <= number:
            break


def _bump_unwatched(root: Path, disk: FaultyDisk) -> None:
    """Bump as where there are no leases, so that the bump itself does not mind the open file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch, "begin", lambda *_: True)
        try:
            faulty.bump(root, disk)
        except faulty.DiedError:
            return


def test_an_opening_that_comes_late_is_noticed(tmp_path: Path) -> None:
    """A program has looked the name up, and opens the old file at any call until its removal.

    Its text stays, and the rest is of one kind.
    """
    late = 0
    for number in range(1000):
        root = tmp_path / str(number)
        faulty.make_host(root, git=True)
        found = os.open(root / SITE, os.O_RDONLY)
        disk, saves = FaultyDisk(at=number), Saves()
        saved: list[str] = []

        def save(
            disk: FaultyDisk = disk,
            saves: Saves = saves,
            saved: list[str] = saved,
            found: int = found,
        ) -> None:
            if "unlink" not in disk.calls:
                saved.append(disk.calls[-1])
                saves.in_place(Path(f"/proc/self/fd/{found}"), b"theirs\n")

        disk.fault = save
        try:
            faulty.bump(root, disk)
        except DgpinError:
            assert saved
        saves.finish()
        os.close(found)
        faulty.recover(root)
        texts = faulty.texts(root)
        if saved:
            assert b"theirs\n" == texts[SITE]
            late += saved == ["exchange"]
        rest = {path: text for path, text in texts.items() if path != SITE}
        assert rest in tuple(
            {path: text for path, text in kind.items() if path != SITE} for kind in (OLD, NEW)
        )
        assert [] == faulty.leftovers(root)
        if len(disk.calls) <= number:
            break

    assert late > 0


@pytest.mark.parametrize("site", [SITE, "dgpin.toml"])
def test_an_opening_that_comes_late_is_noticed_in_the_undoing(tmp_path: Path, site: str) -> None:
    """The first removal fails; a program that has looked up the new text opens it after that.

    It does so just before any call until the next removal. Its text stays, the rest is old.
    """
    tried: list[str] = []
    for number in range(1000):
        root = tmp_path / str(number)
        faulty.make_host(root, git=True)
        disk, saves = FaultyDisk(at=0, persistent=True), Saves()
        late = _Late(root / site, after=number)

        def fault(disk: FaultyDisk = disk, saves: Saves = saves, late: _Late = late) -> None:
            since = disk.calls[disk.calls.index("unlink") :] if "unlink" in disk.calls else []
            if len(since) == 1:
                late.look_up()
                raise OSError(errno.EIO, "no removal")
            if len(since) == late.after + 2 and "unlink" not in since[1:]:
                late.before = since[-1]
                saves.in_place(Path(f"/proc/self/fd/{late.descriptor}"), b"theirs\n")

        disk.fault = fault
        with pytest.raises(files.WriteError, match="no removal; nothing was written"):
            _bump_backwards(root, disk)
        saves.finish()
        os.close(late.descriptor)
        if not late.before:
            break
        tried.append(late.before)
        texts = faulty.texts(root)
        assert b"theirs\n" == texts.pop(site)
        assert {path: text for path, text in OLD.items() if path != site} == texts
        assert [] == faulty.leftovers(root)

    assert ["rename", "exchange", "exchange", "exchange"] == tried


def test_a_save_into_the_undoing_stays(tmp_path: Path) -> None:
    """The first removal fails; an editor saves just before any call until the next removal.

    Its text stays, the rest is old.
    """
    tried: list[str] = []
    for number in range(1000):
        root = tmp_path / str(number)
        faulty.make_host(root, git=True)
        disk, saves = FaultyDisk(at=0, persistent=True), Saves()
        before: list[str] = []

        def fault(
            root: Path = root,
            disk: FaultyDisk = disk,
            saves: Saves = saves,
            before: list[str] = before,
            after: int = number,
        ) -> None:
            since = disk.calls[disk.calls.index("unlink") :] if "unlink" in disk.calls else []
            if len(since) == 1:
                raise OSError(errno.EIO, "no removal")
            if len(since) == after + 2 and "unlink" not in since[1:]:
                before.append(since[-1])
                saves.by_rename(root / SITE, b"theirs\n")

        disk.fault = fault
        with pytest.raises(files.WriteError, match="no removal; nothing was written"):
            _bump_backwards(root, disk)
        if not before:
            break
        tried += before
        texts = faulty.texts(root)
        assert b"theirs\n" == texts.pop(SITE)
        assert {path: text for path, text in OLD.items() if path != SITE} == texts
        assert [] == faulty.leftovers(root)

    assert ["rename", "exchange", "exchange", "exchange"] == tried


@dataclass
class _Late:
    """A program that looks a name up, and opens what it found some calls after that."""

    target: Path
    after: int
    descriptor: int = -1
    before: str = ""  # the call before which it did

    def look_up(self) -> None:
        self.descriptor = os.open(self.target, os.O_RDONLY)


def _bump_backwards(root: Path, disk: FaultyDisk) -> None:
    """Write the site that does not exist first."""
    with files.locked(root, command="bump", disk=disk) as tree:
        tree.apply(faulty.EDITS[::-1])


def test_of_two_saves_at_once_the_newer_one_stays(tmp_path: Path) -> None:
    """One just before the exchange, one while it is given back: as without a bump."""
    tried = 0
    for number in range(1000):
        root = tmp_path / str(number)
        faulty.make_host(root, git=True)
        disk, saves = FaultyDisk(at=number, persistent=True), Saves()

        def save(
            root: Path = root, disk: FaultyDisk = disk, saves: Saves = saves, first: int = number
        ) -> None:
            if len(disk.calls) - 1 in (first, first + 1):
                saves.by_rename(root / SITE, f"theirs {len(disk.calls)}\n".encode())

        disk.fault = save
        try:
            faulty.bump(root, disk)
        except DgpinError:
            tried += disk.calls[number : number + 2] == ["exchange", "exchange"]
            assert f"theirs {number + 2}\n".encode() == (root / SITE).read_bytes()
        faulty.recover(root)
        assert [] == faulty.leftovers(root)
        if len(disk.calls) <= number:
            break

    assert tried > 0


def test_a_watch_ends_with_its_context(tmp_path: Path) -> None:
    """Nobody waits for a bump that has ended."""
    path = tmp_path / "a"
    path.touch()
    quiet = Watch()
    with quiet:
        assert quiet.begin(path)
        assert quiet.is_quiet(path)

    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


@pytest.mark.parametrize("kind", ["missing", "link", "pipe"])
def test_what_cannot_be_watched_is_quiet(tmp_path: Path, kind: str) -> None:
    """Other looks decide about it."""
    path = tmp_path / "a"
    if kind == "link":
        path.symlink_to("nowhere")
    elif kind == "pipe":
        os.mkfifo(path)

    quiet = Watch()
    with quiet:
        assert quiet.begin(path)


@pytest.mark.parametrize(
    ("device", "kind"), [((8, 1), "ext4"), ((0, 50), "nfs4"), ((0, 5), None), ((8, 11), None)]
)
def test_a_file_systems_kind_is_read_from_the_mounts(
    device: tuple[int, int], kind: str | None
) -> None:
    """By its device's number; a place may hold blanks and dashes."""
    mounts = (
        "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "31 24 0:50 / /mnt/a\\040-\\040b rw shared:2 master:1 - nfs4 server:/x rw,vers=4.2\n"
    )

    assert kind == watch.kind_of(os.makedev(*device), mounts)
