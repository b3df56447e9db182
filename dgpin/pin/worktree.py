"""What git says of the host's own work tree, and the commit that a bump makes in it."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dgpin.errors import UnavailableError, UsageError
from dgpin.files.home import home
from dgpin.verdict import Place

if TYPE_CHECKING:
    from dgpin.process import Completed


class DirtyError(UsageError):
    """A site file has changes that are not committed."""

    hint = "Commit or stash them first, so that git can undo the bump; --dirty goes on without."

    def __init__(self, paths: Sequence[str]) -> None:
        verb = "has" if len(paths) == 1 else "have"
        super().__init__(f"{', '.join(paths)} {verb} uncommitted changes")


class NoGitHostError(UsageError):
    """The host is no git work tree, and the request needs one."""

    hint = "Run without --commit; the files can be committed by hand."

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root} is not in a git work tree, so there is nothing to commit to")


class NoIdentityError(UsageError):
    """Git does not know in whose name to commit."""

    hint = "Set user.name and user.email with `git config`, or run without --commit."

    def __init__(self) -> None:
        super().__init__("git does not know who commits here; nothing was written")


class UncommittedError(UnavailableError):
    """The sites are written, and git did not make the commit: a hook refused, say."""

    hint = "Mend what it says, then commit the sites yourself."

    def __init__(self, paths: Sequence[str], why: str) -> None:
        import shlex  # noqa: PLC0415 - start-up: only this message quotes

        named = shlex.join(paths)
        hint = f"Mend what it says, then: git commit --only -- {named}"
        if "during a merge" in why:
            hint = f"Finish the merge with them: git add -- {named}, then git commit."
        super().__init__(f"the sites are written, but git refused to commit them: {why}", hint=hint)


class SubmoduleConflictError(UsageError):
    """An unfinished merge left several commits for the submodule that is the pin."""

    def __init__(self, path: str, commits: Sequence[str]) -> None:
        super().__init__(
            f"{path}: unfinished merge between {' and '.join(commits)}; both sides move the pin",
            hint="Check out the commit that you want in the submodule, `git add` it, then run the "
            "same command again.",
        )


def is_git(root: Path) -> bool:
    """Return whether a directory lies in a git work tree; looks for `.git`, starts nothing.

    A copy of a linked work tree has a `.git` that leads nowhere, and is none.
    """
    return home(root).in_git


def from_top(root: Path, path: str) -> str:
    """Return a path of the host as git's index names it: from the top of the work tree."""
    return (root.resolve() / path).relative_to(home(root).top).as_posix()


def _git(root: Path, *words: str) -> "Completed":
    from dgpin import process  # noqa: PLC0415 - start-up: `check` seldom asks git

    # --no-optional-locks: a reading command must not write the host's index.
    argv: list[str | Path] = [
        "git",
        "--no-optional-locks",
        "--literal-pathspecs",
        "-C",
        root,
        *words,
    ]
    return process.run(argv, env=environment())


# By these a hook's git, in a linked work tree say, tells where it is; from another directory they
# would make that one the top. Its index stays: it holds what is about to be committed.
_OF_A_HOOK = {
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
}


def environment() -> dict[str, str]:
    """Return the variables of a git that is asked about the host, which it finds by itself."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    return {**kept, "LC_ALL": "C"}


def refuse_dirty(root: Path, paths: Iterable[str]) -> None:
    """Refuse site files with uncommitted changes; a host without git has none.

    Raises:
        DirtyError: there are some.
    """
    wanted = _real(root, paths)
    if not wanted or not is_git(root):
        return
    done = _git(root, "status", "--porcelain=v1", "-z", "--no-renames", "--", *wanted).check()
    if not done.stdout:
        return
    # Git names the files from the top of the work tree, which may lie above the host.
    top = _git(root, "rev-parse", "--show-prefix").text.strip()
    records = [(r[:2], r[3:].removeprefix(top)) for r in done.text.split("\0") if r]
    merging = any(state in _UNMERGED for state, _ in records)
    dirty = [
        path
        for state, path in records
        # What an unfinished merge has staged, and either side of a conflict, git can give back.
        if not (merging and (state[1] == " " or _is_a_side(root, path)))
    ]
    if dirty:
        raise DirtyError(sorted(dirty))


def _real(root: Path, paths: Iterable[str]) -> list[str]:
    return sorted({real(root, path) for path in paths})


def real(root: Path, path: str) -> str:
    """Return the file behind a path of the host: git does not look through a link."""
    return os.path.relpath(os.path.realpath(root / path), os.path.realpath(root))


_GITLINK = "160000"  # the mode under which git's index keeps a submodule
_UNMERGED = {"UU", "AA", "AU", "UA", "DU", "UD", "DD"}


def _is_a_side(root: Path, path: str) -> bool:
    """Return whether a file of an unfinished merge holds one side of it whole."""
    sides = _git(root, "ls-files", "--unmerged", "--", path).text.split("\n")
    blob = _git(root, "hash-object", "--", path).text.strip()
    return blob in {side.split()[1] for side in sides if side}


def gitlink(root: Path, path: str) -> tuple[str, Place] | None:
    """Return the commit that the host records for its submodule, and the submodule as a place.

    None where it records none there, or is no git work tree.

    Raises:
        SubmoduleConflictError: an unfinished merge left several.
        CommandError: git cannot tell.
    """
    if not is_git(root):
        return None
    listed = _git(root, "ls-files", "--stage", "-z", "--", path).check().text
    # MODE SHA STAGE, a tab, the path; a merge leaves its base (1) and its two sides (2, 3).
    fields = [record.split("\t")[0].split(" ") for record in listed.split("\0") if record]
    commits = {stage: sha for mode, sha, stage in fields if mode == _GITLINK}
    if commits.keys() - {"0"}:
        raise SubmoduleConflictError(path, [commits[s] for s in ("2", "3") if s in commits])
    return (commits["0"], Place(path)) if commits else None


def require_committer(root: Path) -> None:
    """Refuse a commit that git could not make, before anything is written for it.

    Raises:
        NoGitHostError: the host is no git work tree.
        NoIdentityError: git does not know who commits.
    """
    if not is_git(root):
        raise NoGitHostError(root)
    if any(_git(root, "var", f"GIT_{who}_IDENT").returncode for who in ("AUTHOR", "COMMITTER")):
        raise NoIdentityError


def commit(root: Path, paths: Sequence[str], message: str) -> str:
    """Commit the site files, and nothing else, and return the new commit's SHA.

    It is signed off where git's configuration asks for it (format.signOff).

    Raises:
        UncommittedError: git refused, for instance a hook of the host.
    """
    wants = _git(root, "config", "--type=bool", "--get", "format.signOff").text.strip() == "true"
    words = ["-s"] if wants else []
    files = _real(root, paths)
    done = _git(root, "commit", "-q", "-m", message, *words, "--only", "--", *files)
    if done.returncode != 0:
        raise UncommittedError(files, done.tail)
    return _git(root, "rev-parse", "HEAD").check().text.strip()
