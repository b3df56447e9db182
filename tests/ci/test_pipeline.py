"""The texts of the pipelines."""

import re
import shlex

import pytest
import yaml

from dgpin.ci.pipeline import Engine, write

ARCHES = ("sm_90", "sm_120")
PATHS = ("cmake/a b.cmake", "docker/Dockerfile", 'a "\U0001f600".sh')
# sbatch(1): the options that take these forms.
DIRECTIVES = {
    "--job-name": r"[\w-]+",
    "--array": r"\d+-\d+",
    "--nodes": r"\d+",
    "--gpus": r"\d+",
    "--cpus-per-task": r"\d+",
    "--mem": r"\d+[KMGT]",
    "--time": r"\d{2}:\d{2}:\d{2}",
    "--output": r"[\w%.-]+",
}


def _text(engine: Engine, *, package: str = "dgpin") -> str:
    return write(engine, architectures=ARCHES, paths=PATHS, package=package)


@pytest.mark.parametrize("engine", list(Engine))
def test_nothing_is_left_open(engine: Engine) -> None:
    """Every hole of a template is filled, and no line ends in blanks."""
    text = _text(engine)

    assert [] == re.findall(r"@[A-Z]+@", text)
    assert [] == [line for line in text.split("\n") if line != line.rstrip()]


@pytest.mark.parametrize("engine", list(Engine))
def test_each_architecture_has_its_run(engine: Engine) -> None:
    """All are named, and all are required of the report."""
    text = _text(engine)

    assert all(arch in text for arch in ARCHES)
    assert "--require sm_90,sm_120 " in text


@pytest.mark.parametrize("engine", list(Engine))
def test_a_package_with_odd_characters(engine: Engine) -> None:
    """What pip installs is quoted as the file's language wants it."""
    package = 'dgpin @ git+https://example.org/d.git#egg="x"'

    text = _text(engine, package=package)

    if engine is Engine.SLURM:
        assert f"'{package}'" in text
    else:
        assert package == yaml.safe_load(text)["env"]["DGPIN_PACKAGE"]


def test_github() -> None:
    """It runs when a site changes, with no right to write, and pins what it uses."""
    text = _text(Engine.GITHUB)
    value = yaml.safe_load(text)

    assert list(PATHS) == value[True]["pull_request"]["paths"]  # YAML 1.1 reads `on` as true
    assert {"contents": "read"} == value["permissions"]
    matrix = value["jobs"]["smoke"]["strategy"]["matrix"]["include"]
    assert list(ARCHES) == [each["arch"] for each in matrix]
    used = re.findall(r"uses: \S+@(\S+)", text)
    assert used
    assert all(re.fullmatch(r"[0-9a-f]{40}", sha) for sha in used)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("docker/Dockerfile", "docker/Dockerfile"),
        ("c++/a [1]?*.cmake", r"c\+\+/a \[1]\?\*.cmake"),
        ("!a/b!.sh", r"\!a/b!.sh"),
        ("a\\b.sh", r"a\\b.sh"),
        ("a\u2028\x0c\x85\ufeff.sh", "a\u2028\x0c\x85\ufeff.sh"),
        ("@REQUIRE@/b.sh", "@REQUIRE@/b.sh"),
    ],
)
def test_github_filters_for_the_path_itself(path: str, pattern: str) -> None:
    """What GitHub's patterns mean otherwise is escaped, and YAML reads the rest as it is."""
    text = write(Engine.GITHUB, architectures=ARCHES, paths=[path], package="dgpin")

    assert [pattern] == yaml.safe_load(text)[True]["pull_request"]["paths"]


def test_github_runs_nothing_of_strangers_on_own_runners() -> None:
    """A pull request from a fork gets no runner of the project's own."""
    smoke = yaml.safe_load(_text(Engine.GITHUB))["jobs"]["smoke"]

    assert "head.repo.full_name == github.repository" in smoke["if"]


def test_buildkite() -> None:
    """A step for each architecture in its queue, and a report after all, whatever they found."""
    steps = yaml.safe_load(_text(Engine.BUILDKITE))["steps"]

    keys = ["deepgemm-verify", "deepgemm-smoke-sm_90", "deepgemm-smoke-sm_120", "deepgemm-report"]
    assert keys == [step["key"] for step in steps]
    assert keys[:-1] == steps[-1]["depends_on"]
    assert steps[-1]["allow_dependency_failure"] is True
    assert ["gpu-sm_90", "gpu-sm_120"] == [step["agents"]["queue"] for step in steps[1:3]]


def test_buildkite_leaves_the_shell_its_variables() -> None:
    """The agent fills in $NAME when it uploads the pipeline, so each is written $$NAME."""
    for step in yaml.safe_load(_text(Engine.BUILDKITE))["steps"]:
        assert [] == re.findall(r"(?<!\$)\$(?!\$)", step["command"].replace("$$", ""))


def test_buildkite_leaves_the_package_its_dollars() -> None:
    """Nor is anything filled in where the package is named."""
    text = _text(Engine.BUILDKITE, package="dgpin @ https://example.org/$HOME/d.whl")

    assert "https://example.org/$$HOME/d.whl" in text


def test_slurm_directives() -> None:
    """Each is an option of sbatch with a value of its form, and stands above the first command."""
    lines = _text(Engine.SLURM).splitlines()
    directives = [line for line in lines if line.startswith("#SBATCH")]

    assert "#!/usr/bin/env bash" == lines[0]
    assert directives == lines[1 : len(directives) + 1]
    for line in directives:
        option, _, value = line.removeprefix("#SBATCH ").partition("=")
        assert re.fullmatch(DIRECTIVES[option], value), line
    assert "#SBATCH --array=0-1" in directives


FOLDER = "a sub/$d'ir"


def test_github_works_in_the_host_s_directory() -> None:
    """Where the host lies below the top of its repository, its jobs begin there."""
    text = write(
        Engine.GITHUB, architectures=ARCHES, paths=["x"], package="dgpin", folder="a sub/d"
    )
    value = yaml.safe_load(text)

    assert ["a sub/d/x"] == value[True]["pull_request"]["paths"]
    for job in ("verify", "smoke"):
        assert "a sub/d" == value["jobs"][job]["defaults"]["run"]["working-directory"]
        assert "a sub/d/evidence-*.json" == value["jobs"][job]["steps"][-1]["with"]["path"]
    assert "working-directory" not in value["jobs"]["report"]["defaults"]["run"]


def test_buildkite_works_in_the_host_s_directory() -> None:
    """The agent begins at the top, and names what it keeps from there."""
    text = write(
        Engine.BUILDKITE, architectures=ARCHES, paths=["x"], package="dgpin", folder=FOLDER
    )
    *runs, report = yaml.safe_load(text)["steps"]

    enter = f"cd {shlex.quote(FOLDER)}".replace("$", "$$")
    assert all(enter in run["command"].split("\n") for run in runs)
    kept = f"{FOLDER}/evidence-*.json".replace("$", "$$")
    assert {kept} == {run["artifact_paths"] for run in runs}
    loaded = shlex.split(report["command"].replace("$$", "$").split("artifact download ")[1])
    assert f"{FOLDER}/evidence-*.json" == loaded[0]
