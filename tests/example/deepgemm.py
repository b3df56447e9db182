"""The small DeepGEMM: a history in which one of everything happens that a bump runs into."""

from dataclasses import dataclass
from pathlib import Path

from tests.example.repository import Commit, texts, write

CUTLASS = "third-party/cutlass"
FMT = "third-party/fmt"
DEEP_JIT = "third-party/deep_jit"
GONE_IN_2_8 = ("csrc/jit/compiler.hpp", "install.sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Where the repositories are, and the ids of the commits in them by name.

    `url` and `fork` are in the form that a host writes: `.git` belongs to the host's line.
    """

    directory: Path
    url: str
    fork: str
    commits: dict[str, str]
    submodules: dict[str, str]  # path → recorded commit


def make_deepgemm(directory: Path) -> Example:
    """Write the repository, its fork and its submodules below `directory`."""
    submodules = {
        path: write(
            directory / f"{path}.git",
            [Commit(name="tip", subject="Begin", files=texts(name), refs=["refs/heads/main"])],
        )["tip"]
        for path, name in ((CUTLASS, "cutlass"), (FMT, "fmt"), (DEEP_JIT, "deep_jit"))
    }
    upstream = history(submodules)
    commits = write(directory / "upstream" / "DeepGEMM.git", upstream)
    commits |= write(directory / "fork" / "DeepGEMM.git", [*upstream, forked(upstream)])
    return Example(
        directory=directory,
        url=f"file://{directory}/upstream/DeepGEMM",
        fork=f"file://{directory}/fork/DeepGEMM",
        commits=commits,
        submodules=submodules,
    )


def sources() -> dict[str, dict[str, str]]:
    """Return every commit's files by the commit's name, submodules' files included."""
    third_party = {
        path: {f"{path}/{file}": text for file, text in texts(name).items()}
        for path, name in ((CUTLASS, "cutlass"), (FMT, "fmt"), (DEEP_JIT, "deep_jit"))
    }
    return {
        commit.name: dict(commit.files)
        | {file: text for path in commit.submodules for file, text in third_party[path].items()}
        for commit in history({CUTLASS: "1" * 40, FMT: "2" * 40, DEEP_JIT: "3" * 40})
    }


def library() -> dict[str, str]:
    """Return a source of 2.8.0 whose binding is TORCH_LIBRARY; it is in no history."""
    base = sources()["new"] | _dotted(texts("deepgemm.library"))
    gone = "deep_gemm/locality_domain.py"
    return {path: text for path, text in base.items() if path != gone}


def history(submodules: dict[str, str]) -> list[Commit]:
    """Return the commits of upstream, in the order of their dates."""
    old = _dotted(texts("deepgemm"))
    new = {path: text for path, text in old.items() if path not in GONE_IN_2_8}
    new |= _dotted(texts("deepgemm.2.8.0"))
    sm120 = texts("deepgemm.sm120")
    version = "deep_gemm/__init__.py"
    first = old | {version: old[version].replace("'2.6.1'", "'2.5.0'")}
    before = {path: submodules[path] for path in (CUTLASS, FMT)}
    after = {path: submodules[path] for path in (CUTLASS, DEEP_JIT)}

    def line(text: str) -> dict[str, str]:
        return new | {"README.md": new["README.md"] + text}

    return [
        Commit(
            name="first",
            subject="Release 2.5.0",
            files=first,
            submodules=before,
            refs=["refs/tags/v2.5.0"],
        ),
        Commit(
            name="old",
            subject="Release 2.6.1",
            files=old,
            submodules=before,
            parents=["first"],
            refs=["refs/heads/public-release"],
            tags=["v2.6.1"],
        ),
        Commit(
            name="sm120",
            subject="Add kernels for SM120 (#5)",
            files=old | sm120,
            submodules=before,
            parents=["old"],
            refs=["refs/heads/nv_dev"],
        ),
        Commit(
            name="new",
            subject="Release 2.8.0: compile through deep_jit (#6)",
            files=new,
            submodules=after,
            parents=["old"],
            refs=["refs/heads/main"],
            tags=["v2.8.0"],
        ),
        Commit(
            name="port",
            subject="Port the kernels for SM120 to 2.8.0 (#8)",
            files=new | sm120,
            submodules=after,
            parents=["new"],
            refs=["refs/heads/dev"],
        ),
        Commit(
            name="pull",
            subject="Say what is tested",
            files=line("\nTested on SM90.\n"),
            submodules=after,
            parents=["new"],
            refs=["refs/pull/7/head"],
        ),
        Commit(
            name="stray",
            subject="Try something",
            files=line("\nNot for others.\n"),
            submodules=after,
            parents=["new"],
        ),
    ]


def forked(upstream: list[Commit]) -> Commit:
    """Return the commit that only the fork has."""
    port = next(commit for commit in upstream if commit.name == "port")
    return Commit(
        name="forked",
        subject="Name the fork",
        files=dict(port.files) | {"README.md": port.files["README.md"] + "\nA fork.\n"},
        submodules=port.submodules,
        parents=["port"],
        refs=["refs/heads/dev"],
    )


def _dotted(files: dict[str, str]) -> dict[str, str]:
    # Kept without its dot, so that git does not take the texts for submodules of this project.
    return {path.replace("gitmodules", ".gitmodules"): text for path, text in files.items()}
