"""The preset that fits is found by trying; shapes of a dozen hosts are read and written."""

import os
from pathlib import Path

import pytest

from dgpin import config
from dgpin.config import ConfigError
from dgpin.pin import host as hosts
from dgpin.pin import presets
from dgpin.pin.host import (
    GoneDirectoryError,
    Host,
    NoHostError,
    NoPresetError,
    OutsideHostError,
    UnreadableError,
)
from dgpin.pin.plan import Target, plan
from dgpin.pin.sites import Problem
from tests.pin.hosts import FORK, NEW, OLD, REPO, facts

FMT_OLD, FMT_NEW = "c" * 40, "d" * 40


def write(root: Path, files: dict[str, str]) -> Host:
    """Write a host's files."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Host(root=root)


SHAPES = {
    "sglang-2025": {
        "sgl-kernel/CMakeLists.txt": f"FetchContent_Declare(\n  repo-deepgemm\n"
        f"  GIT_REPOSITORY {REPO}\n  GIT_TAG {OLD}\n  GIT_SHALLOW OFF\n)\n"
        f"FetchContent_Declare(\n  repo-fmt\n  GIT_REPOSITORY https://github.com/fmtlib/fmt\n"
        f"  GIT_TAG {FMT_OLD}\n)\n"
    },
    "tensorrt-llm": {
        "3rdparty/fetch_content.json": '{"dependencies": [\n'
        f'  {{"name": "deepgemm", "git_repository": "{REPO}", "git_tag": "{OLD}"}},\n'
        f'  {{"name": "fmt", "git_repository": "https://h/fmt", "git_tag": "{FMT_OLD}"}}\n]}}\n',
        "scripts/attribution/data/dependency_metadata.yml": f"deepgemm/{OLD}:\n"
        f"  source: {REPO}/tree/{OLD}\n",
    },
    "lmdeploy": {
        "docker/prepare_3rdparty_wheel.sh": 'if [[ "$CUDA" = "cu12" ]]; then\n'
        f"  DEEP_GEMM_VERSION={OLD[:7]}\nelse\n  DEEP_GEMM_VERSION={OLD[:7]}\nfi\n"
        f'pip install "git+{REPO}.git@${{DEEP_GEMM_VERSION}}"\n'
    },
    "nemo-rl": {
        "pyproject.toml": f'[project]\ndependencies = ["deep_gemm @ git+{REPO}.git@{OLD}"]\n'
        '[[tool.uv.dependency-metadata]]\nname = "deep_gemm"\n'
        f'version = "v2.0.0+{OLD[:7]}"\nrequires-dist = ["torch"]\n'
    },
    "slime": {
        "docker/Dockerfile": f"ARG DEEPGEMM_COMMIT={OLD}\nRUN git clone {REPO}.git --recursive\n",
        "docker/README.md": f"- DeepGEMM `{OLD}`\n",
    },
    "any-dockerfile-commit": {"images/vllm/Dockerfile": f"ARG DEEPGEMM_COMMIT='{OLD}'\n"},
}


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_is_recognised_and_moved(name: str, tmp_path: Path) -> None:
    """The preset is chosen by itself; afterwards nothing of the old pin is left in any file."""
    host = write(tmp_path, SHAPES[name])
    fit = hosts.fit(host)
    after = facts(NEW, version="2.1.0", fmt__commit=FMT_NEW)

    planned = plan(fit.reading, Target(repo=FORK, old=facts(OLD), new=after))

    assert fit.config.source == name
    text = "".join(edit.new.decode() for edit in planned.edits)
    assert [edit.path for edit in planned.edits] == list(SHAPES[name])
    for old in (OLD[:7], FMT_OLD, "2.0.0"):
        assert old not in text
    assert NEW[:7] in text


WHEEL = {
    "python/pyproject.toml": '[project]\ndependencies = ["sgl-deep-gemm==0.1.5"]\n',
    "docker/Dockerfile": "ARG SGL_DEEP_GEMM_VERSION=0.1.5\n",
    "docker/kimi_k3/kimi_k3_cu13.Dockerfile": "# DeepGEMM upgrade to 0.1.5:\n"
    'ARG SGL_DEEP_GEMM_VERSION="0.1.5"\n',
}


def test_a_wheel_s_version_is_a_pin_too(tmp_path: Path) -> None:
    """SGLang's version stands in four places of three files, quoted and not."""
    fit = hosts.fit(write(tmp_path, WHEEL))

    planned = plan(fit.reading, Target(repo=FORK, old=facts(OLD), new=facts(NEW), wheel="0.1.6"))

    assert fit.config.source == "sglang"
    assert len(planned.changes) == 4
    assert all("0.1.5" not in edit.new.decode() for edit in planned.edits)


GITMODULES = f"""\
[submodule "third_party/cutlass"]
\tpath = third_party/cutlass
\turl = https://github.com/NVIDIA/cutlass
[submodule "third_party/DeepGEMM"]
\tpath = third_party/DeepGEMM
\turl = {REPO}
"""


def test_a_submodule_is_a_pin_whose_commit_git_holds(tmp_path: Path) -> None:
    """`.gitmodules` states the repository; the path of the gitlink is known."""
    fit = hosts.fit(write(tmp_path, {".gitmodules": GITMODULES}))

    planned = plan(fit.reading, Target(repo=FORK, old=facts(OLD), new=facts(NEW)))

    assert fit.config.gitlink == "third_party/DeepGEMM"
    assert planned.edits[0].new.decode() == GITMODULES.replace(REPO, FORK)


