"""Start-up, `check` and `bump` beside a typer program that does nothing, and beside a peer."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dgpin.pin import facts
from dgpin.pin.derive import derive
from dgpin.source.directory import DirTree
from tests.bench.measure import Case, Command
from tests.example import make_deepgemm
from tests.real import inputs

_BIN = Path(sys.executable).parent
_NOOP = """\
import typer
app = typer.Typer()
@app.command()
def main(name: str = "x") -> None:
    pass
app()
"""
_PIN_OF_0_30 = "e1f418c2a4f20818221f6b0e578b4c2f634d4c3f"


def cases(scratch: Path) -> Iterator[Case]:
    """Yield the cases, with what they need written below `scratch`."""
    cache = scratch / "cache"
    env = {"DGPIN_CACHE_DIR": str(cache)}
    (scratch / "noop.py").write_text(_NOOP)
    noop = Command(name="noop", argv=(sys.executable, "noop.py"), cwd=scratch)
    noop_help = replace(noop, argv=(*noop.argv, "--help"))
    host = inputs.host("0.30.0")
    _warm_facts(cache)
    check = Command(name="check", argv=(f"{_BIN}/dgpin", "check"), cwd=host, env=env, fine=(0, 1))
    show = replace(check, name="show", argv=(f"{_BIN}/dgpin", "show"))
    help_ = replace(check, name="help", argv=(f"{_BIN}/dgpin", "--help"))
    yield Case(title="`dgpin check` on vLLM 0.30.0, warm, against a no-op typer program",
               ours=check, theirs=noop, limit=1.5)  # fmt: skip
    yield Case(title="`dgpin show` on vLLM 0.30.0, warm, against a no-op typer program",
               ours=show, theirs=noop, limit=1.5)  # fmt: skip
    yield Case(title="`dgpin --help` against a no-op typer program's", ours=help_,
               theirs=noop_help, limit=1.5)  # fmt: skip
    yield _bump(scratch, env)


def _warm_facts(cache: Path) -> None:
    os.environ["DGPIN_CACHE_DIR"] = str(cache)
    facts.store(derive(DirTree(inputs.source("2.8.2")), commit=_PIN_OF_0_30))


def _bump(scratch: Path, env: dict[str, str]) -> Case:
    """A dry run on the same two files: dgpin resolves and judges, the peer replaces a text."""
    example = make_deepgemm(scratch / "example")
    old, new = example.commits["sm120"], example.commits["port"]
    host = scratch / "two-files"
    host.mkdir()
    (host / "pin.cmake").write_text(f'set(REPO "{example.url}.git")\nset(TAG "{old}")\n')
    (host / "pin.sh").write_text(f'REF="{old}"\n')
    (host / "dgpin.toml").write_text(
        '[pin]\n[sites]\n"pin.cmake" = [\'set(REPO "<repo>.git")\', \'set(TAG "<commit>")\']\n'
        '"pin.sh" = \'REF="<commit>"\'\n'
    )
    (host / ".bumpversion.toml").write_text(
        f'[tool.bumpversion]\ncurrent_version = "{old}"\nparse = "(?P<sha>[0-9a-f]{{40}})"\n'
        'serialize = ["{sha}"]\n'
        + "".join(
            f'[[tool.bumpversion.files]]\nfilename = "{n}"\n' for n in ("pin.cmake", "pin.sh")
        )
    )
    ours = (f"{_BIN}/dgpin", "bump", new, "--dry-run", "--offline")
    lost = "deep_gemm.fp8_m_grouped_gemm_nt_masked"
    warm = Command(name="warm", argv=(*ours[:-1], "--accept-loss", lost), cwd=host, env=env)
    subprocess.run(warm.argv, cwd=host, env={**os.environ, **env}, check=True, capture_output=True)
    peer = ("bump-my-version", "bump", "--dry-run", "--allow-dirty", "-vv", "--new-version", new)
    return Case(
        title="`dgpin bump --dry-run`, warm mirror, against bump-my-version on the same two files",
        ours=Command(name="bump", argv=(*ours, "--accept-loss", lost), cwd=host, env=env),
        theirs=Command(name="bump-my-version", argv=(f"{_BIN}/{peer[0]}", *peer[1:]), cwd=host),
        limit=1.0,
    )
