"""Start-up, completion, `check`, `show` and `bump` beside a typer program and beside a peer."""

import os
import sys
from collections.abc import Mapping
from functools import cached_property
from itertools import cycle
from pathlib import Path

from dgpin.pin import facts
from dgpin.pin.derive import derive
from dgpin.source.directory import DirTree
from tests.bench.measure import ROUNDS, Row, absolute, compared, run
from tests.example import make_deepgemm
from tests.real import inputs

_BIN = Path(sys.executable).parent
_NOOP = """\
import typer
app = typer.Typer()
@app.command()
def main(name: str = typer.Argument("x", autocompletion=lambda: ["port", "probe"])) -> None:
    pass
app()
"""
_PIN_OF_0_30 = "e1f418c2a4f20818221f6b0e578b4c2f634d4c3f"
_LOST = "deep_gemm.fp8_m_grouped_gemm_nt_masked"
_LOST_ON_THE_WAY_BACK = ("deep_gemm.is_localized", "deep_gemm.locality_domain")
_FACTS = """
import sys
from pathlib import Path
from dgpin.pin.derive import derive
from dgpin.source.directory import DirTree
for path in sys.argv[1:]:
    assert derive(DirTree(Path(path)), commit="0" * 40)
"""


class World:
    """The hosts, the mirror and the program that does nothing."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.env = {"DGPIN_CACHE_DIR": str(scratch / "cache")}

    @cached_property
    def noop(self) -> tuple[str, str]:
        """A typer program that does nothing."""
        (self.scratch / "noop.py").write_text(_NOOP)
        return sys.executable, str(self.scratch / "noop.py")

    @cached_property
    def vllm(self) -> Path:
        """The real host, whose pin's facts are in the cache."""
        os.environ.update(self.env)
        facts.store(derive(DirTree(inputs.source("2.8.2")), commit=_PIN_OF_0_30))
        return inputs.host("0.30.0")

    @cached_property
    def small(self) -> tuple[Path, tuple[str, str]]:
        """A host of two files that both tools know, its mirror warm, and two commits."""
        example = make_deepgemm(self.scratch / "example")
        old, new = example.commits["sm120"], example.commits["port"]
        host = self.scratch / "two-files"
        host.mkdir()
        (host / "pin.cmake").write_text(f'set(REPO "{example.url}.git")\nset(TAG "{old}")\n')
        (host / "pin.sh").write_text(f'REF="{old}"\n')
        (host / "dgpin.toml").write_text(
            '[pin]\n[sites]\n"pin.cmake" = [\'set(REPO "<repo>.git")\', \'set(TAG "<commit>")\']\n'
            '"pin.sh" = \'REF="<commit>"\'\n'
        )
        files = "".join(
            f'[[tool.bumpversion.files]]\nfilename = "{name}"\n' for name in ("pin.cmake", "pin.sh")
        )
        (host / ".bumpversion.toml").write_text(
            f'[tool.bumpversion]\ncurrent_version = "{old}"\n'
            f'parse = "(?P<sha>[0-9a-f]{{40}})"\nserialize = ["{{sha}}"]\n{files}'
        )
        words = ("bump", new, "--dry-run", "--accept-loss", _LOST)
        run(_BIN / "dgpin", *words, cwd=host, env=self.env)
        return host, (old, new)

    def dgpin(self, *words: str, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        """Run dgpin."""
        run(_BIN / "dgpin", *words, cwd=cwd, env={**self.env, **(env or {})}, fine=(0, 1))

    def peer(self, *words: str, cwd: Path) -> None:
        """Run bump-my-version."""
        run(_BIN / "bump-my-version", *words, cwd=cwd)


def start_help(world: World, rounds: int) -> Row:
    """`dgpin --help`."""
    return compared(
        "`dgpin --help`, against a no-op typer program's",
        lambda: world.dgpin("--help", cwd=world.scratch),
        lambda: run(*world.noop, "--help"),
        rounds=rounds,
        at_most=1.5,
    )


def start_completion(world: World, rounds: int) -> Row:
    """Completion of a ref from the mirror."""
    host, _ = world.small
    ours = {
        "_DGPIN_COMPLETE": "complete_bash",
        "COMP_WORDS": "dgpin bump ",
        "COMP_CWORD": "2",
    }
    theirs = {
        "_NOOP.PY_COMPLETE": "complete_bash",
        "COMP_WORDS": "noop.py ",
        "COMP_CWORD": "1",
    }
    return compared(
        "completing a ref from the mirror, against a no-op typer program's completion",
        lambda: world.dgpin(cwd=host, env=ours),
        lambda: run(*world.noop, env=theirs),
        rounds=rounds,
        at_most=1.5,
    )


def start_check(world: World, rounds: int) -> Row:
    """`dgpin check`."""
    return compared(
        "`dgpin check` on vLLM 0.30.0, warm, against a no-op typer program",
        lambda: world.dgpin("check", cwd=world.vllm),
        lambda: run(*world.noop),
        rounds=rounds,
        at_most=1.5,
    )


def start_show(world: World, rounds: int) -> Row:
    """`dgpin show`."""
    return compared(
        "`dgpin show` on vLLM 0.30.0, warm, against a no-op typer program",
        lambda: world.dgpin("show", cwd=world.vllm),
        lambda: run(*world.noop),
        rounds=rounds,
        at_most=1.5,
    )


def start_check_peer(world: World, rounds: int) -> Row:
    """`dgpin check` beside the cheapest command of a peer that reads its sites."""
    host, (_, new) = world.small
    return compared(
        "`dgpin check` on vLLM 0.30.0, warm, against bump-my-version's dry run on two files",
        lambda: world.dgpin("check", cwd=world.vllm),
        lambda: world.peer("bump", "--dry-run", "--new-version", new, "--allow-dirty", cwd=host),
        rounds=rounds,
    )


def bump_dry_run(world: World, rounds: int) -> Row:
    """A dry run on the same files: dgpin resolves and judges, the peer replaces a text."""
    host, (_, new) = world.small
    words = ("bump", "--dry-run", "--allow-dirty", "-vv", "--new-version", new)
    return compared(
        "`dgpin bump --dry-run`, warm mirror, against bump-my-version on the same two files",
        lambda: world.dgpin(
            "bump", new, "--dry-run", "--offline", "--accept-loss", _LOST, cwd=host
        ),
        lambda: world.peer(*words, cwd=host),
        rounds=rounds,
        at_most=1.0,
    )


def bump(world: World, rounds: int) -> Row:
    """A bump that writes, there and back again; each tool moves what it finds."""
    host, (old, new) = world.small
    back = [word for name in _LOST_ON_THE_WAY_BACK for word in ("--accept-loss", name)]
    ours = cycle([(new, "--accept-loss", _LOST), (old, *back)])
    theirs = cycle((new, old))
    place = world.scratch / "peer"
    place.mkdir()
    for name in ("pin.cmake", "pin.sh", ".bumpversion.toml"):
        (place / name).write_bytes((host / name).read_bytes())
    world.dgpin("bump", *next(ours), "--offline", cwd=host)
    world.dgpin("bump", *next(ours), "--offline", cwd=host)
    return compared(
        "`dgpin bump`, warm mirror, judged and synced, against bump-my-version, neither",
        lambda: world.dgpin("bump", *next(ours), "--offline", cwd=host),
        lambda: world.peer("bump", "--allow-dirty", "--new-version", next(theirs), cwd=place),
        rounds=rounds | 1,  # with the first, uncounted one it ends where it began
    )


def two_facts(world: World, rounds: int) -> Row:
    """The facts of two sources, nothing kept."""
    del world
    source = str(inputs.source("2.8.2"))
    return absolute(
        "facts of two sources (2.8.2, twice), nothing kept",
        lambda: run(sys.executable, "-c", _FACTS, source, source),
        rounds=min(rounds, ROUNDS),
    )


ROWS = {
    "start-help": start_help,
    "start-completion": start_completion,
    "start-check": start_check,
    "start-check-peer": start_check_peer,
    "start-show": start_show,
    "bump-dry-run": bump_dry_run,
    "bump": bump,
    "facts": two_facts,
}
