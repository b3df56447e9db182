"""A wheel is unpacked whole, and only what belongs to the build."""

import zipfile
from pathlib import Path

import pytest

from dgpin.api.builds import NotABuildError
from dgpin.smoke import wheel
from tests.smoke.reports import target

PYTHON = target().python


def pack(path: Path, names: dict[str, str]) -> str:
    """Write a wheel of these members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in names.items():
            archive.writestr(name, text)
    return str(path)


def unpacked(package: Path) -> set[str]:
    """Return every file beside and below the package."""
    root = package.parent
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_wheel(tmp_path: Path) -> None:
    """The package comes with its headers, and the metadata beside it."""
    made = pack(
        tmp_path / "a.whl",
        {
            "deep_gemm/__init__.py": "",
            "deep_gemm/include/cute/a.hpp": "",
            "a-1.dist-info/METADATA": "Requires-Dist: torch",
            "a-1.dist-info/RECORD": "",
            "a-1.dist-info/licenses/LICENSE": "",
            "elsewhere/x.py": "",
        },
    )

    assert {
        "deep_gemm/__init__.py",
        "deep_gemm/include/cute/a.hpp",
        "a-1.dist-info/METADATA",
        "a-1.dist-info/RECORD",
    } == unpacked(wheel.package(made, PYTHON))


def test_vendored(tmp_path: Path) -> None:
    """vLLM's copy is taken out of vLLM."""
    made = pack(
        tmp_path / "vllm.whl",
        {
            "vllm/third_party/deep_gemm/__init__.py": "",
            "vllm/model/deep_gemm/__init__.py": "",
            "vllm/__init__.py": "",
        },
    )

    assert {"deep_gemm/__init__.py"} == unpacked(wheel.package(made, PYTHON))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"other/__init__.py": ""}, "it holds 0 packages deep_gemm"),
        (
            {"deep_gemm/__init__.py": "", "v/third_party/deep_gemm/__init__.py": ""},
            "it holds 2 packages deep_gemm",
        ),
    ],
)
def test_no_build(tmp_path: Path, names: dict[str, str], why: str) -> None:
    """A wheel without one build is refused, and nothing of it stays."""
    with pytest.raises(NotABuildError, match=why):
        wheel.package(pack(tmp_path / "a.whl", names), PYTHON)


def test_members_stay_inside(tmp_path: Path) -> None:
    """A member that would land outside is left out."""
    made = pack(tmp_path / "a.whl", {"deep_gemm/__init__.py": "", "deep_gemm/../../outside.py": ""})

    assert {"deep_gemm/__init__.py"} == unpacked(wheel.package(made, PYTHON))


def test_not_a_wheel(tmp_path: Path) -> None:
    """What is no archive, or not there, is refused."""
    (tmp_path / "a.whl").write_text("no archive")
    for name in ("a.whl", "b.whl"):
        with pytest.raises(NotABuildError):
            wheel.package(str(tmp_path / name), PYTHON)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("a.whl", True),
        ("pypi:vllm==0.30.0", True),
        ("https://host/a.whl", True),
        ("installed", False),
        ("build/deep_gemm", False),
        ("54e2261", False),
    ],
)
def test_is_wheel(spec: str, expected: bool) -> None:
    """Wheels are told by their words."""
    assert expected is wheel.is_wheel(spec)
