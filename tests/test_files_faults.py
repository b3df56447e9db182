"""Every state-changing call fails in turn: all old or all new, and nothing else touched."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dgpin import files
from dgpin.errors import DgpinError
from tests.crash import faulty
from tests.crash.faulty import EDITS_PATHS, NEW, OLD, DiedError, FaultyDisk

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
            with pytest.raises(files.InterruptedBumpError, match="a bump was interrupted"):
                files.read_all(root, EDITS_PATHS)
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


def _dies(root: Path, disk: FaultyDisk, work: Callable[[Path, FaultyDisk], None]) -> bool:
    try:
        work(root, disk)
    except DiedError:
        return True
    return False


@pytest.mark.parametrize("site", ["tools/install.sh", "linked.txt", "dgpin.toml"])
@pytest.mark.parametrize("by_rename", [True, False], ids=["by-rename", "in-place"])
def test_a_save_at_any_moment_is_kept(room: Path, site: str, by_rename: bool) -> None:
    """Someone saves a site just before any call: their text stays, the rest is of one kind."""
    for number in range(1000):
        root = room / str(number)
        faulty.make_host(root, git=True)

        def save(root: Path = root) -> None:
            target = (root / site).resolve()
            if by_rename:
                (root / "draft").write_bytes(b"theirs\n")
                (root / "draft").rename(target)
            else:
                target.write_bytes(b"theirs\n")

        disk = FaultyDisk(at=number, fault=save)
        try:
            faulty.bump(root, disk)
        except DgpinError:
            faulty.recover(root)
        if len(disk.calls) <= number:
            break
        found = faulty.texts(root)
        assert b"theirs\n" == found.pop(site)
        assert found in (
            {path: text for path, text in OLD.items() if path != site},
            {path: text for path, text in NEW.items() if path != site},
        )
        assert [] == faulty.leftovers(root)
