"""What is downloaded: by pip or uv, and never more than an archive may have."""

import os
import sys
from pathlib import Path

import pytest

from dgpin import process
from dgpin.api import download, locate
from dgpin.api.builds import Build
from dgpin.build import archive, interpreter
from dgpin.build.archive import BombError
from dgpin.build.interpreter import Interpreter
from dgpin.smoke import wheel
from tests.api.test_wheels import packed

LARGEST = 100_000
SPEC = "pypi:small==1"
METADATA = "Metadata-Version: 2.1\nName: small\nVersion: 1\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


PIP = """
import os, shutil, sys
assert "--only-binary :all:" in " ".join(sys.argv)
shutil.copy(os.environ["PIP_FIND_LINKS"] + "/small-1-py3-none-any.whl", sys.argv[-2])
"""


def offer(folder: Path, *, size: int) -> None:
    """Put a wheel where pip looks for it, and nowhere else."""
    members = {
        "deep_gemm/__init__.py": b"",
        "deep_gemm/data.py": os.urandom(size),
        "small-1.dist-info/METADATA": METADATA.encode(),
        "small-1.dist-info/WHEEL": WHEEL.encode(),
        "small-1.dist-info/RECORD": b"",
    }
    folder.mkdir(exist_ok=True)
    (folder / "small-1-py3-none-any.whl").write_bytes(packed(members))


@pytest.fixture(name="python")
def _python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Interpreter:
    monkeypatch.setattr(archive, "LARGEST", LARGEST)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "offered"))
    return interpreter.read(sys.executable)


@pytest.fixture(name="pip")
def _pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program in pip's place that copies the wheel, at a tenth of the time."""
    program = tmp_path / "lib" / "pip" / "__main__.py"
    program.parent.mkdir(parents=True)
    program.write_text(PIP)
    program.with_name("__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))


@pytest.fixture(name="uv")
def _uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a `uv` on PATH that puts an empty package where it is asked to."""
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\nfor word; do [ "$before" = --target ] && to=$word; before=$word; done\n'
        'mkdir -p "$to/deep_gemm" && : > "$to/deep_gemm/__init__.py" && echo "$@" > "$0.asked"\n'
        '[ -e "$0.large" ] && exec head -c 200000 /dev/zero > "$to/deep_gemm/data"\nexit 0\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return program


def without_pip(python: Interpreter) -> Interpreter:
    """Return the same interpreter, as uv makes environments."""
    return Interpreter(
        path=python.path,
        version=python.version,
        include=python.include,
        ext_suffix=python.ext_suffix,
        platform=python.platform,
        search=(),
    )


@pytest.mark.usefixtures("pip")
def test_pip_downloads_the_wheel(tmp_path: Path, python: Interpreter) -> None:
    """A wheel within the limit is what diff-api compares, and what smoke runs."""
    offer(tmp_path / "offered", size=1_000)

    found = locate.named(SPEC, python=python)

    assert isinstance(found, Build)
    assert (found.package / "__init__.py").is_file()
    assert (wheel.package(SPEC, python) / "data.py").is_file()


def test_a_wheel_that_is_too_large_is_not_downloaded(tmp_path: Path, python: Interpreter) -> None:
    """pip, the real one, is stopped at the limit; the refusal says so with what to do."""
    offer(tmp_path / "offered", size=LARGEST)

    with pytest.raises(BombError, match="more than 100000 bytes; refused") as caught:
        locate.named(SPEC, python=python)
    assert caught.value.hint


@pytest.mark.usefixtures("pip")
def test_smoke_downloads_no_larger_one(tmp_path: Path, python: Interpreter) -> None:
    """What smoke runs is limited as well."""
    offer(tmp_path / "offered", size=LARGEST)

    with pytest.raises(BombError, match="more than 100000 bytes; refused"):
        wheel.package(SPEC, python)


@pytest.mark.usefixtures("pip")
def test_what_pip_has_not_is_told(python: Interpreter) -> None:
    """A pip that fails for another reason is quoted."""
    with pytest.raises(download.DownloadError, match="No such file or directory"):
        locate.named(SPEC, python=python)


def test_uv_is_asked_for_wheels_only(python: Interpreter, uv: Path) -> None:
    """Where there is no pip, uv installs beside; a source is never built on the way."""
    found = locate.named(SPEC, python=without_pip(python))

    assert isinstance(found, Build)
    assert "--no-deps --only-binary :all:" in uv.with_name("uv.asked").read_text()


def test_a_file_that_is_too_large_is_not_unpacked_by_uv(python: Interpreter, uv: Path) -> None:
    """No file that uv writes may be larger than an archive may be."""
    uv.with_name("uv.large").touch()

    with pytest.raises(BombError, match="more than 100000 bytes; refused"):
        locate.named(SPEC, python=without_pip(python))


def test_children_have_the_limit_too(tmp_path: Path) -> None:
    """What a limited program starts is limited as well; its parent is not."""
    command = f"head -c 2000 /dev/zero > {tmp_path}/a; true"

    done = process.run(["sh", "-c", f"sleep 0.1; sh -c '{command}'"], largest=1_000)

    assert (0, 1_000) == (done.returncode, (tmp_path / "a").stat().st_size)
    (tmp_path / "b").write_bytes(bytes(2_000))
