"""Sources in memory, for tests that start no program."""

from collections.abc import Mapping
from functools import cache

from tests.example.deepgemm import CUTLASS, DEEP_JIT, FMT, sources

_sources = cache(sources)
LINKS = {CUTLASS: "1" * 40, FMT: "2" * 40, DEEP_JIT: "3" * 40}


class DictTree:
    """A source out of a dictionary of texts."""

    def __init__(
        self, files: Mapping[str, str], *, gitlinks: Mapping[str, str] | None = None
    ) -> None:
        self.files = dict(files)
        self.links = dict(gitlinks or {})

    def paths(self) -> frozenset[str]:
        return frozenset(self.files)

    def read(self, path: str) -> bytes:
        return self.files[path].encode()

    def gitlinks(self) -> Mapping[str, str]:
        return self.links


def example_tree(
    name: str, *, without: tuple[str, ...] = (), changed: Mapping[str, str] | None = None
) -> DictTree:
    """Return the source of one of the example's commits, submodules checked out.

    `without` are directories to leave out, `changed` files to write anew.
    """
    files = _sources()[name] | dict(changed or {})
    links = {
        path: commit for path, commit in LINKS.items() if f"path = {path}\n" in files[".gitmodules"]
    }
    kept = {
        path: text
        for path, text in files.items()
        if not path.startswith(tuple(f"{directory}/" for directory in without))
    }
    return DictTree(kept, gitlinks=links)
