"""Archives: how large they may become, and where their members may land."""

import io
import stat
import zipfile
from pathlib import Path
from typing import cast

import pytest

from dgpin.api import wheels
from dgpin.build import archive, contents, obtain
from dgpin.build.archive import BombError
from dgpin.build.interpreter import Interpreter
from dgpin.smoke import wheel

BOMB = b"\0" * (archive.SMALL + 1)


def _wheel(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as written:
        for name, data in members.items():
            written.writestr(name, data)
    return path


@pytest.fixture(name="bomb")
def _bomb(tmp_path: Path) -> Path:
    members = {"deep_gemm/__init__.py": b"", "deep_gemm/data.py": BOMB}
    return _wheel(tmp_path / "deep_gemm-1-py3-none-any.whl", members)


def test_a_wheel_that_unpacks_to_much_more_is_refused(bomb: Path) -> None:
    """Each way of opening a wheel refuses one that becomes two hundred times as large."""
    with pytest.raises(BombError, match="unpacks to"):
        wheels.local(bomb, label="a.whl")
    with pytest.raises(BombError, match="unpacks to"):
        wheel.package(str(bomb), python=cast("Interpreter", None))  # a file needs none
    with pytest.raises(BombError, match="unpacks to"):
        contents.open_path(bomb)


def test_an_sdist_that_unpacks_to_much_more_is_refused(tmp_path: Path) -> None:
    """An sdist is looked at member by member, and given up at the one that is too much."""
    import tarfile

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        info = tarfile.TarInfo("deep_gemm-1/data")
        info.size = len(BOMB)
        packed.addfile(info, io.BytesIO(BOMB))

    with pytest.raises(BombError, match="unpacks to"):
        vars(obtain)["_unpack"](out.getvalue(), tmp_path, "deep_gemm==1")
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("size", "packed", "refused"),
    [
        (archive.SMALL, 1, False),
        (archive.SMALL + 1, archive.SMALL // archive.RATIO, True),
        (archive.RATIO * 10**6, 10**6, False),
        (archive.LARGEST, archive.LARGEST, False),
        (archive.LARGEST + 1, archive.LARGEST, True),
    ],
)
def test_limits(size: int, packed: int, refused: bool) -> None:
    """What is small may be empty; what is large may neither grow too much nor be too large."""
    try:
        archive.check_sizes(size, packed=packed, label="a")
    except BombError:
        assert refused
    else:
        assert not refused


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "a\\..\\x", "deep_gemm/../../x"])
def test_a_name_that_leads_out(name: str) -> None:
    """Names with a step upwards, or from the root, lead out."""
    assert archive.leads_out(zipfile.ZipInfo(name))


def test_a_link_leads_out() -> None:
    """So does every link, wherever it points."""
    info = zipfile.ZipInfo("deep_gemm/link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16

    assert archive.leads_out(info)


def test_sdist_members_stay_inside(tmp_path: Path) -> None:
    """Links and members that lead out of an sdist are left out."""
    import tarfile

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        for name in ("deep_gemm-1/../../out", "/out", "deep_gemm-1/in"):
            packed.addfile(tarfile.TarInfo(name), io.BytesIO(b""))
        link = tarfile.TarInfo("deep_gemm-1/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        packed.addfile(link)
    home = tmp_path / "a" / "b"
    home.mkdir(parents=True)

    vars(obtain)["_unpack"](out.getvalue(), home, "deep_gemm==1")

    assert [home / "in"] == [path for path in tmp_path.rglob("*") if not path.is_dir()]
