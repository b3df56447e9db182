"""Git repositories out of texts, through one `git fast-import` each."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dgpin import process

TEXTS = Path(__file__).parent / "texts"
IDENTITY = "Example Author <author@example.com>"
START = 1_767_225_600  # 2026-01-01 00:00 UTC
DAY = 86_400

# The commits' ids must not depend on the git configuration of whoever runs this.
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_DEFAULT_HASH": "sha1",
    "LC_ALL": "C",
    "PATH": os.environ["PATH"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit to write: its whole tree, and the refs that point at it."""

    name: str
    subject: str
    files: Mapping[str, str]
    submodules: Mapping[str, str] = field(default_factory=dict)  # path → commit
    parents: Sequence[str] = ()
    refs: Sequence[str] = ()
    tags: Sequence[str] = ()  # annotated


def texts(name: str) -> dict[str, str]:
    """Return the files kept under `texts/NAME`, without the suffix that hides them from tools."""
    root = TEXTS / name
    return {
        path.relative_to(root).as_posix().removesuffix(".in"): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.in"))
    }


def write(directory: Path, commits: Sequence[Commit], *, bare: bool = True) -> dict[str, str]:
    """Create the repository and return each commit's id by its name."""
    directory.mkdir(parents=True)
    _git(directory, "init", "--quiet", "--initial-branch=main", *(["--bare"] if bare else []))
    config = directory / ("config" if bare else ".git/config")
    with config.open("a", encoding="utf-8") as file:
        # What GitHub serves: any commit by its id, and clones without blobs.
        file.write("[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n")
    git = directory if bare else directory / ".git"
    marks = git / "marks"
    stream = b"".join(_lines(commits))
    _git(directory, "fast-import", "--quiet", f"--export-marks={marks}", stdin=stream)
    written = dict(line.split() for line in marks.read_text().splitlines())
    marks.unlink()
    if not bare:
        _git(directory, "reset", "--quiet", "--hard")
    return {commit.name: written[f":{n}"] for n, commit in enumerate(commits, 1)}


def _lines(commits: Sequence[Commit]) -> list[bytes]:
    number = {commit.name: n for n, commit in enumerate(commits, 1)}
    out: list[bytes] = []
    for commit in commits:
        when = f"{IDENTITY} {START + number[commit.name] * DAY} +0000"
        # fast-import wants a ref for every commit; the one of a stray commit goes at the end.
        out.append(f"commit refs/example/{commit.name}\nmark :{number[commit.name]}\n".encode())
        out.append(f"author {when}\ncommitter {when}\n".encode())
        out.append(_data(commit.subject + "\n"))
        for verb, parent in zip(["from", *["merge"] * 9], commit.parents, strict=False):
            out.append(f"{verb} :{number[parent]}\n".encode())
        out.append(b"deleteall\n")
        for path, target in sorted(commit.submodules.items()):
            out.append(f"M 160000 {target} {path}\n".encode())
        for path, text in sorted(commit.files.items()):
            mode = "100755" if path.endswith(".sh") else "100644"
            out.append(f"M {mode} inline {path}\n".encode() + _data(text))
    for commit in commits:
        mark = number[commit.name]
        out.extend(f"reset {ref}\nfrom :{mark}\n\n".encode() for ref in commit.refs)
        for tag in commit.tags:
            when = f"{IDENTITY} {START + mark * DAY} +0000"
            out.append(f"tag {tag}\nfrom :{mark}\ntagger {when}\n".encode() + _data(f"{tag}\n"))
        out.append(f"reset refs/example/{commit.name}\nfrom {'0' * 40}\n\n".encode())
    return out


def _data(text: str) -> bytes:
    raw = text.encode()
    return b"data %d\n%s\n" % (len(raw), raw)


def _git(directory: Path, *words: str, stdin: bytes | None = None) -> None:
    process.run(["git", "-C", directory, *words], env=ENVIRONMENT, stdin=stdin).check()
