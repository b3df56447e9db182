"""What a host uses is asked of the build, read at level 0 and loaded at level 1."""

from pathlib import Path

import pytest

from dgpin.smoke.checks import api
from dgpin.smoke.report import Report
from tests.integration.smoke import world
from tests.integration.smoke.world import World

HOST = """\
import deep_gemm
from deep_gemm.utils import layout


def run(a, b):
    f = getattr(deep_gemm, "new_name", None) or deep_gemm.old_name
    f(a, b, recipe=(1, 2))
    layout.swizzle(a)
    return deep_gemm.gemm(a, b, fast=True)
"""
# Of the build: what each line defines can be taken away.
GEMM = "def gemm(a, b, *, fast=False): ...\n"
OLD_NAME = "def old_name(a, b, recipe=None): ...\n"
SWIZZLE = "def swizzle(a): ...\n"


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> World:
    return world.make(tmp_path / "machine")


def asked(
    machine: World, *, host: bool = True, gemm: str = GEMM, old: str = OLD_NAME,
    swizzle: str = SWIZZLE,
) -> Report:  # fmt: skip
    """Run the check `api` on a build of these functions, with or without a host."""
    utils = machine.package / "utils"
    utils.mkdir()
    (utils / "__init__.py").write_text("")
    (utils / "layout.py").write_text(swizzle)
    init = machine.package / "__init__.py"
    init.write_text(f"{init.read_text()}\n{gemm}{old}")
    root = machine.root / "host"
    root.mkdir()
    (root / "host.py").write_text(HOST)
    return machine.run(api.CHECK, directory=None, host=root if host else None)


def told(report: Report) -> tuple[str, str]:
    """Return what level 0 says of the names, and what the loaded build says."""
    (row,) = [row for row in report.facts if row.rule == "names"]
    (result,) = report.results
    return row.message, result.message


def test_all_there(machine: World) -> None:
    """A build that has what the host uses passes, whatever else vLLM would need."""
    report = asked(machine)

    assert ("4 names and 2 keywords of host are there", "") == told(report)
    assert "host" == report.results[0].notes["host"]
    assert 0 == report.exit_code()


def test_name_gone(machine: World) -> None:
    """A function that is gone is missed at both levels, in each of its spellings."""
    assert (
        "not in this build: new_name or old_name",
        "no new_name or old_name",
    ) == told(asked(machine, old=""))


def test_keyword_gone(machine: World) -> None:
    """A keyword is asked of its function: that another one takes it is seen at level 1 alone."""
    report = asked(machine, gemm="def gemm(a, b): ...\ndef other(fast): ...\n")

    assert ("4 names and 2 keywords of host are there", "gemm has no fast") == told(report)
    assert 1 == report.exit_code()


def test_name_of_a_module(machine: World) -> None:
    """A name inside a module of the package is looked up there."""
    report = asked(machine, swizzle="def unswizzle(a): ...\n")

    assert "no utils.layout.swizzle" == told(report)[1]


def test_without_a_host(machine: World) -> None:
    """Without a host the list is vLLM's."""
    report = asked(machine, host=False)

    assert "vLLM" == report.results[0].notes["host"]
    assert told(report)[1].startswith("no cublaslt_gemm_nt; no fp8_gemm_nt; ")
