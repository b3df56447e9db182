"""The place where lock and journal of a host lie.

A module of its own, and a small one: every reading command looks there when it starts.
"""

from pathlib import Path
from typing import NamedTuple


class Home(NamedTuple):
    """Where lock and journal of a host lie.

    `top` is the root of the git work tree, so that two hosts in one repository share a lock, or
    the host itself outside git.
    """

    top: Path
    state: Path

    @property
    def in_git(self) -> bool:
        """Whether the host is part of a git work tree."""
        return self.state.parent != self.top

    @property
    def lock(self) -> Path:
        """The file that a writing dgpin holds a lock on."""
        return self.state / "lock"

    @property
    def intent(self) -> Path:
        """The record before its work is decided: what is named in it has not been touched."""
        return self.state / "intent"

    @property
    def journal(self) -> Path:
        """The record once its work is decided: it will be done, now or by the next run."""
        return self.state / "journal"


def home(root: Path) -> Home:
    """Return the home of a host's lock and journal, whether it exists or not."""
    root = root.resolve()
    for top in (root, *root.parents):
        git = _git_directory(top / ".git")
        if git is not None:
            return Home(top=top, state=git / "dgpin")
    return Home(top=root, state=root / ".dgpin")


def _git_directory(path: Path) -> Path | None:
    try:
        # The .git of a linked work tree or a submodule is a file that names the directory.
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except IsADirectoryError:
        found = path
    except OSError:
        return None
    else:
        word, _, name = text.partition(":")
        if word != "gitdir":
            return None
        found = path.parent / name.strip()
    # Copies of work trees carry .git files that lead nowhere; git tells by HEAD as well.
    return found.resolve() if (found / "HEAD").exists() else None


def is_quiet(root: Path) -> bool:
    """Whether nothing is written in a host now, and nothing was interrupted: one look, no lock."""
    place = home(root)
    return not (place.journal.exists() or place.intent.exists())
