"""Which files of a host are read, and what is said of those that cannot be."""

import os
from pathlib import Path

import pytest

from dgpin.api.host import listing
from dgpin.api.host.scan import scan
from dgpin.api.lint import lint
from dgpin.api.uses import Scan, Skipped
from tests.api import surfaces

USE = "import deep_gemm\n"


def places(answer: Scan) -> list[str]:
    """Return where the API is used."""
    return [str(use.place) for use in answer.uses]


UNREADABLE = {
    "does not parse": (b"import deep_gemm\ndef f(:\n", "it does not parse"),
    "python 2": (b"import deep_gemm\nprint 'x'\n", "it does not parse"),
    "null bytes": (b"import deep_gemm\n\0\n", "it "),
    "unknown encoding": (b"# -*- coding: klingon -*-\nimport deep_gemm\n", "it "),
    "wrong encoding": (b"import deep_gemm\nx = '\xff\xfe'\n", "it "),
    "nested too deep": (b"import deep_gemm\nx = " + b"(" * 5000 + b")" * 5000, "it "),
}


@pytest.mark.parametrize(("data", "why"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_a_line(tmp_path: Path, data: bytes, why: str) -> None:
    """A file that mentions the API and cannot be parsed is named, and the others are read."""
    (tmp_path / "bad.py").write_bytes(data)
    (tmp_path / "good.py").write_text(USE)

    answer = scan(tmp_path)

    assert ["good.py:1"] == places(answer)
    (skipped,) = answer.skipped
    assert ("bad.py", True) == (skipped.path, skipped.reason.startswith(why))


def test_another_encoding(tmp_path: Path) -> None:
    """A file's own encoding is followed."""
    text = "# -*- coding: latin-1 -*-\nx = 'é'\nimport deep_gemm\n"
    (tmp_path / "a.py").write_bytes(text.encode("latin-1"))
    (tmp_path / "b.py").write_bytes(b"\xef\xbb\xbfimport deep_gemm\n")

    assert ["a.py:3", "b.py:1"] == places(scan(tmp_path))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_ends_where_python_ends_it(tmp_path: Path, end: str) -> None:
    """A form feed or U+2028 ends none, so the line that is shown is the one that is meant."""
    text = "x = '\u2028'\n\f\nimport deep_gemm  # this one\n".replace("\n", end)
    (tmp_path / "a.py").write_text(text, encoding="utf-8", newline="")

    (use,) = scan(tmp_path).uses

    assert ("a.py:3", "import deep_gemm  # this one") == (str(use.place), use.line)


def test_links(tmp_path: Path) -> None:
    """Links are not followed: their target is listed itself, or is not the host's."""
    (tmp_path / "a.py").write_text(USE)
    (tmp_path / "linked.py").symlink_to("a.py")
    (tmp_path / "outside").symlink_to("/")
    (tmp_path / "up").symlink_to(tmp_path)

    assert ["a.py:1"] == places(scan(tmp_path))


def test_a_circle_of_links_is_a_line(tmp_path: Path) -> None:
    """A link that leads to itself is named."""
    (tmp_path / "one.py").symlink_to("two.py")
    (tmp_path / "two.py").symlink_to("one.py")

    assert ["one.py", "two.py"] == [skipped.path for skipped in scan(tmp_path).skipped]


def test_a_huge_file_is_a_line(tmp_path: Path) -> None:
    """A file of 50 MB is named and not read."""
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(50_000_000)

    (skipped,) = scan(tmp_path).skipped

    assert Skipped(path="huge.py", reason="it is larger than 8 MiB") == skipped


def test_a_file_that_vanishes_is_a_line(tmp_path: Path) -> None:
    """A file that is gone when it is read is named; it does not make the answer incomplete."""
    answer = listing.read(tmp_path, "gone.py")

    assert isinstance(answer, Skipped)
    assert not answer.is_there


def test_a_pipe_is_a_line(tmp_path: Path) -> None:
    """What is no regular file is not opened."""
    os.mkfifo(tmp_path / "pipe.py")

    assert ["pipe.py"] == [skipped.path for skipped in scan(tmp_path).skipped]


def test_a_vendored_copy_is_not_the_host(tmp_path: Path) -> None:
    """The library's own files are not searched for uses."""
    copy = tmp_path / "host" / "third_party" / "deep_gemm"
    copy.mkdir(parents=True)
    (copy / "__init__.py").write_text("from . import _C\n")
    (copy / "testing.py").write_text(USE)
    whole = tmp_path / "deep_gemm"
    whole.mkdir()
    (whole / "__init__.py").write_text("from deep_gemm_cpp import *\n")
    (whole / "testing.py").write_text(USE)
    (tmp_path / "host" / "deep_gemm.py").write_text(USE)

    assert ["host/deep_gemm.py:1"] == places(scan(tmp_path))


def test_a_wrapper_where_others_keep_a_copy_is_the_host(tmp_path: Path) -> None:
    """Its names are the host's own, and what it takes from the library is followed."""
    wrapper = tmp_path / "host" / "third_party" / "deep_gemm"
    wrapper.mkdir(parents=True)
    for folder in (tmp_path / "host", wrapper.parent):
        (folder / "__init__.py").touch()
    (wrapper / "__init__.py").write_text("from deep_gemm import gemm\nENABLED = True\n")
    (tmp_path / "host" / "a.py").write_text(
        "from host.third_party import deep_gemm\n"
        "from host.third_party.deep_gemm import ENABLED, gemm\n"
        "deep_gemm.gemm(1)\ngemm(2)\nprint(deep_gemm.ENABLED)\n"
    )

    found = {(str(use.place), use.path) for use in scan(tmp_path).uses}

    assert found == {
        ("host/a.py:3", "deep_gemm.gemm"),
        ("host/a.py:4", "deep_gemm.gemm"),
        ("host/third_party/deep_gemm/__init__.py:1", "deep_gemm.gemm"),
    }


def test_nothing_of_the_host_runs(tmp_path: Path) -> None:
    """A host's file is read, not imported."""
    (tmp_path / "a.py").write_text('import deep_gemm\nopen("ran", "w")\nraise SystemExit(3)\n')

    scan(tmp_path)

    assert ["a.py"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """What is cached rests on contents."""
    file = tmp_path / "a.py"
    file.write_text(USE)
    before = places(scan(tmp_path))
    file.write_text("\n" + USE)

    assert (["a.py:1"], ["a.py:2"]) == (before, places(scan(tmp_path)))


def test_an_old_tree_is_not_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When no file has changed, none is opened."""
    file = tmp_path / "a.py"
    file.write_text(USE)
    monkeypatch.setattr("dgpin.stamp.RACE", -(10**12))
    before = scan(tmp_path)

    def refuse(*_args: object) -> None:
        pytest.fail("a file was read")

    monkeypatch.setattr("dgpin.api.host.scan.read", refuse)

    assert before == scan(tmp_path)


def test_a_damaged_cache_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry of another shape is made anew."""
    host, kept = tmp_path / "host", tmp_path / "cache"
    host.mkdir()
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(kept))
    (host / "a.py").write_text(USE)
    before = scan(host)
    for entry in kept.rglob("*.json"):
        entry.write_text('[1, {"a": []}]')

    assert before == scan(host)


def test_a_name_that_is_no_utf_8_is_judged(tmp_path: Path) -> None:
    """A finding in such a file has a fingerprint as any other."""
    (tmp_path / os.fsdecode(b"a\xff.py")).write_text("import deep_gemm\ndeep_gemm.gone()\n")

    (finding,) = lint(scan(tmp_path), surfaces.surface(surfaces.function("kept"))).findings

    assert ("broken-call", 16) == (finding.rule, len(finding.fingerprint))
