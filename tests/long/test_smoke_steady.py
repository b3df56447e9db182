"""A good build on a good machine: no run of it says anything else."""

from collections import Counter
from pathlib import Path

from tests.integration.smoke import world

RUNS = 100


def test_a_good_machine_fails_in_none_of_100_runs(tmp_path: Path) -> None:
    """Each run is a whole one: level 0, a process that loads the build, the check, the verdict."""
    machine = world.make(tmp_path / "machine")

    answers: Counter[tuple[int, str]] = Counter()
    for _ in range(RUNS):
        report = machine.run(machine.good())
        (result,) = report.results
        answers[report.exit_code(), result.verdict.value] += 1

    assert Counter({(0, "pass"): RUNS}) == answers
