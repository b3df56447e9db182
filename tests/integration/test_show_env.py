"""`dgpin show --env`: whose deep_gemm is it, and which one wins?"""

import json
import sys
from pathlib import Path

import pytest

from dgpin import process
from dgpin.cli import app


@pytest.fixture(name="python")
def _python(tmp_path: Path) -> Path:
    """Make an environment with an installed and a vendored copy, the first with two owners."""
    process.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"]).check()
    python = tmp_path / "venv/bin/python"
    asked = process.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
    packages = Path(asked.check().text.strip())
    for directory in ("deep_gemm", "vllm/third_party/deep_gemm"):
        (packages / directory).mkdir(parents=True)
        (packages / directory / "__init__.py").write_text('__version__ = "2.6.1"\n')
        kernels = packages / directory / "include/deep_gemm/impls"
        kernels.mkdir(parents=True)
        (kernels / "sm90_fp8_gemm_1d1d.cuh").touch()
    for name in ("deep_gemm", "other_kernels"):
        info = packages / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text("deep_gemm/__init__.py,,\n")
    return python


def test_two_owners_of_one_file_are_a_finding(
    python: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both copies are shown, which one is loaded, and that its file is claimed twice."""
    code = app.main(["show", "--env", "--python", str(python)])

    said = capsys.readouterr().out
    assert code == 1
    assert "import deep_gemm loads this, and wins over the vendored one" in said
    assert "vendored, imported as vllm.third_party.deep_gemm" in said
    assert "contested" in said
    assert "several builds bear one version" in said


def test_json_says_the_same(python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The versioned answer has each copy with its owners and architectures."""
    app.main(["show", "--env", "--python", str(python), "--json"])

    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "dgpin/show-env/1"
    assert [(copy["loaded"], copy["vendored"]) for copy in answer["copies"]] == [
        (True, False),
        (False, True),
    ]
    assert [copy["architectures"] for copy in answer["copies"]] == [["sm_90"], ["sm_90"]]


@pytest.mark.parametrize(
    ("words", "code"), [(["show", "--python", "x"], 2), (["show", "--env", "--python", "/none"], 3)]
)
def test_what_cannot_be_asked(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interpreter without --env is wrong use; one that is not there cannot be asked."""
    assert code == app.main(words)
    assert capsys.readouterr().err.startswith("dgpin: ")
