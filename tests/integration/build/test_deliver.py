"""Wheels and copies of a build."""

import shutil
import zipfile
from pathlib import Path

import pytest

from dgpin.build import artefact, interpreter, output, wheel
from dgpin.verdict import Verdict
from tests.build.jobs import build
from tests.build.small import Small
from tests.build.world import write


def test_wheel_tells_what_is_in_it(built: Small, tmp_path: Path) -> None:
    """The wheel's local version names source, CUDA and torch, and it holds what it promises."""
    found = build(built)
    assert found.entry is not None
    own = interpreter.read(built.python)

    (path,) = wheel.write(found.entry, tmp_path / "wheels", platform=own.platform)

    short = found.job.source.digest[:8]
    name = f"cp{own.short.replace('.', '')}"
    platform = own.platform.replace("-", "_")
    version = f"2.8.0+src{short}.cu130.torch2.14.1"
    assert f"deep_gemm-{version}-{name}-{name}-{platform}.whl" == path.name
    rows = artefact.check_artefact(path, interpreter=own)
    assert [] == [row for row in rows if row.verdict is not Verdict.PASS]


def test_same_build_is_the_same_wheel(built: Small, tmp_path: Path) -> None:
    """Two wheels of one build are equal to the last byte."""
    found = build(built)
    assert found.entry is not None

    one, two = (
        wheel.write(found.entry, tmp_path / place, platform="linux-x86_64")[0] for place in "ab"
    )

    assert one.read_bytes() == two.read_bytes()


def test_record_lists_every_file(built: Small, tmp_path: Path) -> None:
    """Every member of the wheel but RECORD itself has a hash there."""
    found = build(built)
    assert found.entry is not None
    (path,) = wheel.write(found.entry, tmp_path, platform="linux-x86_64")

    with zipfile.ZipFile(path) as archive:
        record = next(name for name in archive.namelist() if name.endswith("RECORD"))
        listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
        assert set(archive.namelist()) == listed


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ("2.8.0rc1", "2.8.0rc1"),
        ("2.8-beta", "2.8b0"),
        ("v2.8", "2.8"),
        ("2.8.0+local", "2.8.0"),
        ("unknown", "0"),
        ("", "0"),
    ],
)
def test_version_is_one_that_a_wheel_may_have(built: Small, told: str, version: str) -> None:
    """What `__version__` says is spelled as pip spells it; what is no version is 0."""
    found = build(built)
    assert found.entry is not None
    write(found.entry.package / "__init__.py", f"__version__ = {told!r}\n")

    assert version == wheel.version(found.entry).partition("+")[0]


@pytest.mark.parametrize(
    ("suffix", "tag"),
    [
        (".cpython-313-x86_64-linux-gnu.so", "cp313-cp313-linux_x86_64"),
        (".cpython-313t-x86_64-linux-gnu.so", "cp313-cp313t-linux_x86_64"),
        (".cpython-311d-x86_64-linux-gnu.so", "cp311-cp311d-linux_x86_64"),
        (".abi3.so", "cp310-abi3-linux_x86_64"),
    ],
)
def test_wheel_is_for_the_python_that_loads_it(suffix: str, tag: str) -> None:
    """A free-threaded Python and one for debugging have ABIs of their own."""
    assert tag == str(wheel.tag(f"_C{suffix}", "linux-x86_64"))


def test_place_that_cannot_be_written_is_told(built: Small, tmp_path: Path) -> None:
    """A file where a directory must be is an error of dgpin's, for a copy and for a wheel."""
    found = build(built)
    assert found.entry is not None
    place = write(tmp_path / "file")

    with pytest.raises(output.CopyError, match="File exists"):
        output.copy(found.entry, place)
    with pytest.raises(output.CopyError, match="File exists"):
        wheel.write(found.entry, place, platform="linux-x86_64")


def test_copy_is_compared_as_it_is(built: Small, tmp_path: Path) -> None:
    """A copy whose extension is gone or another one is none."""
    found = build(built)
    assert found.entry is not None
    target = output.copy(found.entry, tmp_path / "out")
    assert found.job.fingerprint == output.there(tmp_path / "out")

    next(target.glob("*.so")).write_bytes(b"damaged")

    assert output.there(tmp_path / "out") is None
    assert output.there(tmp_path / "nowhere") is None


def test_foreign_fingerprint_vouches_for_nothing(built: Small, tmp_path: Path) -> None:
    """A fingerprint.json of another program's makes no directory dgpin's."""
    found = build(built)
    assert found.entry is not None
    write(tmp_path / "out/deep_gemm/mine.py")
    write(tmp_path / "out/fingerprint.json", '{"browser": 1}')

    with pytest.raises(output.OccupiedError):
        output.copy(found.entry, tmp_path / "out")


def test_link_is_not_replaced(built: Small, tmp_path: Path) -> None:
    """A link named deep_gemm is the user's, wherever it leads."""
    found = build(built)
    assert found.entry is not None
    output.copy(found.entry, tmp_path / "out")
    (tmp_path / "out/deep_gemm").rename(tmp_path / "elsewhere")
    (tmp_path / "out/deep_gemm").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(output.OccupiedError):
        output.copy(found.entry, tmp_path / "out")


def test_out_replaces_an_earlier_build_only(built: Small, tmp_path: Path) -> None:
    """--out replaces what dgpin put there, and nothing that it did not."""
    found = build(built)
    assert found.entry is not None
    target = output.copy(found.entry, tmp_path / "out")
    write(target / "stale.py")

    output.copy(found.entry, tmp_path / "out")

    assert not (target / "stale.py").exists()
    shutil.rmtree(tmp_path / "out")
    write(tmp_path / "out/deep_gemm/mine.py")
    with pytest.raises(output.OccupiedError):
        output.copy(found.entry, tmp_path / "out")
    assert (tmp_path / "out/deep_gemm/mine.py").exists()
