"""dgpin as a CI container runs it: another user, a home that cannot be written, no network."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dgpin import process
from tests.world import World, state

NOBODY = 65534
LOST = ("--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
# Everything is imported before the user changes, who may not read the interpreter's own files.
PROGRAM = """
import contextlib, io, json, os, shutil, sys

from dgpin.cli import app

out, host, cache, user, *rest = sys.argv[1:]
commands = json.loads(rest[0])


def run(words, host=host):
    said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
        code = app.main([words[0], "--host", host, *words[1:]])
    return [code, said[0].getvalue(), said[1].getvalue()]


warm = os.path.join(os.path.dirname(out), "warm")
shutil.copytree(host, warm, symlinks=True)
os.environ["DGPIN_CACHE_DIR"] = cache.replace(host, warm) or os.path.join(warm, "cache")
for words in commands:
    run(words, warm)
del os.environ["DGPIN_CACHE_DIR"]
if cache:
    os.environ["DGPIN_CACHE_DIR"] = cache
with open(out, "w") as file:
    if user:
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    json.dump([run(words) for words in commands], file)
"""


class Answer(NamedTuple):
    """How one command ended."""

    code: int
    out: str
    err: str


class Place(NamedTuple):
    """A work tree that the user owns, and a home that is not theirs to write."""

    root: Path
    host: Path
    home: Path

    def run(self, *commands: tuple[str, ...], cache: Path | None = None) -> list[Answer]:
        """Run commands, one after the other, without a network."""
        is_root = os.geteuid() == 0
        alone = ["unshare", "--net"] if is_root else ["unshare", "--map-root-user", "--net"]
        _own(self.host, is_root=is_root)
        done = process.run(
            [
                *(*alone, sys.executable, "-c", PROGRAM),
                *(str(self.root / "out.json"), str(self.host), str(cache or "")),
                *(str(NOBODY) if is_root else "", json.dumps(commands)),
            ],
            env={
                "HOME": str(self.home),
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": str(Path(__file__).parents[2]),
                "GIT_CONFIG_NOSYSTEM": "1",
            },
            timeout=120,
        ).check()
        assert b"Traceback" not in done.stderr
        return [Answer(*each) for each in json.loads((self.root / "out.json").read_text())]


def _own(tree: Path, *, is_root: bool) -> None:
    for directory, _, names in os.walk(tree):
        for name in (".", *names):
            if is_root:
                os.chown(Path(directory, name), NOBODY, NOBODY, follow_symlinks=False)


@pytest.fixture(name="place")
def _place(world: World) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="dgpin-") as made:
        root = Path(made)
        root.chmod(0o755)
        home = root / "home"
        home.mkdir()
        home.chmod(0o555)
        world.host.rename(root / "host")
        yield Place(root=root, host=root / "host", home=home)
        home.chmod(0o755)


def test_reading_commands(place: Place) -> None:
    """Without any cache they say what they can, and what is unknown; nothing is written."""
    before = state(place.host)

    check, show, verify, github = place.run(
        ("check",),
        ("show",),
        ("verify", "--skip", "build,smoke"),
        ("ci", "github"),
    )

    assert (0, 0, 3, 0) == (check.code, show.code, verify.code, github.code), verify
    assert "was not asked" in verify.out
    assert before == state(place.host)
    assert [] == list(place.home.iterdir())


def test_verify_and_bump(place: Place, cache: Path, world: World) -> None:
    """With a cache in the work tree a move is verified and made, and the home stays empty."""
    moved = World(example=world.example, host=place.host)
    assert 0 == moved.dgpin("bump", "dev", "--dry-run", *LOST).code
    own = place.host / ".cache"
    shutil.copytree(cache, own, symlinks=True)
    skipped = ("--skip", "lint,carry,build,smoke")

    verify, bump, check = place.run(
        ("verify", "dev", "--offline", *LOST, *skipped),
        ("bump", "dev", "--offline", *LOST),
        ("check",),
        cache=own,
    )

    assert (1, 0) == (verify.code, bump.code), (verify, bump)
    assert "the source needs GCC 13; the host declares 11.3" in verify.out
    assert 1 == check.code, "the floors are still to be raised by hand"
    assert (
        world.example.commits["port"]
        in (place.host / "cmake/external_projects/deepgemm.cmake").read_text()
    )
    assert [] == list(place.home.iterdir())
