"""Faults of real pins, as public reports tell them: what dgpin says to each."""

import json
from pathlib import Path

import pytest

from tests.world import World, changed, git

CMAKE = "cmake/external_projects/deepgemm.cmake"
INSTALL = "tools/install_deepgemm.sh"
ALIAS = ("--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")


def only(world: World, files: dict[str, str], *, sites: str = "", pin: str = "") -> None:
    """Make the host consist of these files, with a configuration of its own if there are sites."""
    for path in world.git("ls-files").split():
        (world.host / path).unlink()
    if sites:
        repo = f'repo = "{world.example.url}"\n' if "repo" not in pin else ""
        files = files | {"dgpin.toml": f"[pin]\n{repo}{pin}\n[sites]\n{sites}\n"}
    for path, text in files.items():
        (world.host / path).parent.mkdir(parents=True, exist_ok=True)
        (world.host / path).write_text(text)
    world.git("add", "--all")
    world.git("commit", "-q", "-m", "Begin anew")


def test_a_gate_that_the_pin_has_no_kernels_for(world: World) -> None:
    """A host that enables SM120 while its pin has none is told both lines of its own."""
    old, sm120 = (world.example.commits[name] for name in ("old", "sm120"))
    sound = world.dgpin("check", "--remote")
    for path in (CMAKE, INSTALL):
        world.edit(path, sm120, old)

    answer = world.dgpin("check", "--remote", "--json")

    gates = [row for row in json.loads(answer.out)["rows"] if row["rule"] == "arch-gate"]
    failed = [row for row in gates if row["verdict"] == "fail"]
    named = {f"{place['path']}:{place['line']}" for row in failed for place in row["places"]}
    message = "the host enables sm_120, but the source has kernels for sm_90, sm_100"
    assert (0, 1) == (sound.code, answer.code)
    assert {message} == {row["message"] for row in failed}
    assert {f"{CMAKE}:40", "vllm/platforms/cuda.py:7"} <= named
    assert any(place.startswith(f"{old[:8]}:deep_gemm/include/") for place in named)


TAG = 'ARG DEEPGEMM_REPO="{repo}"\nARG DEEPGEMM_VERSION="v{version}"\n'


def test_a_tag_in_an_image(world: World) -> None:
    """A Dockerfile that pins a tag is read and moved by tag; where the tag lies is told."""
    repo = world.example.url
    only(world, {"docker/Dockerfile.cuda": TAG.format(repo=repo, version="2.6.1")})

    shown = world.dgpin("show")
    offered = world.dgpin("check", "--remote")
    moved = world.dgpin("bump", "v2.8.0", *ALIAS)

    assert "image   docker/Dockerfile.cuda:2  version: 2.6.1" in shown.out
    assert "any-dockerfile-version (preset)" in shown.out
    assert f"{repo} has the commit, in dev, main, nv_dev and 4 more" in offered.out
    assert 0 == offered.code
    assert (0, "") == moved[:2]
    text = (world.host / "docker/Dockerfile.cuda").read_text()
    assert TAG.format(repo=repo, version="2.8.0") == text


def test_a_commit_in_an_image_that_no_clone_has(world: World) -> None:
    """A clone brings what branches and tags contain; a commit in none of them is a finding."""
    text = "ARG DEEPGEMM_COMMIT={}\nRUN git clone x && git checkout ${{DEEPGEMM_COMMIT}}\n"
    stray = world.example.commits["stray"]
    only(
        world,
        {"Dockerfile": text.format(stray)},
        sites="Dockerfile = 'ARG DEEPGEMM_COMMIT=<commit>'",
    )

    answer = world.dgpin("check", "--remote")

    assert 1 == answer.code
    assert "has the commit, but no branch, tag or pull request contains it" in answer.out
    assert "Dockerfile:1" in answer.out


SCRIPT = """#!/bin/bash
if [ "$CUDA" = 13 ]; then
    DEEP_GEMM_VERSION={one}
else
    DEEP_GEMM_VERSION={other}
fi
pip wheel "git+{repo}.git@${{DEEP_GEMM_VERSION}}"
"""


def test_two_short_commits_behind_a_condition(world: World) -> None:
    """Both are shown, two of them that differ are a finding, and a bump writes both."""
    one, other, new = (world.example.commits[name][:7] for name in ("sm120", "old", "port"))
    path = "docker/prepare_3rdparty_wheel.sh"
    only(
        world,
        {path: SCRIPT.format(one=one, other=other, repo=world.example.url)},
        sites=f'"{path}" = {{ at = "DEEP_GEMM_VERSION=<commit:7>", many = true }}',
    )

    shown, checked = world.dgpin("show"), world.dgpin("check")
    refused = world.refuses(2, "the sites disagree on the commit", words=("dev",))
    moved = world.dgpin("bump", "dev", "--from", world.example.commits["sm120"], *ALIAS)

    assert f"{path}:3  commit: {one}" in shown.out
    assert f"{path}:5  commit: {other}" in shown.out
    assert 1 == checked.code
    assert f"commit: {path}:3 says {one}; {path}:5 says {other}" in checked.out
    assert f"{path}:3 says {one}; {path}:5 says {other}" in refused
    assert (0, "") == moved[:2]
    assert (
        SCRIPT.format(one=new, other=new, repo=world.example.url) == (world.host / path).read_text()
    )


