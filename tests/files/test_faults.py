"""Every state-changing call fails in turn: all old or all new, and nothing else touched."""

import contextlib
import errno
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dgpin import files
from dgpin.errors import DgpinError
from tests.crash import faulty
from tests.crash.faulty import NEW, OLD, DiedError, FaultyDisk, Saves

Fault = Callable[[], object]


@pytest.fixture(name="room")
def _room(tmp_path: Path) -> Iterator[Path]:
    """Return an empty directory, in memory if there is one: nothing here is synced."""
    with tempfile.TemporaryDirectory(dir=faulty.room() or tmp_path) as name:
        yield Path(name)


@pytest.fixture(name="host", params=["git", "plain"])
def _host(request: pytest.FixtureRequest, room: Path) -> Callable[[], Path]:
    """Return a maker of fresh hosts."""
    made = iter(range(100_000))

    def make() -> Path:
        root = room / str(next(made))
        faulty.make_host(root, git=request.param == "git")
        return root

    return make


@pytest.fixture(name="exchanges", params=[True, False], ids=["exchange", "no-exchange"])
def _exchanges(request: pytest.FixtureRequest) -> bool:
    """Whether the file system can exchange two names."""
    return bool(request.param)


def _runs(
    make: Callable[[], Path], fault: Fault, *, exchanges: bool, persistent: bool = False
) -> Iterator[tuple[Path, FaultyDisk, BaseException | None]]:
    """Yield a bump for each call that one makes, failed at that call, with what it raised."""
    at = 0
    while True:
        root = make()
        disk = FaultyDisk(at=at, fault=fault, exchanges=exchanges, persistent=persistent)
        raised: BaseException | None = None
        try:
            faulty.bump(root, disk)
        except (DgpinError, DiedError) as error:
            raised = error
        if len(disk.calls) <= at:
            break
        yield root, disk, raised
        at += 1
    assert at > 30, "the bump made fewer calls than a bump makes"


def _assert_whole(root: Path) -> None:
    """Assert that the sites are all old or all new."""
    assert faulty.texts(root) in (OLD, NEW)


def test_bump_writes_every_site_and_leaves_nothing(host: Callable[[], Path]) -> None:
    """Without a fault all is new, and lock, journal and staged files are gone."""
    root = host()
    before = faulty.others(root)

    faulty.bump(root, FaultyDisk())

    assert NEW == faulty.texts(root)
    assert [] == faulty.leftovers(root)
    assert before == faulty.others(root)


def test_one_error_leaves_all_old_or_all_new_at_once(
    host: Callable[[], Path], exchanges: bool
) -> None:
    """A single refused call is undone before the command ends, and says that nothing was written.

    Only an error in dropping the journal itself leaves work for the next run.
    """
    for root, _, raised in _runs(host, faulty.error(), exchanges=exchanges):
        if isinstance(raised, files.UnfinishedError):
            assert files.pending(root) is not None
            faulty.recover(root)
        elif raised is not None:
            assert "nothing was written" in str(raised)
            assert OLD == faulty.texts(root)
        _assert_whole(root)
        assert files.pending(root) is None


def test_a_disk_that_stays_broken_leaves_work_that_the_next_run_finishes(
    host: Callable[[], Path], exchanges: bool
) -> None:
    """From some call on everything fails: a mix is told, and the next good run ends it."""
    for root, _, raised in _runs(host, faulty.error(), exchanges=exchanges, persistent=True):
        if faulty.texts(root) not in (OLD, NEW):
            assert isinstance(raised, files.UnfinishedError)
            assert files.pending(root) is not None
        faulty.recover(root)
        _assert_whole(root)
        assert [] == faulty.leftovers(root)


def test_death_leaves_work_that_the_next_run_finishes(
    host: Callable[[], Path], exchanges: bool
) -> None:
    """Killed before any call: a reading command tells, the next writing one puts it in order."""
    untouched = faulty.others(host())
    for root, _, raised in _runs(host, faulty.die, exchanges=exchanges):
        assert isinstance(raised, DiedError)
        found = files.pending(root)
        if faulty.texts(root) not in (OLD, NEW):
            assert found is not None
            assert found.decided
        will_finish = found is not None and found.decided
        after = faulty.texts(root)
        faulty.recover(root)
        assert (NEW if will_finish else after) == faulty.texts(root)
        _assert_whole(root)
        assert [] == faulty.leftovers(root)
        assert untouched == faulty.others(root)


