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