def test_a_recipe_that_calls_what_is_gone(world: World) -> None:
    """2.8 has no `install.sh`: the host's line that calls it is named with the move."""
    with (world.host / INSTALL).open("a") as file:
        file.write("# bash install.sh\n(cd deepgemm && bash ./install.sh)\n")
    line = len((world.host / INSTALL).read_text().splitlines())
    world.git("commit", "-q", "-a", "-m", "Install by DeepGEMM's own script")

    answer = world.dgpin("bump", "dev", *ALIAS, "--dry-run")

    assert "how the source is built changed\n  entry_points: - install.sh\n" in answer.out
    assert "cxx_std: - 17, + 20" in answer.out
    assert (
        f"calls install.sh, which the new source does not have\n{' ' * 28}{INSTALL}:{line}\n"
        in (answer.out)
    )


ARG = "ARG DEEPGEMM_COMMIT={}\n"


@pytest.mark.parametrize(
    ("path", "role", "ships"),
    [(".devcontainer/Dockerfile", "dev", False), ("docker/Dockerfile", "image", True)],
)
def test_a_pin_that_no_image_gets(world: World, path: str, role: str, *, ships: bool) -> None:
    """`show` says what each site is for, and that none is for what ships."""
    commit = world.example.commits["sm120"]
    only(
        world,
        {path: ARG.format(commit)},
        sites=f"\"{path}\" = 'ARG DEEPGEMM_COMMIT=<commit>'",
    )

    said = world.dgpin("show").out

    assert f"{role:8}{path}:1  commit: {commit}" in said
    assert ships is ("no site states the pin for what ships" not in said)


def test_show_says_all_that_is_known(world: World) -> None:
    """Repository, commit, version, branch, date, submodules, distance: for any host's user."""
    world.dgpin("check", "--remote")

    said = world.dgpin("show").out

    commit = world.example.commits["sm120"]
    cutlass, fmt = (world.example.submodules[f"third-party/{name}"] for name in ("cutlass", "fmt"))
    assert f"repo        {world.example.url}\n" in said
    assert f"commit      {commit}\n" in said
    assert "version     2.6.1\n" in said
    assert "branch      nv_dev\n" in said
    assert "subject     Add kernels for SM120 (#5)\n" in said
    assert f"submodules  third-party/cutlass {cutlass[:12]}, third-party/fmt {fmt[:12]}\n" in said
    assert f"build   {CMAKE}:14  commit: {commit}\n" in said


FETCH = """[
  {{
    "name": "deepgemm",
    "git_repository": "{repo}",
    "git_tag": "{commit}",
    "git_submodules_recurse": true
  }},
  {{
    "name": "fmt",
    "git_repository": "https://github.com/fmtlib/fmt",
    "git_tag": "{fmt}"
  }}
]
"""


def test_a_commit_of_another_repository_in_json(world: World) -> None:
    """`check --remote` says that the pin's repository lacks the commit, and who has it."""
    path = "3rdparty/fetch_content.json"
    example = world.example
    text = FETCH.format(
        repo=example.url,
        commit=example.commits["forked"],
        fmt=example.submodules["third-party/fmt"],
    )
    only(
        world,
        {path: text},
        sites=f'"{path}" = {{ at = \'"git_tag": "<commit>"\', in = \'"name": "deepgemm" … }}\' }}',
        pin=f'repo = "{example.url}"\nforks = ["{example.fork}"]',
    )

    answer = world.dgpin("check", "--remote")

    assert 1 == answer.code
    assert f"{example.url} lacks it; {example.fork} has it (branch dev)" in answer.out
    assert f"{path}:5" in answer.out


def test_an_update_of_submodules_before_the_checkout(world: World) -> None:
    """Submodules of another revision than the commit: the order of the lines is a finding."""
    world.edit(
        INSTALL,
        "git submodule update --init --recursive\n",
        "",
    )

    answer = world.dgpin("check")

    assert 1 == answer.code
    assert "clone --recursive, then checkout: the submodules stay at the branch's commits" in (
        answer.out
    )


DECLARED = """FetchContent_Declare(
  repo-deepgemm
  GIT_REPOSITORY {repo}
  GIT_TAG {commit}
  GIT_SHALLOW ON
)
"""


def test_a_shallow_clone_of_a_commit(world: World) -> None:
    """`GIT_SHALLOW` takes branches and tags: both lines are named."""
    path = "sgl-kernel/CMakeLists.txt"
    text = DECLARED.format(repo=world.example.url, commit=world.example.commits["sm120"])
    only(world, {path: text})

    answer = world.dgpin("check")

    assert 1 == answer.code
    assert "preset sglang-2025" in answer.out
    assert f"GIT_SHALLOW works with branches and tags; a commit is then not found\n{' ' * 28}" in (
        answer.out
    )
    assert f"{path}:4\n{' ' * 28}{path}:5\n" in answer.out


