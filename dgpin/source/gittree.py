"""The files of a source at a commit, read out of a mirror."""

from collections.abc import Callable, Mapping
from functools import cached_property

from dgpin.errors import UnavailableError
from dgpin.source import entries
from dgpin.source.entries import Entry, Mode


class NotFetchedError(UnavailableError):
    """The mirror knows a file but not what is in it."""

    hint = "Run the same command with network once; reading never fetches by itself."

    def __init__(self, path: str, commit: str) -> None:
        super().__init__(f"the contents of {path} at {commit[:12]} are not in the mirror")


class GitTree:
    """The files at a commit, with those of its submodules under their paths.

    `contents` returns a blob's bytes by SHA and raises KeyError when it is not there. Links are
    followed inside the repository that holds them, never out of it.
    """

    def __init__(
        self,
        commit: str,
        listing: Mapping[str, Entry],
        *,
        contents: Callable[[str], bytes],
        submodules: Mapping[str, "GitTree"],
    ) -> None:
        self.commit = commit
        self._entries = listing
        self._contents = contents
        self._submodules = submodules

    @cached_property
    def _paths(self) -> frozenset[str]:
        own = {path for path, entry in self._entries.items() if entry.is_file}
        own |= {
            path
            for path, entry in self._entries.items()
            if entry.mode is Mode.LINK and self._has_target(path)
        }
        for prefix, tree in self._submodules.items():
            own |= {f"{prefix}/{path}" for path in tree.paths()}
        return frozenset(own)

    def paths(self) -> frozenset[str]:
        """Return every file, those of the submodules at hand included."""
        return self._paths

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            KeyError: there is no such file.
            NotFetchedError: there is, but its contents were not fetched.
        """
        for prefix, tree in self._submodules.items():
            if path.startswith(f"{prefix}/"):
                return tree.read(path[len(prefix) + 1 :])
        entry = entries.follow(path, entries=self._entries, target=self._target)
        if entry is None:
            raise KeyError(path)
        return self._blob(entry)

    def gitlinks(self) -> Mapping[str, str]:
        """Return the path of each submodule and the commit recorded for it."""
        return {
            path: entry.sha for path, entry in self._entries.items() if entry.mode is Mode.SUBMODULE
        }

    def _target(self, entry: Entry) -> str:
        return self._blob(entry).decode("utf-8", "surrogateescape")

    def _has_target(self, path: str) -> bool:
        try:
            return entries.follow(path, entries=self._entries, target=self._target) is not None
        except NotFetchedError:
            return False

    def _blob(self, entry: Entry) -> bytes:
        try:
            return self._contents(entry.sha)
        except KeyError:
            raise NotFetchedError(entry.path, self.commit) from None
