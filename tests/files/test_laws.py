"""Laws of the door, over hosts, texts and faults of any shape."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from dgpin import files
from dgpin.errors import DgpinError
from dgpin.files.journal import Entry, Record, decode, digest, encode
from tests.crash import faulty
from tests.crash.faulty import DiedError, FaultyDisk

NAMES = st.text("ab.-_ é\n", min_size=1, max_size=4).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TEXTS = st.binary(max_size=40)


class Site(NamedTuple):
    """A file of a host, and what a bump would make of it."""

    old: bytes | None
    new: bytes
    mode: int


SITES = st.dictionaries(
    PATHS,
    st.builds(Site, st.none() | TEXTS, TEXTS, st.sampled_from([0o644, 0o755, 0o600, 0o660])),
    min_size=1,
    max_size=6,
).filter(lambda sites: not _overlap(sites))


def _overlap(sites: Mapping[str, Site]) -> bool:
    """Whether a file would have to be a directory as well."""
    return any(f"{one}/" in f"{other}" for one in sites for other in sites if one != other)


def _make(root: Path, sites: Mapping[str, Site]) -> None:
    for path, site in sites.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if site.old is not None:
            (root / path).write_bytes(site.old)
            (root / path).chmod(site.mode)


def _tree(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(root).as_posix(): (path.stat().st_mode & 0o7777, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


@settings(max_examples=80, deadline=None)
@given(
    sites=SITES,
    at=st.integers(0, 90),
    fault=st.sampled_from(["die", "fail", "fail on"]),
    again=st.none() | st.integers(0, 30),
    exchanges=st.booleans(),
)
def test_a_bump_with_a_fault_ends_all_old_or_all_new(
    sites: Mapping[str, Site], at: int, fault: str, again: int | None, exchanges: bool
) -> None:
    """Whatever the host, the fault and the fault in the recovery: whole, and nothing else."""
    with tempfile.TemporaryDirectory(dir=faulty.room()) as name:
        root = Path(name)
        _make(root, sites)
        old = _tree(root)
        new = dict(old)
        for path, site in sites.items():
            mode = new[path][0] if path in new else 0o666 & ~faulty.umask()
            new[path] = (mode, site.new)
        disk = FaultyDisk(
            at=at,
            fault=faulty.die if fault == "die" else faulty.error(),
            persistent=fault == "fail on",
            exchanges=exchanges,
        )
        edits = [files.Edit(path=path, old=site.old, new=site.new) for path, site in sites.items()]

        def write(disk: FaultyDisk, *edits: files.Edit) -> bool:
            try:
                with files.locked(root, command="bump", disk=disk) as tree:
                    tree.apply(edits)
            except (DgpinError, DiedError):
                return False
            return True

        done = write(disk, *edits)
        if again is not None:
            write(FaultyDisk(at=again, fault=faulty.die, exchanges=exchanges))
        faulty.recover(root)

        assert _tree(root) in ([new] if done else [old, new])


@given(
    st.lists(
        st.builds(
            lambda path, old, text: Entry(
                path=path,
                staged=str(Path(path).with_name(".dgpin-0-0")),
                old=None if old is None else digest(old),
                text=text,
            ),
            PATHS,
            st.none() | TEXTS,
            TEXTS,
        ),
        max_size=4,
    ),
    st.text(),
)
def test_a_record_comes_back_as_it_was(entries: list[Entry], command: str) -> None:
    """Decode undoes encode, for any path and any bytes."""
    record = Record(command=command, entries=tuple(entries))

    assert record == decode(encode(record), path=Path("journal"))


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_no_damaged_record_is_read(where: int, byte: int) -> None:
    """A record with any byte replaced is refused."""
    entry = Entry(path="a/b", staged="a/.dgpin-0-0", old=digest(b"old"), text=b"new")
    data = bytearray(encode(Record(command="bump", entries=(entry,))))
    where %= len(data)
    damaged = data[:where] + bytes([byte]) + data[where + 1 :]

    try:
        found = decode(bytes(damaged), path=Path("journal"))
    except files.JournalError:
        found = None

    assert (found is not None) == (damaged == data)