def test_a_source_that_cannot_be_imported(world: World, tmp_path: Path) -> None:
    """An annotation with a name that nobody imported is told with the move, file and line."""
    repository = world.repository(tmp_path.name)
    path = "deep_gemm/utils/__init__.py"
    sound = git(repository, "show", f"dev:{path}") + "\n"
    broken = sound + "def f(x: Sequence[int] = None): ...\n"
    commit = changed(repository, "dev", {path: broken}, to="broken")
    line = len(broken.splitlines())

    answer = world.dgpin("bump", "broken", "--repo", f"file://{repository}", "--dry-run", *ALIAS)

    assert "importing the new source fails: " in answer.out
    assert "the name `Sequence` is used and bound nowhere" in answer.out
    assert f"{commit[:8]}:{path}:{line}" in answer.out


RECIPE = "pip install git+https://github.com/deepseek-ai/DeepGEMM.git@{}\n"


def test_recipes_that_install_another(world: World) -> None:
    """A recipe's own, old pin would win over the vendored copy: `check --docs` names its lines."""
    commit = world.example.commits["sm120"]
    for path, ref in (("recipes/a.md", "v2.1.1.post3"), ("recipes/b.yaml", "v2.1.1.post3")):
        (world.host / path).parent.mkdir(exist_ok=True)
        (world.host / path).write_text(f"# Install\n{RECIPE.format(ref)}")
    (world.host / "docs/right.md").write_text(RECIPE.format(commit[:8]))
    (world.host / "docs/provenance.md").write_text("See DeepGEMM/blob/v2.1.1/csrc/x.hpp\n")
    world.git("add", "--all")

    plain, answer = world.dgpin("check"), world.dgpin("check", "--docs")

    assert (0, 1) == (plain.code, answer.code)
    assert (
        f"2 lines of documents pin v2.1.1.post3; the host's pin is {commit}\n"
        f"{' ' * 28}recipes/a.md:2\n{' ' * 28}recipes/b.yaml:2\n"
    ) in answer.out
    assert f"a document pins {commit[:8]}  docs/right.md:1" in answer.out
    assert "provenance" not in answer.out


def test_no_recipe_at_all(world: World) -> None:
    """Without such lines the question is answered, too."""
    assert "no document pins a DeepGEMM" in world.dgpin("check", "--docs").out


def test_a_submodule(world: World) -> None:
    """git states the commit of a submodule: the command that moves it is printed, not run."""
    old, new = (world.example.commits[name] for name in ("sm120", "port"))
    modules = f'[submodule "x"]\n\tpath = third_party/DeepGEMM\n\turl = {world.example.url}.git\n'
    only(world, {".gitmodules": modules})
    world.git("update-index", "--add", "--cacheinfo", f"160000,{old},third_party/DeepGEMM")
    world.git("commit", "-q", "-m", "Add the submodule")

    shown = world.dgpin("show").out
    moved = world.dgpin("bump", "dev", *ALIAS).out
    command = f"git update-index --cacheinfo 160000,{new},third_party/DeepGEMM"
    clean = world.git("status", "--porcelain", "--ignore-submodules")
    world.git(*command.split()[1:])
    again = world.dgpin("bump", "dev").out

    assert f"build   third_party/DeepGEMM  commit: {old}\n" in shown
    assert "no site states the pin" not in shown
    assert f"  {command}\n\nno file to write: the command above moves the pin\n" in moved
    assert "" == clean
    assert "for you to do" not in again
    assert again.endswith("nothing to do: every site says so already\n")


URL = """[project]
dependencies = ["deep_gemm @ git+{repo}.git@{commit}"]

[[tool.uv.dependency-metadata]]
name = "deep_gemm"
version = "v{version}+{short}"
requires-dist = ["torch"]
"""


def test_a_version_beside_a_short_commit(world: World) -> None:
    """A requirement and the metadata that repeats it move together, and fit the source then."""
    repo, old, new = world.example.url, *(world.example.commits[n] for n in ("sm120", "port"))
    only(
        world,
        {"pyproject.toml": URL.format(repo=repo, commit=old, version="2.6.1", short=old[:7])},
    )

    moved = world.dgpin("bump", "dev", *ALIAS)
    checked = world.dgpin("check", "--remote")

    assert (0, 0) == (moved.code, checked.code)
    assert "nemo-rl (NeMo-RL)" in moved.out
    text = (world.host / "pyproject.toml").read_text()
    assert URL.format(repo=repo, commit=new, version="2.8.0", short=new[:7]) == text


def test_a_configuration_that_names_the_old_repository(world: World) -> None:
    """A move to another repository says what the configuration must say from then on."""
    world.configure()

    there = world.dgpin("bump", "dev", "--repo", world.example.fork, *ALIAS)
    within = world.dgpin("bump", "dev", "--dirty", "--dry-run")

    todo = f'set [pin] repo = "{world.example.fork}" in dgpin.toml, or the next bump goes back'
    assert (0, 0) == (there.code, within.code)
    assert f"for you to do\n  {todo}\n" in there.out
    assert "for you to do" not in within.out