def test_death_in_the_recovery_is_recovered_from(room: Path, exchanges: bool) -> None:
    """Killed at any call of the bump and again at any call of the recovery: still whole."""
    pairs = 0
    for first in range(1000):
        disk = FaultyDisk(exchanges=exchanges)
        for second in range(1000):
            root = room / f"{first}-{second}"
            faulty.make_host(root, git=True)
            disk = FaultyDisk(at=first, fault=faulty.die, exchanges=exchanges)
            again = FaultyDisk(at=second, fault=faulty.die, exchanges=exchanges)
            if _dies(root, disk, faulty.bump_two) and _dies(root, again, faulty.recover):
                faulty.recover(root, FaultyDisk(exchanges=exchanges))
                pairs += 1
            assert faulty.texts(root) in (OLD, NEW | faulty.NOT_OF_TWO)
            assert [] == faulty.leftovers(root)
            if len(again.calls) <= second:
                break
        if len(disk.calls) <= first:
            break

    assert pairs > 100


def test_death_in_the_undoing_is_recovered_from(room: Path, exchanges: bool) -> None:
    """An error at any call, and death at any call after it: still whole."""
    dead = 0
    for first in range(1000):
        disk = FaultyDisk(exchanges=exchanges)
        for second in range(first + 1, 1000):
            root = room / f"{first}-{second}"
            faulty.make_host(root, git=True)
            disk = FaultyDisk(exchanges=exchanges)
            faults: dict[int, Fault] = {first: faulty.error(), second: faulty.die}

            def fail(disk: FaultyDisk = disk, faults: dict[int, Fault] = faults) -> None:
                if fault := faults.get(len(disk.calls) - 1):
                    fault()

            disk.at, disk.fault, disk.persistent = first, fail, True
            with contextlib.suppress(DgpinError):
                dead += _dies(root, disk, faulty.bump_two)
            faulty.recover(root)
            assert faulty.texts(root) in (OLD, NEW | faulty.NOT_OF_TWO)
            assert [] == faulty.leftovers(root)
            if len(disk.calls) <= second:
                break
        else:
            pytest.fail("the bump has no end")
        if len(disk.calls) <= first:
            break

    assert dead > 100


def test_a_full_disk_does_not_keep_the_old_texts_from_coming_back(room: Path) -> None:
    """One exchange fails, and no file can be made any more: all old at once, all the same."""
    for number in range(3):
        root = room / str(number)
        faulty.make_host(root, git=True)
        disk = FaultyDisk()
        exchanges = iter(range(100))

        def fail(
            disk: FaultyDisk = disk, exchanges: Iterator[int] = exchanges, number: int = number
        ) -> None:
            if disk.calls[-1] == "exchange" and next(exchanges) == number:
                disk.full = True
                raise OSError(errno.EPERM, "immutable")
            if disk.calls[-1] == "create" and disk.full:
                raise OSError(errno.ENOSPC, "full")

        disk.at, disk.fault, disk.persistent = 0, fail, True
        with pytest.raises(files.WriteError, match="immutable; nothing was written"):
            faulty.bump(root, disk)
        assert disk.full
        assert OLD == faulty.texts(root)
        assert [] == faulty.leftovers(root)


def test_a_text_that_was_stale_from_the_start_is_never_in_the_way(room: Path) -> None:
    """A site changed since it was read; the bump is killed: the next run has nothing to ask."""
    for number in range(1000):
        root = room / str(number)
        faulty.make_host(root, git=True)
        (root / "tools/install.sh").write_bytes(b"theirs\n")
        disk = FaultyDisk(at=number, fault=faulty.die)
        with contextlib.suppress(files.ChangedError):
            _dies(root, disk, faulty.bump_all)
        faulty.recover(root)
        assert {**OLD, "tools/install.sh": b"theirs\n"} == faulty.texts(root)
        if len(disk.calls) <= number:
            break


def test_tidied_away_staged_files_are_made_again_whatever_happens(
    room: Path, exchanges: bool
) -> None:
    """Killed, `git clean`, killed in the recovery at any call, and recovered: all new."""
    for number in range(1000):
        root = room / str(number)
        faulty.make_host(root, git=True)
        first = FaultyDisk(exchanges=exchanges)
        first.at, first.persistent = 0, True
        first.fault = lambda disk=first: faulty.die() if disk.calls[-2:] == DECIDED else None
        assert _dies(root, first, faulty.bump)
        for staged in root.rglob(".dgpin-*"):
            staged.unlink()
        again = FaultyDisk(at=number, fault=faulty.die, exchanges=exchanges)
        _dies(root, again, faulty.recover)
        faulty.recover(root, FaultyDisk(exchanges=exchanges))
        assert NEW == faulty.texts(root)
        assert [] == faulty.leftovers(root)
        if len(again.calls) <= number:
            break