def test_no_preset_is_an_error_that_names_what_is_missing(tmp_path: Path) -> None:
    """What nearly fits is listed, entry by entry."""
    host = write(
        tmp_path,
        {
            "docker/Dockerfile": f"ARG DEEPGEMM_COMMIT={OLD}x\n",
            "docker/README.md": f"- DeepGEMM `{OLD}`\n",
        },
    )

    with pytest.raises(NoPresetError, match="slime: docker/Dockerfile"):
        hosts.fit(host)


def test_a_text_that_is_there_twice_is_why_no_preset_fits(tmp_path: Path) -> None:
    """The message names both lines, although neither is a site."""
    host = write(tmp_path, {"Dockerfile": f"ARG DEEPGEMM_COMMIT={OLD}\n" * 2})

    with pytest.raises(NoPresetError, match=r"any-dockerfile-commit: Dockerfile:1, Dockerfile:2"):
        hosts.fit(host)


def test_a_pin_that_is_commented_out_is_none(tmp_path: Path) -> None:
    """No preset takes a remark for what is built."""
    host = write(tmp_path, {"Dockerfile": f"FROM x\n# ARG DEEPGEMM_COMMIT={OLD}\n"})

    with pytest.raises(NoPresetError):
        hosts.fit(host)


def test_a_site_of_the_host_s_own_is_one_file(tmp_path: Path) -> None:
    """A star in `dgpin.toml` is a star: no file elsewhere is taken for the one that is meant."""
    own = "[pin]\n[sites]\n\"docker/*.sh\" = 'pin <commit>'\n"
    host = write(tmp_path, {"dgpin.toml": own, "tools/a.sh": f"pin {OLD}\n"})

    (found,) = hosts.fit(host).reading.problems

    assert Problem.NO_FILE is found.problem


@pytest.mark.parametrize("kind", ["pipe", "device", "directory"])
def test_what_is_no_file_is_not_read(tmp_path: Path, kind: str) -> None:
    """A pipe and a device would be read for ever."""
    path = tmp_path / "site"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()

    assert Host(root=tmp_path).read("site") is None


def test_a_link_to_itself_is_named(tmp_path: Path) -> None:
    """What the system refuses is said with the file."""
    (tmp_path / "site").symlink_to("site")

    with pytest.raises(UnreadableError, match=r"site: Too many levels"):
        Host(root=tmp_path).read("site")


@pytest.mark.parametrize("kind", ["pipe", "link", "directory"])
def test_a_configuration_that_cannot_be_read_is_not_passed_over(tmp_path: Path, kind: str) -> None:
    """No preset is used in the place of a `dgpin.toml` that is there and is no file."""
    host = write(tmp_path, SHAPES["slime"])
    path = tmp_path / "dgpin.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("nowhere")
    else:
        path.mkdir()

    with pytest.raises(ConfigError, match=r"dgpin\.toml: (is no file|cannot be read)"):
        hosts.fit(host)


def test_a_directory_that_is_gone_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell may stand in a directory that was removed."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    with pytest.raises(GoneDirectoryError, match="the current directory is gone"):
        hosts.find_host(None)


def test_two_presets_that_say_different_things_are_refused(tmp_path: Path) -> None:
    """Neither contains the other, so nobody decides for the host."""
    host = write(tmp_path, SHAPES["slime"] | SHAPES["lmdeploy"])

    with pytest.raises(NoPresetError, match="lmdeploy"):
        hosts.fit(host)


def test_the_host_s_own_configuration_wins(tmp_path: Path) -> None:
    """With `dgpin.toml`, no preset is tried."""
    own = "[pin]\n[sites]\n\"pin.txt\" = 'pin <commit>'\n"
    host = write(tmp_path, SHAPES["slime"] | {"dgpin.toml": own, "pin.txt": f"pin {OLD}\n"})

    assert hosts.fit(host).config.source == "dgpin.toml"


def test_a_host_is_looked_for_upward(tmp_path: Path) -> None:
    """The nearest dgpin.toml, else the top of the git work tree, else here."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/own/deep").mkdir(parents=True)
    (tmp_path / "repo/own/dgpin.toml").touch()
    (tmp_path / "bare").mkdir()

    found = [
        hosts.find_host(None, start=tmp_path / start).root.relative_to(tmp_path).as_posix()
        for start in ("repo/own/deep", "repo", "bare")
    ]

    assert found == ["repo/own", "repo", "bare"]


def test_a_host_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """`--host` names a directory."""
    with pytest.raises(NoHostError):
        hosts.find_host(tmp_path / "none")


def test_a_link_out_of_the_host_is_not_read(tmp_path: Path) -> None:
    """A site is a file of the host itself."""
    (tmp_path / "outside").write_text("x")
    (tmp_path / "host").mkdir()
    (tmp_path / "host/f").symlink_to("../outside")

    with pytest.raises(OutsideHostError):
        Host(root=tmp_path / "host").read("f")


@pytest.mark.parametrize(
    "name", [name for g in (False, True) for _, name in presets.texts(generic=g)]
)
def test_every_preset_can_be_read_and_written_down(name: str) -> None:
    """A preset parses, says what it is for, and keeps its comments when init writes it."""
    text = presets.text(name).replace("{name}", "n").replace("{path}", "p")

    parsed = config.parse(text, source=name, is_preset=True)
    written = config.rewritten(text, {"repo": REPO}, paths=["Dockerfile"])

    assert parsed.summary
    assert written.startswith("# ")
    assert config.parse(written, source="dgpin.toml").repo == REPO
