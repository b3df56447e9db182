"""The pipelines of `dgpin ci`: their scripts are run as far as a machine without a GPU can."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from dgpin import process
from dgpin.cli.app import main
from tests.world import World

ENGINES = ("github", "buildkite", "slurm")
ALIAS = "deep_gemm.fp8_m_grouped_gemm_nt_masked"


class Ran(NamedTuple):
    """How a script ended."""

    code: int | None
    out: str


def _bash(script: str, cwd: Path, **env: str) -> Ran:
    """Run a script as the engines do, with this dgpin on PATH."""
    path = f"{cwd.parent / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = process.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        env={**os.environ, "PATH": path, **env},
        timeout=120,
        emit=lambda _line: None,
    )
    return Ran(done.returncode, done.text)


def _program(world: World, name: str, text: str) -> None:
    path = world.host.parent / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


def _github(world: World) -> dict[str, str]:
    """Return the scripts of the workflow by the name of their step."""
    jobs = yaml.safe_load(world.dgpin("ci", "github").out)["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    return {step["name"]: step["run"] for step in steps if "run" in step}


@pytest.fixture(name="build")
def _build(tmp_path: Path) -> Path:
    """Return a package that is there and cannot be loaded."""
    package = tmp_path / "build" / "deep_gemm"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from . import _C\n")
    return package.parent


@pytest.mark.parametrize("engine", ENGINES)
def test_scripts_are_bash(world: World, engine: str) -> None:
    """bash reads every one of them to its end."""
    text = world.dgpin("ci", engine).out
    scripts = {"github": [], "buildkite": [], "slurm": [text]}[engine]
    if engine == "github":
        scripts = list(_github(world).values())
    elif engine == "buildkite":
        scripts = [step["command"].replace("$$", "$") for step in yaml.safe_load(text)["steps"]]

    assert scripts
    for script in scripts:
        done = process.run(["bash", "-n"], stdin=script.encode())
        assert (0, b"") == (done.returncode, done.stderr)


def test_the_pin_s_architectures(world: World) -> None:
    """They are those that the host enables, or those that are named."""
    assert "--require sm_90,sm_100,sm_120 " in world.dgpin("ci", "buildkite").out
    assert "arches=(sm_103)" in world.dgpin("ci", "slurm", "--require", "sm_103").out


@pytest.mark.parametrize("package", ["dgpin==0.1.0", 'dgpin @ git+https://e.org/d.git#egg="x$y"'])
def test_slurm_names_the_package_as_it_was_given(world: World, package: str) -> None:
    """What pip gets has no quotes of the shell's, and an environment that names another wins."""
    head = world.dgpin("ci", "slurm", "--package", package).out.partition("have_dgpin()")[0]
    script = f'{head}printf %s "$DGPIN_PACKAGE"'

    assert (0, package) == _bash(script, world.host)
    assert (0, "other") == _bash(script, world.host, DGPIN_PACKAGE="other")


def test_a_credential_is_written_into_no_pipeline(world: World) -> None:
    """The pipeline is committed; a token belongs into a secret of the engine."""
    said = world.dgpin("ci", "github", "--package", "dgpin @ https://token@example.org/d.whl")

    assert 'DGPIN_PACKAGE: "dgpin @ https://example.org/d.whl"\n' in said.out


def test_a_submodule_that_moves_starts_the_pipeline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where git holds the commit, no file but the submodule itself changes."""
    module = '[submodule "d"]\n\tpath = third_party/DeepGEMM\n\turl = https://e.org/x/DeepGEMM\n'
    (tmp_path / ".gitmodules").write_text(module)

    assert 0 == main(["ci", "github", "--host", str(tmp_path), "--require", "sm_90"])
    paths = yaml.safe_load(capsys.readouterr().out)[True]["pull_request"]["paths"]
    assert [".gitmodules", "third_party/DeepGEMM", "dgpin.toml"] == paths


@pytest.mark.parametrize("engine", ["github", "buildkite"])
def test_a_host_below_the_top_of_its_repository(world: World, engine: str) -> None:
    """Run from the top, where engines begin, the script finds the host and leaves its evidence."""
    top = world.host.parent / "repository"
    top.mkdir()
    below = World(example=world.example, host=top / "a host")
    shutil.copytree(world.host, below.host, ignore=shutil.ignore_patterns(".git"))
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        process.run(["git", "-C", top, "-c", "user.name=A", "-c", "user.email=a@b", *words]).check()
    text = below.dgpin("ci", engine).out
    value = yaml.safe_load(text)
    if engine == "github":
        run, where = _github(below)["The pin as it stands"], top / "a host"
        assert "a host" == value["jobs"]["verify"]["defaults"]["run"]["working-directory"]
    else:
        run, where = value["steps"][0]["command"].replace("$$", "$"), top

    _bash(run, where)

    assert (below.host / "evidence-verify.json").is_file()
    if engine == "github":
        move = _bash(_github(below)["The move, if there is one"], where, BASE_SHA="HEAD")
        assert 0 == move.code, move.out


def test_wrong_engine(world: World) -> None:
    """The message names the engines that there are."""
    said = world.dgpin("ci", "jenkins")

    assert (2, "") == (said.code, said.out)
    assert all(engine in said.err for engine in ENGINES)


def test_github_pin_as_it_stands(world: World) -> None:
    """Nothing is wrong, and the evidence is there."""
    ran = _bash(_github(world)["The pin as it stands"], world.host)

    assert 0 == ran.code, ran.out
    evidence = json.loads((world.host / "evidence-verify.json").read_text())
    assert "pass" == evidence["verdict"]


def test_github_move(world: World) -> None:
    """A commit that moves the pin is held against the one before; one that does not is left."""
    script = _github(world)["The move, if there is one"]
    base = world.git("rev-parse", "HEAD").strip()
    assert (0, "") == _bash(script, world.host, BASE_SHA=base)

    assert 0 == world.dgpin("bump", "dev", "--accept-loss", ALIAS).code
    world.git("commit", "-q", "-a", "-m", "Move the pin")
    ran = _bash(script, world.host, BASE_SHA=base)

    assert ran.code in {1, 3}, ran.out
    found = json.loads((world.host / "evidence-diff-api.json").read_text())["host"]["findings"]
    assert {20, 25, 30} == {each["line"] for each in found if each["counts"]}


def test_github_move_of_a_release(world: World) -> None:
    """A host that pins a release is held against the tag of the one before."""
    script = _github(world)["The move, if there is one"]
    base = world.git("rev-parse", "HEAD").strip()
    (world.host / "pinned").write_text("2.8.1")
    show = """{"commit": null, "wheel": "%s", "version": "2.8"}"""
    _program(
        world,
        "dgpin",
        f"""if [ "$1" = show ]; then
  printf '{show}' "$(cat "${{4:-.}}/pinned" 2> /dev/null || echo 2.8.0)"
