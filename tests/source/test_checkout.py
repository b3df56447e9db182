"""A commit's tree put together from its mirror and those of its submodules."""

from collections.abc import Iterable, Mapping

import pytest

from dgpin.source import address, checkout
from dgpin.source.address import Address
from dgpin.source.entries import Entry, Mode
from dgpin.source.gittree import NotFetchedError

TOP, SUB = "1" * 40, "2" * 40
MODULES = b'[submodule "s"]\n\tpath = third-party/s\n\turl = ../s\n'


class Objects:
    """A mirror with its blobs in a dictionary."""

    def __init__(self, url: str, files: Mapping[str, bytes | str]) -> None:
        self.address = address.parse(url)
        self.files = files
        self.brought: list[str] = []

    def listing(self, commit: str) -> Mapping[str, Entry]:
        return {
            path: Entry(Mode.SUBMODULE, what, path)
            if isinstance(what, str)
            else Entry(Mode.FILE, f"{commit[0]}:{path}", path)
            for path, what in self.files.items()
        }

    def blob(self, sha: str) -> bytes:
        found = self.files[sha[2:]]
        if found == b"absent":
            raise KeyError(sha)
        assert isinstance(found, bytes)
        return found

    def bring(self, blobs: Iterable[str]) -> None:
        self.brought = sorted(blobs)


def _top() -> Objects:
    return Objects(
        "https://example.org/top",
        {
            ".gitmodules": MODULES,
            "third-party/s": SUB,
            "csrc/a.hpp": b"a",
            "logo.png": b"absent",
        },
    )


def test_submodule_lies_under_its_path() -> None:
    """A submodule's files are those of the source, read at the recorded commit."""
    sub = Objects("https://example.org/s", {"include/s.h": b"s"})
    asked: list[tuple[Address, str]] = []

    def open_submodule(where: Address, commit: str) -> Objects:
        asked.append((where, commit))
        return sub

    tree = checkout.build(_top(), TOP, open_submodule=open_submodule)

    assert {".gitmodules", "csrc/a.hpp", "logo.png", "third-party/s/include/s.h"} == tree.paths()
    assert (b"a", b"s") == (tree.read("csrc/a.hpp"), tree.read("third-party/s/include/s.h"))
    assert {"third-party/s": SUB} == tree.gitlinks()
    assert [(address.parse("https://example.org/s"), SUB)] == asked


def test_submodule_that_is_not_at_hand() -> None:
    """A submodule without a mirror is recorded, and its files are not there."""
    tree = checkout.build(_top(), TOP, open_submodule=lambda *_: None)

    assert {"third-party/s": SUB} == tree.gitlinks()
    with pytest.raises(KeyError):
        tree.read("third-party/s/include/s.h")


def test_contents_that_were_not_fetched() -> None:
    """A file whose contents are not at hand is told apart from one that does not exist."""
    tree = checkout.build(_top(), TOP, open_submodule=lambda *_: None)

    with pytest.raises(NotFetchedError, match=r"logo\.png at 111111111111"):
        tree.read("logo.png")


def test_one_batch_of_what_is_wanted() -> None:
    """The contents that a fact can come from are brought at once, pictures are not."""
    top = _top()

    checkout.build(top, TOP, open_submodule=lambda *_: None)

    assert ["1:.gitmodules", "1:csrc/a.hpp"] == top.brought


def test_remote_submodule_names_no_local_path() -> None:
    """A submodule of a repository from the network cannot lie on this machine."""
    top = _top()
    top.files = {**top.files, ".gitmodules": MODULES.replace(b"../s", b"/etc")}

    with pytest.raises(address.AddressError, match="local path"):
        checkout.build(top, TOP, open_submodule=lambda *_: None)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("setup.py", True),
        ("csrc/python_api.cpp", True),
        ("deep_gemm/include/deep_gemm/impls/sm90_fp8_gemm.cuh", True),
        (".gitmodules", True),
        ("LICENSE", True),
        ("tests/test_core.py", True),
        ("figures/design.png", False),
        ("third-party/cutlass/include/cutlass/cutlass.h", True),
        ("third-party/cutlass/tools/util/include/cutlass/util/x.h", True),
        ("third-party/cutlass/test/unit/a.cu", False),
        ("third-party/cutlass/examples/00/a.cu", False),
        ("third-party/cutlass/media/a.md", False),
        ("third-party/fmt/include/fmt/core.h", True),
    ],
)
def test_wanted_by_default(path: str, wanted: bool) -> None:
    """Sources and build scripts are wanted; media, and a third party's tests, are not."""
    assert wanted == checkout.wanted_by_default(path)
