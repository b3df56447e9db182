"""The example itself: everyone's test bed has to stand still."""

from pathlib import Path

import pytest

from tests.example import demo, make_deepgemm, make_host


def test_same_to_the_last_bit(tmp_path: Path) -> None:
    """Two directories hold the same commits."""
    one, two = (make_deepgemm(tmp_path / name) for name in ("one", "two"))

    assert one.commits == two.commits
    assert one.submodules == two.submodules


def test_host_names_its_pin(tmp_path: Path) -> None:
    """The host holds the commit in the two files in which vLLM holds it."""
    host = make_host(tmp_path / "host", "https://example.org/DeepGEMM", "1" * 40)

    holding = {p.relative_to(host).as_posix() for p in host.rglob("*") if _holds(p, b"1" * 40)}

    assert {"cmake/external_projects/deepgemm.cmake", "tools/install_deepgemm.sh"} == holding


def test_demo(capsys: pytest.CaptureFixture[str]) -> None:
    """`make demo` runs to its end, and every command ends as it should."""
    assert 0 == demo.main()
    assert "This should have been" not in capsys.readouterr().out


def _holds(path: Path, text: bytes) -> bool:
    return path.is_file() and ".git" not in path.parts and text in path.read_bytes()