else echo "$@"; fi""",
    )

    ran = _bash(script, world.host, BASE_SHA=base)

    assert 0 == ran.code, ran.out
    assert [["diff-api", "v2.8.0", "v2.8.1"], ["carry", "v2.8.0", "v2.8.1"]] == [
        line.split()[:3] for line in ran.out.splitlines()
    ]


def test_github_smoke_and_report(world: World, build: Path) -> None:
    """Without a GPU the evidence says so, and the report is not a pass."""
    scripts = _github(world)
    smoke = _bash(scripts["Build and check"], world.host, ARCH="sm_90", DGPIN_BUILD=str(build))
    summary = world.host.parent / "summary.md"

    report = _bash(scripts["Join the evidence"], world.host, GITHUB_STEP_SUMMARY=str(summary))

    evidence = json.loads((world.host / "evidence-sm_90.json").read_text())
    assert (smoke.code, "sm_90") in {(1, evidence["architecture"]), (3, evidence["architecture"])}
    assert report.code in {1, 3}, report.out
    assert summary.read_text().strip() == (world.host / "report.md").read_text().strip()
    assert (world.host / "report.html").read_text().startswith("<!doctype html>")


def test_buildkite(world: World, build: Path) -> None:
    """As the agent runs it: smoke writes its artefact, the report fetches all and joins them."""
    _program(world, "buildkite-agent", 'echo "$@" >> agent.log')
    steps = {
        step["key"]: step for step in yaml.safe_load(world.dgpin("ci", "buildkite").out)["steps"]
    }
    for key in ("deepgemm-smoke-sm_120", "deepgemm-report"):
        step = steps[key]
        env = {**step.get("env", {}), "DGPIN_BUILD": str(build)}
        ran = _bash(step["command"].replace("$$", "$"), world.host, **env)
        assert ran.code in {1, 3}, ran.out

    assert "artifact download evidence-*.json .\n" == (world.host / "agent.log").read_text()
    assert (world.host / "evidence-sm_120.json").is_file()
    assert "sm_120" in (world.host / "report.md").read_text()


def test_slurm_submits_itself(world: World) -> None:
    """An array, held until each task has its node's feature; then the report, after all of it."""
    log = world.host.parent / "slurm.log"
    for name in ("sbatch", "scontrol"):
        _program(world, name, f'echo "{name} $*" >> {log}; echo "77;cluster"')
    script = world.host / "deepgemm-smoke.sh"
    script.write_text(world.dgpin("ci", "slurm").out)

    ran = _bash(f"bash {script.name}", world.host)
    last = "--job-name=deepgemm-report --dependency=afterany:77 --time=00:10:00"
    last += " --output=deepgemm-report-%j.log"

    assert 0 == ran.code, ran.out
    assert [
        f"sbatch --parsable --hold {script}",
        "scontrol update JobId=77_0 Features=sm_90",
        "scontrol update JobId=77_1 Features=sm_100",
        "scontrol update JobId=77_2 Features=sm_120",
        "scontrol release 77",
        f"sbatch {last} --wrap=bash {script} report",
    ] == log.read_text().splitlines()


def test_slurm_leaves_no_held_job(world: World) -> None:
    """Where no node has a feature, the array is taken back and the script fails."""
    log = world.host.parent / "slurm.log"
    for name, code in (("sbatch", 0), ("scontrol", 1), ("scancel", 0)):
        _program(world, name, f'echo "{name} $*" >> {log}; echo 77; exit {code}')
    script = world.host / "deepgemm-smoke.sh"
    script.write_text(world.dgpin("ci", "slurm").out)

    ran = _bash(f"bash {script.name}", world.host)

    assert 1 == ran.code
    assert "scancel 77" == log.read_text().splitlines()[-1]


def test_slurm_tasks(world: World, build: Path) -> None:
    """Each task asks for its architecture, and the last job joins what they wrote."""
    script = world.host / "deepgemm-smoke.sh"
    script.write_text(world.dgpin("ci", "slurm").out)

    task = _bash(f"bash {script}", world.host, SLURM_ARRAY_TASK_ID="1", DGPIN_BUILD=str(build))
    report = _bash(f"bash {script} report", world.host)

    assert task.code in {1, 3}, task.out
    assert "sm_100" == json.loads((world.host / "evidence-sm_100.json").read_text())["architecture"]
    assert report.code in {1, 3}, report.out
    assert (world.host / "report.html").is_file()
