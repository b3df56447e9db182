"""The runner answers for each check, whatever became of its process."""

import json
import subprocess
import time
from dataclasses import asdict
from pathlib import Path
from subprocess import PIPE
from textwrap import dedent

import pytest

from dgpin.smoke.case import Check
from dgpin.smoke.runner import WORKER
from dgpin.smoke.wanted import VLLM
from tests.integration.smoke import world
from tests.integration.smoke.world import Silent, World


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


BUSY = """
import time
time.sleep({seconds})
return Outcome(number=0, notes={{"ended": time.time()}})
"""
RISKY = """
import os, time
asked = time.time()
bench.alone()
alone = time.time()
{then}
return Outcome(number=0, notes={{"asked": asked, "alone": alone}})
"""


def risky(machine: World, then: str = "", *, name: str = "risky", deadline: float = 60) -> Check:
    """Write a check that wants the device to itself, and does this with it."""
    body = RISKY.format(then=dedent(then).strip())
    return machine.check(name, body, may_fault=True, deadline=deadline)


def test_a_risk_waits_for_the_others(machine: World) -> None:
    """What may fault begins when no other check runs, and its waiting is not its own time."""
    busy = machine.check("busy", BUSY.format(seconds=1))

    report = machine.run(busy, risky(machine))
    first, second = report.results

    assert ["pass", "pass"] == [first.verdict.value, second.verdict.value]
    moments = [second.notes["asked"], first.notes["ended"], second.notes["alone"]]
    assert sorted(map(str, moments)) == list(map(str, moments))
    assert second.seconds < 0.5


def test_waiting_has_no_deadline(machine: World) -> None:
    """Who waits for a check that hangs is not taken for hanging itself."""
    hanging = machine.check("hanging", "bench.build.hang()", deadline=1)

    report = machine.run(hanging, risky(machine, deadline=0.5))

    assert ["timeout", "pass"] == [each.verdict.value for each in report.results]


def test_a_deadline_after_waiting(machine: World) -> None:
    """Who hangs once it is alone is stopped like any other."""
    busy = machine.check("busy", BUSY.format(seconds=0.5))

    report = machine.run(busy, risky(machine, "bench.build.hang()", deadline=1))

    assert ["pass", "timeout"] == [each.verdict.value for each in report.results]


def test_faults_do_not_meet(machine: World) -> None:
    """The next check that may fault goes on when the process of the one before is gone."""
    then = f"""
        with open({str(machine.root / "processes")!r}, "a+") as log:
            log.seek(0)
            alive = [pid for pid in log.read().split() if os.path.exists(f"/proc/{{pid}}")]
            print(os.getpid(), file=log)
        assert not alive, alive
        bench.torch.lose()
    """
    risks = [risky(machine, then, name=f"risk{at}") for at in range(3)]

    report = machine.run(*risks, machine.good(), shards=4)

    found = [each.explanation.cause if each.explanation else "" for each in report.results]
    assert ["fault", "fault", "fault", ""] == found
    assert "pass" == report.results[-1].verdict.value


def test_a_fault_among_those_who_wait(machine: World) -> None:
    """With one process for all, each fault's fresh process waits for nobody."""
    risks = [risky(machine, "bench.torch.lose()", name=f"risk{at}") for at in range(2)]

    report = machine.run(*risks, machine.good(), shards=1)

    assert ["fail", "fail", "pass"] == [each.verdict.value for each in report.results]


def test_an_interrupted_wait(machine: World) -> None:
    """A run that is interrupted while one check works and one waits ends at once."""
    hanging = machine.check("hanging", "bench.build.hang()")

    class Impatient(Silent):
        def watch(self, label: str, event: object) -> None:
            if isinstance(event, dict) and event["event"] == "wait":
                raise KeyboardInterrupt(label)

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        machine.run(hanging, risky(machine), following=Impatient())

    assert time.monotonic() - started < 20


def test_nobody_left_to_wait_for(machine: World) -> None:
    """A process that waits to be alone ends when what started it is gone."""
    risky(machine)
    events, request = machine.root / "events", machine.root / "request"
    told = {
        "events": str(events), "go": str(machine.root / "go"), "package": str(machine.package),
        "module": "", "arch": None, "directory": str(machine.checks), "checks": ["risky"],
        "needs": asdict(VLLM), "patience": 1, "wrapped": False,
    }  # fmt: skip
    request.write_text(json.dumps(told))
    start = "import subprocess, sys; subprocess.Popen(sys.argv[1:]); sys.stdin.read()"
    words = [str(each) for each in (machine.python, "-c", start, machine.python, WORKER, request)]
    parent = subprocess.Popen(words, env=machine.env, stdin=PIPE, stdout=PIPE)
    while '"wait"' not in (events.read_text() if events.exists() else ""):
        time.sleep(0.02)

    # The worker has the pipe too: its end is the worker's.
    parent.communicate(timeout=20)

    assert '"alone"' not in events.read_text()


def test_answers_are_all_there_is_to_wait_for(machine: World) -> None:
    """A process that has answered ends at once: what would run at its exit keeps nobody waiting."""
    slow = "import atexit, time; atexit.register(time.sleep, 60); print('said', end='')\n"
    started = time.monotonic()

    report = machine.run(machine.check("slow", slow + "raise ValueError('x')"))

    assert time.monotonic() - started < 30
    assert "said" in report.results[0].raw


def test_a_crash_leaves_no_core(machine: World) -> None:
    """A process under test may crash, but writes no core file."""
    limit = "import resource; return Outcome(number=resource.getrlimit(resource.RLIMIT_CORE)[0])"

    report = machine.run(machine.check("core", limit))

    assert [0] == [each.number for each in report.results]
