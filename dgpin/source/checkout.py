"""A commit's tree put together from its mirror and those of its submodules."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Protocol

from dgpin.source import address as addresses
from dgpin.source import modules
from dgpin.source.address import Address
from dgpin.source.entries import Entry, Mode
from dgpin.source.gittree import GitTree

MAX_NESTING = 3  # submodules of submodules; DeepGEMM's have none
Wanted = Callable[[str], bool]

_SOURCE = re.compile(
    r".*\.(?:h|hh|hpp|cuh|inl|c|cc|cpp|cxx|cu|py|pyi|sh|toml|cfg|cmake|txt|md|in)"
    r"|(?:.*/)?[^./]+|(?:.*/)?\.git\w+"
)
_ASIDE = frozenset({"benchmarks", "doc", "docs", "examples", "media", "python", "test", "tests"})


class Objects(Protocol):
    """What a mirror gives: listings and contents."""

    address: Address

    def listing(self, commit: str) -> Mapping[str, Entry]:
        """Return the entries of a commit by path."""
        ...

    def blob(self, sha: str) -> bytes:
        """Return a blob's bytes, or raise KeyError."""
        ...

    def bring(self, blobs: Iterable[str]) -> None:
        """Fetch those contents that are missing, where fetching is allowed."""
        ...


# Returns the store of a submodule, or None when it does not hold the recorded commit.
OpenSubmodule = Callable[[Address, str], Objects | None]


def wanted_by_default(path: str) -> bool:
    """Tell whether a file can matter to a fact: source, build script or text, no media.

    In a third-party tree, its own tests, examples and documents do not.
    """
    steps = PurePosixPath(path).parts
    if steps[0] in {"third-party", "third_party", "3rdparty"} and not _ASIDE.isdisjoint(steps[2:3]):
        return False
    return _SOURCE.fullmatch(path) is not None


def build(
    objects: Objects,
    commit: str,
    *,
    open_submodule: OpenSubmodule,
    wanted: Wanted = wanted_by_default,
    prefix: str = "",
    depth: int = 0,
) -> GitTree:
    """Return the files at a commit, the contents that are `wanted` brought first, in one batch."""
    listing = objects.listing(commit)
    objects.bring(
        entry.sha
        for entry in listing.values()
        if entry.mode is Mode.LINK or (entry.is_file and wanted(prefix + entry.path))
    )
    submodules = {}
    if depth < MAX_NESTING:
        for path, address, recorded in _submodules(objects, listing):
            store = open_submodule(address, recorded)
            if store is not None:
                submodules[path] = build(
                    store,
                    recorded,
                    open_submodule=open_submodule,
                    wanted=wanted,
                    prefix=f"{prefix}{path}/",
                    depth=depth + 1,
                )
    return GitTree(commit, listing, contents=objects.blob, submodules=submodules)


def _submodules(
    objects: Objects, listing: Mapping[str, Entry]
) -> Iterator[tuple[str, Address, str]]:
    recorded = listing.get(".gitmodules")
    links = {path: entry.sha for path, entry in listing.items() if entry.mode is Mode.SUBMODULE}
    if recorded is None or not links:
        return
    try:
        urls = modules.urls(objects.blob(recorded.sha).decode(errors="replace"))
    except KeyError:
        return
    for path, commit in links.items():
        if path in urls:
            parent = objects.address
            yield path, addresses.parse(urls[path], relative_to=parent, local=parent.local), commit
