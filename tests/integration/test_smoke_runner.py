"""The runner answers for each check, whatever became of its process."""

from pathlib import Path

import pytest

from tests.integration.smoke import world
from tests.integration.smoke.world import World


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> World:
    return world.make(tmp_path / "machine")


def test_check_that_cannot_begin(machine: World) -> None:
    """A check whose file cannot be read is a crash, never a skip; the others run all the same."""
    broken = machine.check("broken", "")
    (machine.checks / "broken.py").write_text("raise ImportError('not for this Python')\n")

    report = machine.run(broken, machine.good(), shards=1)

    assert ["crash", "pass"] == [each.verdict.value for each in report.results]
    assert "not for this Python" in report.results[0].raw
    assert (1, ()) == (report.exit_code(), report.proven)


def test_part_of_the_core(machine: World) -> None:
    """What was left out of the core leaves the architecture unproven, and is no finding."""
    report = machine.run(machine.good(), machine.check("other", "return 0"), only=("steady",))

    assert (0, ()) == (report.exit_code(), report.proven)


@pytest.mark.parametrize(
    ("requires", "fails"),
    [
        ("torch==2.13.0", True),
        ("torch>=2.90", False),
        ('torch==2.13.0; extra == "test"', False),
        ("torch is not a requirement", False),
        ("torchvision==0.1", False),
    ],
)
def test_required_torch(machine: World, requires: str, fails: bool) -> None:
    """Only what a wheel requires of torch without an extra counts, and nothing unreadable does."""
    metadata = machine.package.parent / "deep_gemm-9.dist-info"
    metadata.mkdir()
    (metadata / "RECORD").write_text("deep_gemm/__init__.py,,\n")
    (metadata / "METADATA").write_text(f"Name: deep_gemm\nRequires-Dist: {requires}\n\n")

    rows = {row.rule: row for row in machine.run(machine.good(), level=0).facts}

    assert fails == rows["torch"].verdict.is_finding


def test_name_within_another(machine: World) -> None:
    """A name that is only a part of another one is not there."""
    binary = machine.package / "_C.so"
    binary.write_bytes(binary.read_bytes().replace(b"\0set_pdl\0", b"\0gone_it\0"))
    (machine.package / "more.py").write_text("def set_pdl_off(): ...\n")
    init = machine.package / "__init__.py"
    init.write_text(init.read_text().replace("set_pdl", "set_pdl_on"))

    (row,) = [r for r in machine.run(machine.good(), level=0).facts if r.rule == "names"]

    assert "not in this build: set_pdl" == row.message


def test_cache_that_is_none(machine: World) -> None:
    """What lies where the host's JIT cache would be, and is none, is left alone."""
    (machine.root / "home" / ".dj").mkdir()
    (machine.root / "home" / ".dj" / "cache").write_text("")

    report = machine.run(machine.good(), level=0)

    assert "old-kernels" not in [row.rule for row in report.facts]
