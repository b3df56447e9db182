"""Results that the user asked for by name."""

import os
import stat
from pathlib import Path

import pytest

from dgpin import files
from dgpin.errors import DgpinError, UsageError
from tests.files.edits import refusing


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
    disk = refusing(call, OSError(28, "No space left on device"))
    (tmp_path / "out.json").write_text("old")

    with pytest.raises(files.WriteError, match=r"out\.json: .*No space left on device") as caught:
        files.write_result(tmp_path / "out.json", "new", disk=disk)

    assert isinstance(caught.value, DgpinError)
    assert "old" == (tmp_path / "out.json").read_text()
    assert ["out.json"] == [path.name for path in tmp_path.iterdir()]
