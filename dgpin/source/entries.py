"""What git lists for a commit: files, links and submodules."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath

from dgpin.source.answer import AnswerError

MAX_LINKS = 40  # as Linux's own limit for one path
MAX_TARGET = 4096  # characters; PATH_MAX of Linux


class Mode(str, Enum):
    """The kinds of entry that git knows, by mode."""

    FILE = "100644"
    PROGRAM = "100755"
    LINK = "120000"
    SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `git ls-tree -r`."""

    mode: Mode
    sha: str
    path: str

    @property
    def is_file(self) -> bool:
        """Whether the entry has contents of its own."""
        return self.mode in {Mode.FILE, Mode.PROGRAM}


def parse(listing: bytes) -> Iterator[Entry]:
    """Yield the entries of `git ls-tree -r -z`; paths that are not UTF-8 keep their bytes as
    surrogates.

    Raises:
        AnswerError: it is no such listing.
    """
    for line in listing.split(b"\0"):
        head, tab, path = line.partition(b"\t")
        if not tab:
            continue
        words = head.decode("ascii", "replace").split()
        if len(words) != 3:  # noqa: PLR2004 - mode, kind and SHA
            raise AnswerError("a tree", line.decode(errors="replace"))
        mode, _kind, sha = words
        # 100664 stands in some old repositories and means 100644.
        known = Mode(mode) if mode in Mode._value2member_map_ else Mode.FILE
        yield Entry(known, sha, path.decode("utf-8", "surrogateescape"))


def follow(
    path: str, *, entries: Mapping[str, Entry], target: Callable[[Entry], str]
) -> Entry | None:
    """Return the entry of the file that a path means, through links inside the tree.

    None when there is no such file, or a link leads outside or in a circle. `target` reads a link.
    """
    if len(path) > MAX_TARGET:
        return None
    todo = list(reversed(PurePosixPath(path).parts))
    done: list[str] = []
    links = 0
    while todo:
        step = todo.pop()
        if step == "..":
            if not done:
                return None
            done.pop()
            continue
        if step == "/":
            return None
        done.append(step)
        entry = entries.get("/".join(done))
        if entry is None or entry.mode is not Mode.LINK:
            continue
        links += 1
        if links > MAX_LINKS:
            return None
        done.pop()
        place = target(entry)
        if len(place) > MAX_TARGET:
            return None
        todo.extend(reversed(PurePosixPath(place).parts))
    found = entries.get("/".join(done))
    return found if found is not None and found.is_file else None
