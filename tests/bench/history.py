"""`dgpin carry` on DeepGEMM's history where there is a clone of it, else on a made one."""

import os
import sys
from functools import cached_property
from pathlib import Path

from tests.bench.measure import ROUNDS, Row, absolute, run
from tests.example.repository import Commit, write
from tests.real import inputs

_NV_DEV = "a6b593d2826719dcf4892609af7b84ee23aaf32a"
_UPSTREAM = "54e22612409371d6364144b69086735beb54e98b"  # main, 2.6.1
_COMMITS = 400  # of the made history, as many as the real one has
_HEAD = "#pragma once\n\nvoid kernel(const int n) {\n"


class World:
    """Whose history it is, and the words that ask for it."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.env = {"DGPIN_CACHE_DIR": str(scratch / "carry-cache")}

    @cached_property
    def asked(self) -> tuple[str, tuple[str, ...]]:
        """What is compared, in words and as arguments."""
        clone = os.environ.get("DGPIN_DEEPGEMM_REPO")
        if clone:
            words = (_NV_DEV, str(inputs.source("2.8.2")), "--repo", clone, "--upstream", _UPSTREAM)
            return "nv_dev to 2.8.2, the real history", words
        repository = self.scratch / "history"
        ids = made(repository, commits=_COMMITS)
        words = (ids["fork"], ids["release"], "--repo", str(repository), "--upstream", ids["base"])
        return f"a made history of {_COMMITS} commits", words


def made(directory: Path, *, commits: int) -> dict[str, str]:
    """Write a history in which a fork has one commit in four, and a release squashed the rest."""
    every: list[Commit] = []
    text = {f"include/part{i}.cuh": _HEAD for i in range(20)}
    parent: tuple[str, ...] = ()
    for i in range(commits):
        path = f"include/part{i % 20}.cuh"
        text = {**text, path: f"{text[path]}    step_{i}(min(n, {i}));\n"}
        name = "base" if i == commits * 3 // 4 else "fork" if i == commits - 1 else f"c{i}"
        subject = f"Guard step {i}" if i % 9 == 0 else f"Add step {i}"
        refs = ("refs/heads/main",) if name == "base" else ()
        refs = ("refs/heads/fork",) if name == "fork" else refs
        every.append(Commit(name=name, subject=subject, files=text, parents=parent, refs=refs))
        parent = (name,)
    kept = {
        path: "".join(line for line in body.splitlines(keepends=True) if "7(" not in line)
        for path, body in text.items()
    }
    release = Commit(name="release", subject="Release", files=kept, refs=("refs/heads/release",))
    return write(directory, [*every, release])


def carry(world: World, rounds: int) -> Row:
    """`dgpin carry`, with the mirror at hand and its findings not."""
    title, words = world.asked
    return absolute(
        f"`dgpin carry`, {title}, mirror at hand",
        lambda: _carry(world, *words, forget=True),
        rounds=min(rounds, ROUNDS),
        seconds=3,
    )


def again(world: World, rounds: int) -> Row:
    """The same again."""
    title, words = world.asked
    return absolute(
        f"`dgpin carry`, {title}, again",
        lambda: _carry(world, *words),
        rounds=min(rounds, ROUNDS),
        seconds=3,
    )


def _carry(world: World, *words: str, forget: bool = False) -> None:
    if forget:
        for kept in Path(world.env["DGPIN_CACHE_DIR"], "carry").glob("*"):
            kept.unlink()
    run(Path(sys.executable).with_name("dgpin"), "carry", *words, env=world.env, fine=(0, 1))


ROWS = {"carry": carry, "carry-again": again}
