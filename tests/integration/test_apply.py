"""The door against real processes: killed, starved of space, without rights, two at once."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dgpin import files
from tests.crash import faulty
from tests.crash.faulty import NEW, OLD
from tests.crash.trying import NOBODY


class Outcome(NamedTuple):
    """How a bump in a process of its own went."""

    code: int
    message: str
    hint: str


def _start(module: str, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.crash.{module}", *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def _try(root: Path, *words: str) -> Outcome:
    out, _ = _start("trying", str(root), *words).communicate(timeout=60)
    return Outcome(*json.loads(out))


@pytest.fixture(name="host")
def _host() -> Iterator[Path]:
    """Return a small host that belongs to a user who is not root, where that user can reach it."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        root = Path(name) / "host"
        faulty.make_host(root, git=True)
        if os.geteuid() == 0:
            for path in (root, *root.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        yield root


def test_a_process_killed_at_any_call_leaves_all_old_or_all_new(tmp_path: Path) -> None:
    """SIGKILL at each state-changing call: told by a reader, put in order by the next writer."""
    out, _ = _start("killed", str(tmp_path)).communicate(timeout=60)
    last = int(out)

    assert last > 30
    mixed = 0
    for root in (tmp_path / str(number) for number in range(last + 1)):
        if faulty.texts(root) not in (OLD, NEW):
            mixed += 1
            found = files.pending(root)
            assert found is not None
            assert found.decided
        faulty.recover(root)
        assert faulty.texts(root) in (OLD, NEW)
        assert [] == faulty.leftovers(root)
    assert mixed > 0
    assert NEW == faulty.texts(tmp_path / str(last))


@pytest.mark.parametrize("limit", [0, 1, 100, 500])
def test_a_write_that_ends_short_leaves_all_old(host: Path, limit: int) -> None:
    """A limit on the size of files, met in the midst of any of them: exit 3, nothing written."""
    before = faulty.others(host)

    outcome = _try(host, str(limit))

    assert 3 == outcome.code
    assert "File too large; nothing was written" in outcome.message
    assert "ulimit -f" in outcome.hint
    assert OLD == faulty.texts(host)
    assert before == faulty.others(host)
    assert [] == faulty.leftovers(host)


@pytest.mark.parametrize("name", [".", "cmake", "tools", "docs", ".git"])
def test_a_directory_without_rights_is_refused(host: Path, name: str) -> None:
    """One directory that the user may not write, whichever: exit 3, no site is written."""
    before = faulty.others(host)
    (host / name).chmod(0o555)

    outcome = _try(host, "nobody")

    (host / name).chmod(0o755)
    assert 3 == outcome.code
    assert "Permission denied; nothing was written" in outcome.message
    assert OLD == faulty.texts(host)
    assert before == faulty.others(host)
    assert [] == faulty.leftovers(host)


@pytest.mark.parametrize("name", ["cmake/deepgemm.cmake", "tools/install.sh", "docs/real.txt"])
def test_a_file_without_rights_is_refused(host: Path, name: str) -> None:
    """The directory would allow a rename over it, but its owner means to keep it."""
    (host / name).chmod(0o444)
    before = faulty.others(host)

    outcome = _try(host, "nobody")

    assert 3 == outcome.code
    assert "cannot be written: Permission denied; nothing was written" in outcome.message
    assert OLD == faulty.texts(host)
    assert before == faulty.others(host)
    assert [] == faulty.leftovers(host)


def test_the_owner_is_kept(host: Path) -> None:
    """Root may bump anybody's host, and its files stay theirs."""
    owner = (host / "tools/install.sh").stat().st_uid

    assert 0 == _try(host).code
    assert owner == (host / "tools/install.sh").stat().st_uid
    assert NEW == faulty.texts(host)


def test_of_many_at_once_one_writes_at_a_time(tmp_path: Path) -> None:
    """Eight bumps of one host: each writes, finds it done, or says that another is at work."""
    faulty.make_host(tmp_path / "host", git=True)
    children = [_start("trying", str(tmp_path / "host")) for _ in range(8)]
    outcomes = [Outcome(*json.loads(child.communicate(timeout=60)[0])) for child in children]

    assert {outcome.code for outcome in outcomes} <= {0, 3}
    assert all("another dgpin is writing" in each.message for each in outcomes if each.code)
    assert NEW == faulty.texts(tmp_path / "host")
    assert [] == faulty.leftovers(tmp_path / "host")
