"""A bump says which fixes it loses: from the cache, from a history at hand, or that it cannot."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

import dgpin
from dgpin.source import offhand
from dgpin.source.git import open_mirror
from tests.example import Example
from tests.world import World, changed

SCHEMA = Path(dgpin.__file__).parent / "render/schemas/bump.json"
UPSTREAM = "https://github.com/deepseek-ai/DeepGEMM"
HEADER = "deep_gemm/include/deep_gemm/impls/sm90_tail.cuh"
TEXT = """\
#pragma once
__device__ void tail(const uint32_t batch_size, const uint32_t* lens, uint32_t* out) {
    const uint32_t q_idx = lens[threadIdx.x];
    out[threadIdx.x] = q_idx;
}
"""
CLAMPED = TEXT.replace("lens[threadIdx.x]", "min(lens[threadIdx.x], batch_size - 1)")


class Move(NamedTuple):
    """A host whose pin has a fix, and the commit without it."""

    world: World
    new: str


@pytest.fixture(name="made", scope="module")
def _made(
    example: Example, first: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Move, Path]:
    """Both commits stand on the example's `dev`; only the pinned one clamps."""
    root = tmp_path_factory.mktemp("made")
    shutil.copytree(first, root / "host", symlinks=True)
    world = World(example=example, host=root / "host")
    repository = world.repository(root.name)
    changed(repository, "dev", {HEADER: TEXT}, to="base")
    old = changed(repository, "base", {HEADER: CLAMPED}, to="clamped")
    new = changed(repository, "base", {HEADER: f"{TEXT}// Released\n"}, to="released")
    accepted = ("--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(root / "cache"))
        url = f"file://{repository}".removesuffix(".git")
        said = world.dgpin("bump", old, "--repo", url, *accepted)
        assert (0, "") == (said.code, said.err)
        world.git("commit", "-q", "-a", "-m", "Pin what clamps")
        world.configure(f'upstream = "{UPSTREAM}"', f'upstream = "{example.url}"')
        open_mirror(example.url, fetch=True)
    return Move(world, new), root


@pytest.fixture(name="move")
def _move(made: tuple[Move, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Move:
    """A host and a cache of the test's own."""
    move, root = made
    shutil.copytree(root, tmp_path / "own", symlinks=True)
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "own/cache"))
    return Move(replace(move.world, host=tmp_path / "own/host"), move.new)


def _bump(move: Move, *words: str) -> dict[str, Any]:
    said = move.world.dgpin("bump", move.new, "--dry-run", "--json", *words)
    assert (0, "") == (said.code, said.err)
    value: dict[str, Any] = json.loads(said.out)
    jsonschema.validate(value, json.loads(SCHEMA.read_text()))
    found: dict[str, Any] = value["carry"]
    return found


def _command(move: Move) -> tuple[str, ...]:
    """Return the command that the dry run names, without `dgpin`."""
    found = _bump(move)
    assert not found["compared"]
    return tuple(found["command"].split()[1:])


def test_history_that_is_not_at_hand(move: Move) -> None:
    """Nothing is fetched for it: one line says so, with the command that compares."""
    said = move.world.dgpin("bump", move.new, "--dry-run")

    (line,) = (line for line in said.out.splitlines() if "not compared" in line)
    assert 0 == said.code
    assert "are not in the mirror" in line
    assert f"`dgpin {' '.join(_command(move))}` does it" in line


def test_what_the_command_found_is_said(move: Move) -> None:
    """Once `dgpin carry` has compared the pair, the bump names the lost fix."""
    assert 1 == move.world.dgpin(*_command(move)).code

    found = _bump(move, "--offline")
    said = move.world.dgpin("bump", move.new, "--dry-run", "--offline").out

    assert [("Begin clamped", HEADER)] == [
        (fix["title"], fix["there"]["path"]) for fix in found["fixes"]
    ]
    assert "1 change that looks like a fix is lost" in said
    assert said.index("+++ b/") < said.index("1 change that looks like a fix is lost")


def test_what_was_found_is_kept(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is compared."""
    move.world.dgpin(*_command(move))
    monkeypatch.setattr(offhand, "LIMIT", -1.0)

    assert _bump(move)["compared"]


def test_a_history_at_hand_is_compared(move: Move) -> None:
    """A mirror that has all contents of another pair's history is enough."""
    name, old, _ = _command(move)
    move.world.dgpin(name, old, "dev")
    move.world.dgpin(name, move.new, "dev")

    assert [("Begin clamped",)] == [(fix["title"],) for fix in _bump(move)["fixes"]]


def test_a_comparison_that_takes_too_long(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bump does not wait for it."""
    name, old, _ = _command(move)
    move.world.dgpin(name, old, "dev")
    move.world.dgpin(name, move.new, "dev")
    monkeypatch.setattr(offhand, "LIMIT", 0.0)

    found = _bump(move)

    assert not found["compared"]
    assert "ran out of time" in found["why"]


def test_upstream_that_is_not_at_hand(move: Move) -> None:
    """Without upstream its own lines would count as lost, so nothing is said."""
    move.world.dgpin(*_command(move))
    url = "https://example.org/other/DeepGEMM"
    move.world.edit("dgpin.toml", f'upstream = "{move.world.example.url}"', f'upstream = "{url}"')

    found = _bump(move)

    assert not found["compared"]
    assert "there is no copy of https://example.org/other/DeepGEMM" in found["why"]


def test_an_accepted_loss(move: Move) -> None:
    """What `[carry]` accepts is named with its reason, and is no lost fix."""
    move.world.dgpin(*_command(move))
    loss = _bump(move)["fixes"][0]["id"]
    entry = f'{{ name = "{loss[:9]}", reason = "never empty here" }}'
    move.world.edit("dgpin.toml", "[sites]", f"[carry]\naccept = [{entry}]\n\n[sites]")

    found = _bump(move)

    assert ["never empty here"] == [fix["accepted"] for fix in found["fixes"]]
    assert "no change that looks like a fix is lost, 1 accepted" in found["verdict"]


def test_the_commit_s_message(move: Move) -> None:
    """The pull request's text has the table of what is lost."""
    move.world.dgpin(*_command(move))
    move.world.git("config", "user.name", "Ada")
    move.world.git("config", "user.email", "ada@example.org")

    assert 0 == move.world.dgpin("bump", move.new, "--commit").code

    message = move.world.git("log", "-1", "--format=%B")
    assert "### dgpin carry: 1 change that looks like a fix is lost" in message
    assert "Begin clamped" in message
