"""What leaves by stdout leaves as it is, to whoever still reads."""

import os
import sys
from pathlib import Path

import pytest

from dgpin import process
from tests.world import World

DGPIN = str(Path(sys.executable).with_name("dgpin"))


@pytest.mark.parametrize("colour", ["NO_COLOR", "FORCE_COLOR"])
def test_a_reader_that_has_gone_changes_no_exit_code(world: World, colour: str) -> None:
    """`dgpin check | true` ends with what check found, and says nothing of the pipe."""
    script = f"{colour}=1 {DGPIN} check; echo $? >&2"
    alone = process.run(["bash", "-c", f"{{ {script}; }} >/dev/null"], cwd=world.host)

    piped = process.run(["bash", "-c", f"{{ {script}; }} | true"], cwd=world.host)

    assert alone.stderr == piped.stderr
    assert alone.stderr.strip().isdigit()


@pytest.mark.parametrize("words", ["--help", "check -h", "verify --help"])
def test_the_help_may_be_left(world: World, words: str) -> None:
    """Nor does it matter who reads the help, and how much of it."""
    script = f"{{ {DGPIN} {words}; echo $? >&2; }} | true"

    assert b"0\n" == process.run(["bash", "-c", script], cwd=world.host).stderr


@pytest.mark.parametrize("closed", ["1", "2", "0", "1 2", "0 1 2"])
def test_a_stream_that_is_closed_is_no_fault(world: World, closed: str) -> None:
    """As below a daemon: the exit code is that of the command, whatever cannot be said."""
    ends = " ".join(f"{number}>&-" for number in closed.split())
    script = f"{DGPIN} check >/dev/null; a=$?; {DGPIN} check {ends}; echo $a $?"

    first, last = process.run(["bash", "-c", script], cwd=world.host).text.splitlines()[-1].split()

    assert first == last


def test_bytes_that_are_not_utf8_leave_as_they_came(world: World) -> None:
    """The printed diff of a file with foreign bytes beside a site is one that git applies."""
    script = world.host / "tools/install_deepgemm.sh"
    script.write_bytes(script.read_bytes().replace(b"# The tip", b"# The \xff tip"))
    losses = ("sm_120", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
    accepted = [word for loss in losses for word in ("--accept-loss", loss)]

    done = process.run(
        [DGPIN, "bump", world.example.commits["new"], "--dirty", "-n", *accepted, "-o", "diff"],
        cwd=world.host,
    ).check()

    assert b"\xff" in done.stdout
    process.run(["git", "apply", "--check", "-"], cwd=world.host, stdin=done.stdout).check()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_result_is_utf8_in_every_locale(world: World, encoding: str) -> None:
    """What the locale cannot write is no fault, and a diff fits the file that it is about."""
    script = world.host / "tools/install_deepgemm.sh"
    script.write_text(script.read_text().replace("# The tip", "# The tïp"))
    losses = ("sm_120", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
    accepted = [word for loss in losses for word in ("--accept-loss", loss)]

    done = process.run(
        [DGPIN, "bump", world.example.commits["new"], "--dirty", "-n", *accepted],
        cwd=world.host,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )

    assert (0, b"") == (done.returncode, done.stderr)
    assert all(text.encode() in done.stdout for text in ("→", "# The tïp"))