DECIDED = ["rename", "sync_directory"]  # the calls with which a bump is decided


def _dies(root: Path, disk: FaultyDisk, work: Callable[[Path, FaultyDisk], None]) -> bool:
    try:
        work(root, disk)
    except DiedError:
        return True
    return False


@pytest.mark.parametrize("site", ["tools/install.sh", "linked.txt", "dgpin.toml"])
@pytest.mark.parametrize("how", ["by-rename", "in-place", "no-exchange"])
def test_a_save_at_any_moment_is_kept(room: Path, site: str, how: str) -> None:
    """Someone saves a site just before any call: their text stays, the rest is of one kind.

    Where names cannot be exchanged, the moment just before the rename is the one exception.
    """
    for number in range(1000):
        root = room / str(number)
        faulty.make_host(root, git=True)
        disk = FaultyDisk(at=number, exchanges=how != "no-exchange")
        saves = Saves()
        saved: list[int] = []

        def save(
            root: Path = root,
            disk: FaultyDisk = disk,
            saves: Saves = saves,
            saved: list[int] = saved,
        ) -> None:
            if not disk.exchanges and disk.calls[-1] == "rename":
                return
            saved.append(1)
            target = (root / site).resolve()
            (saves.in_place if how == "in-place" else saves.by_rename)(target, b"theirs\n")

        disk.fault = save
        try:
            faulty.bump(root, disk)
        except DgpinError:
            saves.finish()
            faulty.recover(root)
        saves.finish()
        if len(disk.calls) <= number:
            break
        found = faulty.texts(root)
        if saved:
            assert b"theirs\n" == found[site]
        del found[site]
        assert found in (
            {path: text for path, text in OLD.items() if path != site},
            {path: text for path, text in NEW.items() if path != site},
        )
        assert [] == faulty.leftovers(root)


@pytest.mark.parametrize("site", ["tools/install.sh", "dgpin.toml"])
def test_a_save_is_kept_while_a_bump_is_undone(room: Path, site: str) -> None:
    """The last directory cannot be synced; a save just before any later call stays."""
    for number in range(1000):
        root = room / str(number)
        faulty.make_host(root, git=True)
        disk = FaultyDisk(at=0, persistent=True)
        saves = Saves()
        ends: list[int] = []

        def fault(
            root: Path = root,
            disk: FaultyDisk = disk,
            saves: Saves = saves,
            ends: list[int] = ends,
            after: int = number,
        ) -> None:
            last = disk.calls[-1]
            if not ends and last == "sync_directory" and "exchange" in disk.calls:
                ends.append(len(disk.calls))
                raise OSError(errno.EIO, "no sync")
            if ends and len(disk.calls) == ends[0] + 1 + after:
                saves.in_place(root / site, b"theirs\n")
                ends.append(len(disk.calls))

        disk.fault = fault
        with pytest.raises(files.WriteError, match="no sync; nothing was written"):
            faulty.bump(root, disk)
        saves.finish()
        if len(ends) == 1:
            break
        found = faulty.texts(root)
        assert b"theirs\n" == found.pop(site)
        assert {path: text for path, text in OLD.items() if path != site} == found
        assert [] == faulty.leftovers(root)


@pytest.mark.parametrize("site", ["tools/install.sh", "dgpin.toml"])
def test_a_save_is_kept_even_if_the_bump_dies(room: Path, site: str) -> None:
    """A save just before any call and death at any later one: their text is still there."""
    for first in range(1000):
        disk = FaultyDisk()
        for second in range(first, 1000):
            root = room / f"{first}-{second}"
            faulty.make_host(root, git=True)
            disk = FaultyDisk(at=0, persistent=True)
            saves = Saves()

            def fault(
                root: Path = root,
                disk: FaultyDisk = disk,
                saves: Saves = saves,
                at: int = first,
                end: int = second,
            ) -> None:
                if len(disk.calls) - 1 == at:
                    saves.in_place(root / site, b"theirs\n")
                if len(disk.calls) - 1 == end:
                    faulty.die()

            disk.fault = fault
            with contextlib.suppress(DgpinError):
                _dies(root, disk, faulty.bump_two)
            saves.finish()
            with contextlib.suppress(files.ConflictError):
                faulty.recover(root)
            if len(disk.calls) > first:
                assert b"theirs\n" == (root / site).read_bytes()
            if len(disk.calls) <= second:
                break
        if len(disk.calls) <= first:
            break
