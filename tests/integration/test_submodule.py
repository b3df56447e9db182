"""A host whose pin is a git submodule: git states the commit, and `.gitmodules` the rest."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from tests.example import Example
from tests.world import World

PLACE = "third_party/DeepGEMM"
LOST = ("--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")


def _host(example: Example, root: Path, *, at: str = PLACE, name: str = PLACE) -> World:
    """Make a host with the example as its submodule, recorded and not checked out."""
    root.mkdir()
    world = World(example=example, host=root)
    world.git("init", "-q", "-b", "main")
    config = ["config", "-f", ".gitmodules"]
    world.git(*config, f"submodule.{name}.path", at)
    world.git(*config, f"submodule.{name}.url", f"{example.url}.git")
    world.git("add", ".gitmodules")
    _record(world, "sm120", at=at)
    world.git("commit", "-q", "-m", "Begin")
    return world


def _record(world: World, commit: str, *, at: str = PLACE) -> None:
    entry = f"160000,{world.example.commits[commit]},{at}"
    world.git("update-index", "--add", "--cacheinfo", entry)


@pytest.fixture(name="pinned")
def _pinned(world: World, tmp_path: Path) -> World:
    return _host(world.example, tmp_path / "submodule")


@pytest.mark.parametrize(
    ("at", "name"),
    [(PLACE, PLACE), ("third party/Déep GEMM", "the 'one'"), ('a "b\\c/DeepGEMM', 'x"y\\z')],
)
def test_the_command_that_moves_the_pin_can_be_run(
    world: World, tmp_path: Path, at: str, name: str
) -> None:
    """It is quoted for the shell, whatever the submodule is called, and git takes it."""
    host = _host(world.example, tmp_path / "submodule", at=at, name=name)

    code, _, out = host.dgpin("bump", "dev", *LOST)
    (command,) = [line.strip() for line in out.split("\n") if "update-index" in line]
    host.git(*shlex.split(command)[1:])

    assert code == 0
    assert host.example.commits["port"] in host.git("ls-files", "--stage", "--", at)
    assert f"pin      {host.example.commits['port']}" in host.dgpin("check").out


def test_the_command_names_the_path_from_the_top(world: World, tmp_path: Path) -> None:
    """Git's index knows a submodule by its path from the top, wherever the host begins."""
    top = _host(world.example, tmp_path / "repository", at=f"sub/{PLACE}")
    (top.host / "sub").mkdir()
    inner = World(example=world.example, host=top.host / "sub")
    text = f'[pin]\nrepo = "{world.example.url}"\ngitlink = "{PLACE}"\n[sites]\n"x?" = "<repo>"\n'
    (inner.host / "dgpin.toml").write_text(text)

    out = inner.dgpin("bump", "dev", *LOST).out

    assert f"160000,{world.example.commits['port']},sub/{PLACE}" in out


@pytest.mark.parametrize("command", ["check", "show", "bump"])
def test_an_unfinished_merge_of_two_pins_is_no_pin(pinned: World, command: str) -> None:
    """Both sides are named; neither they nor what they come from is taken for the pin."""
    for branch, commit in (("one", "new"), ("other", "port")):
        pinned.git("checkout", "-q", "-b", branch, "main")
        _record(pinned, commit)
        pinned.git("commit", "-q", "-m", branch)
    pinned.git("merge", "-q", "one")

    code, err, out = pinned.dgpin(command)

    ours, theirs = (pinned.example.commits[name] for name in ("port", "new"))
    assert (2, "") == (code, out)
    assert f"{PLACE}: unfinished merge between {ours} and {theirs}" in err


@pytest.mark.parametrize(("has_git", "verdict", "code"), [(True, "fail", 1), (False, "unknown", 0)])
def test_a_submodule_that_git_does_not_record_is_told(
    pinned: World, *, has_git: bool, verdict: str, code: int
) -> None:
    """Without git nobody can tell; with git, a pin that is not there is a finding."""
    if has_git:
        pinned.git("rm", "-q", "--cached", PLACE)
    else:
        shutil.rmtree(pinned.host / ".git")

    said = pinned.dgpin("check", "--json")
    bump = pinned.dgpin("bump", "dev")

    rows = [row for row in json.loads(said.out)["rows"] if row["rule"] == "site-missing"]
    assert (code, [verdict]) == (said.code, [row["verdict"] for row in rows])
    assert bump.code == 2
    assert f"git records no submodule at {PLACE}" in bump.err


def test_git_that_refuses_to_tell_is_no_missing_pin(
    pinned: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository that git does not trust, or cannot read, is said to be so."""
    monkeypatch.setenv("GIT_INDEX_FILE", str(pinned.host / ".git/config"))

    code, err, _ = pinned.dgpin("check")

    assert code == 3
    assert "index" in err


def test_a_hook_s_variables_do_not_move_the_host(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a linked work tree git tells its hooks where it is; a host below the top is below it."""
    top = _host(world.example, tmp_path / "repository", at=f"sub/{PLACE}")
    inner = World(example=world.example, host=top.host / "sub")
    inner.host.mkdir()
    text = f'[pin]\nrepo = "{world.example.url}"\ngitlink = "{PLACE}"\n[sites]\n"x?" = "<repo>"\n'
    (inner.host / "dgpin.toml").write_text(text)
    (inner.host / "note").write_text(f"at {world.example.commits['sm120']}\n")
    top.git("add", "sub/note")
    monkeypatch.setenv("GIT_DIR", str(top.host / ".git"))

    said = inner.dgpin("check")
    bump = inner.dgpin("bump", "dev", *LOST)

    assert f"pin      {world.example.commits['sm120']}" in said.out
    assert "note:1  commit: at" in bump.out


def test_build_takes_the_commit_that_git_states(pinned: World) -> None:
    """`dgpin build` without a REF is about the pin, and the pin is git's."""
    said = pinned.dgpin("build", "--preflight")

    # Whether this machine could compile it is another matter.
    assert 2 != said.code, said.err
    assert "g++" in said.out
