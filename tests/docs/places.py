"""Where a page's commands are typed: a clone, or a host that pins the example's DeepGEMM."""

import os
import re
import sys
from pathlib import Path

from dgpin import process
from tests.build import small
from tests.evidence import documents
from tests.example import make_deepgemm, make_host
from tests.example.repository import Commit, write
from tests.world import changed, git


def environment(home: Path) -> dict[str, str]:
    """Return what a new user's shell has: an empty home, dgpin on PATH, no network."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CUDA_HOME": str(home.parent / "small/cuda"),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        # A closed port: who needs a network is refused at once.
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "DGPIN_GITHUB_API": "http://127.0.0.1:9",
    }


# What the pages call by the names of the real repository stands in the example as well.
STAND_INS = {
    "8b1392b": "cde2c984",  # nv_dev before the move
    "ad1f1726": "kept",  # dev, with no name lost
    "/usr/local/cuda": "./cuda",  # two small toolkits
    "OLD": "nv_dev",
    "NEW": "dev",
    "REF": "kept",
}
# What the pages show for the example's own address and oldest pin.
UPSTREAM = "https://github.com/deepseek-ai/DeepGEMM"
OLD = "8b1392b1e05fe39ef53ae7d0c63d4d6e3a2b1c90"
_ALIAS = "deep_gemm/__init__.py"


class Workshop:
    """The example, written once; each page gets a host of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.example = make_deepgemm(root / "deepgemm")
        upstream = Path(self.example.url.removeprefix("file://") + ".git")
        old = git(upstream, "show", f"nv_dev:{_ALIAS}")
        new = git(upstream, "show", f"dev:{_ALIAS}")
        lost = "fp8_m_grouped_gemm_nt_masked = m_grouped_fp8_gemm_nt_masked"
        assert lost in old
        changed(upstream, "dev", {_ALIAS: f"{new}\n{lost}\n"}, to="kept")

    def host(self, directory: Path) -> Path:
        """Write the host, pinned to nv_dev."""
        return make_host(directory, self.example.url, self.example.commits["sm120"])


def stood_in(text: str) -> str:
    """Return a command with the names of the example in it."""
    for name, ours in STAND_INS.items():
        text = re.sub(rf"(?<!\w){name}(?!\w)", ours, text)
    return text


def plain(shop: Workshop, directory: Path) -> Path:
    """A host on its old pin."""
    return shop.host(directory)


def new_host(shop: Workshop, directory: Path) -> Path:
    """A host that no preset knows."""
    text = (
        f"dg_url={shop.example.url}.git\n"
        f"dg_rev={shop.example.commits['old']}\n"
        'git clone "$dg_url" && git -C DeepGEMM checkout "$dg_rev"\n'
    )
    begin = Commit(
        name="begin", subject="Begin", files={"scripts/deps.sh": text}, refs=["refs/heads/main"]
    )
    write(directory, [begin], bare=False)
    return directory


def moved(shop: Workshop, directory: Path) -> Path:
    """A host on a branch whose pin somebody moved."""
    host = shop.host(directory)
    git_ = ["git", "-C", str(host), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    process.run([*git_, "switch", "-qc", "move"]).check()
    for name in ("cmake/external_projects/deepgemm.cmake", "tools/install_deepgemm.sh"):
        text = (host / name).read_text()
        ids = shop.example.commits
        (host / name).write_text(text.replace(ids["sm120"], ids["port"]))
    process.run([*git_, "commit", "-qam", "Move the pin"]).check()
    return host


def interrupted(shop: Workshop, directory: Path) -> Path:
    """A host in which a bump died while it wrote its record."""
    host = shop.host(directory)
    state = host / ".git/dgpin"
    state.mkdir()
    (state / "lock").touch()
    (state / "intent").write_bytes(b"torn")
    return host


def evidence(shop: Workshop, directory: Path) -> Path:
    """A host beside which two machines have left what they found."""
    host = shop.host(directory)
    for arch in ("sm_90", "sm_100"):
        documents.write(
            host / f"evidence-{arch}.json", documents.smoke(arch, documents.check("gemm"))
        )
    return host


def compiling(_shop: Workshop, directory: Path) -> Path:
    """A host that pins a DeepGEMM so small that it compiles in a second, with a torch like it."""
    made = small.make(directory.parent / "small")
    sources = {
        path.relative_to(made.source).as_posix(): path.read_text()
        for path in made.source.rglob("*")
        if path.is_file()
    }
    tip = Commit(name="tip", subject="Begin", files=sources, refs=["refs/heads/main"])
    repository = directory.parent / "small.git"
    commit = write(repository, [tip])["tip"]
    host = make_host(directory, f"file://{str(repository).removesuffix('.git')}", commit)
    (host / ".venv").symlink_to(made.root / "venv")
    # In reach by the names that the page has for them, and as the one on PATH.
    (host / "cuda-13.0").symlink_to(made.toolkit)
    small.toolkit(host / "cuda-12.9", "12.9")
    return host
