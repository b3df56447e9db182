"""What a user names as one side of a comparison: a directory, or a ref of a repository."""

from typing import TYPE_CHECKING

from dgpin.paths import expanded
from dgpin.source import sides
from dgpin.source.resolve import resolve
from dgpin.source.sides import Side

if TYPE_CHECKING:  # GitPython is loaded when the first ref is looked up
    from dgpin.source.git import Mirror

DEFAULT_BRANCHES = ("main", "master")
_PATHS = ("/", "./", "../", "~")  # with which no name of a ref begins


class Operands:
    """Finds sides; `repo` is the repository of refs."""

    def __init__(self, repo: str, *, fetch: bool) -> None:
        self._repo = repo
        self._fetch = fetch
        self._mirrors: dict[str, Mirror] = {}

    def side(self, text: str) -> Side:
        """Return the side that a text names. A directory wins over a branch of its name.

        Raises:
            UsageError: there is no such directory and no such ref.
            UnavailableError: the repository could not be reached.
        """
        if is_directory(text):
            return sides.of_directory(expanded(text))
        return self._at(self._repo, text)

    def tip(self, repo: str, branch: str | None) -> Side:
        """Return the tip of a repository's branch: the one named, else main, else master."""
        return tip(self.mirror(repo), branch)

    def _at(self, repo: str, ref: str) -> Side:
        return at(self.mirror(repo), ref)

    def mirror(self, repo: str) -> "Mirror":
        """Return the mirror of a repository, brought up to date the first time."""
        if repo not in self._mirrors:
            from dgpin.source.git import open_mirror  # noqa: PLC0415 - brings GitPython

            self._mirrors[repo] = open_mirror(repo, fetch=self._fetch)
        return self._mirrors[repo]


def is_directory(text: str) -> bool:
    """Tell whether a text means a directory, be it there or not, and no ref."""
    return text.startswith(_PATHS) or (text != "" and expanded(text).is_dir())


def tip(mirror: "Mirror", branch: str | None) -> Side:
    """Return the tip of a mirror's branch: the one named, else main, else master."""
    names = {ref.name for ref in mirror.refs()}
    found = (name for name in DEFAULT_BRANCHES if f"refs/heads/{name}" in names)
    return at(mirror, f"heads/{branch or next(found, DEFAULT_BRANCHES[0])}")


def at(mirror: "Mirror", ref: str) -> Side:
    """Return the side that a ref of a mirror means."""
    # What is compared is not what will be pinned: any commit that is there will do.
    found = resolve(ref, mirror=mirror, allow_unreachable=True)
    name = ref.removeprefix("heads/")
    short = found.commit[:12]
    label = name if found.commit.startswith(name) else f"{name} ({short})"
    return sides.of_commit(mirror, found.commit, label=f"{label} of {found.repository}")
