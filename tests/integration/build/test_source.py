"""The tree that is built: checkouts with their submodules, and sdists from an index."""

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dgpin import process
from dgpin.build import archive, job, obtain, source
from dgpin.build.obtain import SdistError
from dgpin.build.source import Source, SubmoduleError
from dgpin.errors import UsageError
from tests.build import small as smalls
from tests.build.world import write
from tests.example import Example, make_deepgemm

CUTLASS = "third-party/cutlass"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    """Return the small DeepGEMM's repositories."""
    return make_deepgemm(tmp_path_factory.mktemp("example"))


@pytest.fixture
def checkout(example: Example, tmp_path: Path) -> Path:
    """Return a clone with its submodules, as a user makes it."""
    root = tmp_path / "checkout"
    git(tmp_path, "clone", "-q", f"{example.url}.git", str(root))
    git(root, "submodule", "--quiet", "update", "--init")
    return root


def git(root: Path, *words: str) -> str:
    """Run git as somebody, local submodules allowed."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    allow = ("-c", "protocol.file.allow=always")
    return process.run(["git", "-C", root, *who, *allow, *words]).check().text.strip()


def read(root: Path) -> Source:
    """Return what a directory holds."""
    return source.read(root, job.read_recipe(root), label="here")


def test_checkout_is_recorded(checkout: Path, example: Example) -> None:
    """Commit and submodules of a clean checkout are those of its HEAD."""
    found = read(checkout)

    assert (example.commits["new"], False) == (found.commit, found.dirty)
    assert {(each.path, each.recorded) for each in found.submodules} == {
        (each.path, each.present) for each in found.submodules
    }
    source.refuse_moved(found, ())


def test_commit_checked_out_after_the_submodules_is_refused(
    checkout: Path, example: Example
) -> None:
    """Submodules that belong to another commit than HEAD are told with both commits."""
    git(checkout, "checkout", "-q", example.commits["old"])

    with pytest.raises(SubmoduleError) as caught:
        source.refuse_moved(read(checkout), ())

    fmt = example.submodules["third-party/fmt"][:7]
    assert f"third-party/fmt is empty, recorded is {fmt}" in caught.value.message
    assert "--allow-submodule third-party/fmt" in caught.value.hint


@pytest.mark.parametrize("name", [CUTLASS, "cutlass"])
def test_moved_submodule_is_allowed_by_name(checkout: Path, name: str) -> None:
    """A submodule at another commit is refused, and built as it is where it is named."""
    write(checkout / CUTLASS / "extra.h")
    git(checkout / CUTLASS, "add", "extra.h")
    git(checkout / CUTLASS, "commit", "-q", "-m", "More")
    found = read(checkout)

    with pytest.raises(SubmoduleError):
        source.refuse_moved(found, ())
    with pytest.raises(SubmoduleError):
        source.refuse_moved(found, ["third-party/deep_jit"])
    source.refuse_moved(found, [name])


def test_changed_file_of_a_submodule_is_told(checkout: Path) -> None:
    """A submodule with changes is not what is recorded, though its commit is."""
    header = next((checkout / CUTLASS).rglob("*.h"))
    write(header, "changed\n")

    (moved,) = [each for each in read(checkout).submodules if each.present != each.recorded]

    assert (CUTLASS, f"{moved.recorded}+") == (moved.path, moved.present)


def test_changed_file_is_told_and_changes_the_digest(checkout: Path) -> None:
    """A change that is not committed makes the source dirty and another one."""
    before = read(checkout)
    write(checkout / "csrc/apis/gemm.hpp", "changed\n")

    after = read(checkout)

    assert (False, True) == (before.dirty, after.dirty)
    assert before.digest != after.digest


def test_what_a_build_leaves_changes_nothing(checkout: Path) -> None:
    """Products in the source are not part of it."""
    before = read(checkout).digest
    for path in ("deep_gemm/_C.cpython-311-x86_64-linux-gnu.so", "deep_gemm/__pycache__/x.pyc"):
        write(checkout / path)

    assert before == read(checkout).digest


def test_changes_alone_are_told_as_changes(checkout: Path) -> None:
    """A submodule at its commit with changes is not told as another commit, and not to be moved."""
    header = next((checkout / CUTLASS).rglob("*.h"))
    write(header, "changed\n")

    with pytest.raises(SubmoduleError) as caught:
        source.refuse_moved(read(checkout), ())

    assert caught.value.message.endswith(" as recorded, with changes")
    assert caught.value.hint.startswith("Either commit or undo the changes")


def test_submodule_that_could_not_be_fetched_is_cured_otherwise(tmp_path: Path) -> None:
    """No git command helps in a tree that dgpin took out of a mirror."""
    smalls.write_source(tmp_path)
    gone = source.Submodule(path=CUTLASS, recorded="1" * 40, present="")
    recipe = job.read_recipe(tmp_path)
    exported = source.of_commit(tmp_path, recipe, label="x", commit="2" * 40, submodules=(gone,))

    with pytest.raises(SubmoduleError) as caught:
        source.refuse_moved(exported, ())

    assert "git" not in caught.value.hint


def test_link_out_of_the_source_is_part_of_what_is_compiled(checkout: Path, tmp_path: Path) -> None:
    """A compiler follows it, so what it leads to tells one source from another."""
    far = write(tmp_path / "far/far.hpp", "one\n")
    (checkout / "csrc/far").symlink_to(far.parent)
    before = read(checkout).digest
    write(far, "two\n")

    assert before != read(checkout).digest


def test_link_inside_the_source_is_followed(checkout: Path) -> None:
    """A directory may stand in two places; a circle of links has an end."""
    write(checkout / "deep_gemm/include/deep_gemm/own.cuh")
    (checkout / "csrc/kernels").symlink_to("../deep_gemm/include/deep_gemm")
    (checkout / "csrc/again").symlink_to(".")

    assert "csrc/kernels/own.cuh" in source.files(checkout, ["csrc"])


def test_only_what_is_built_at_the_top_is_left_out(checkout: Path) -> None:
    """`build` is a product beside setup.py, and a name like any other elsewhere."""
    write(checkout / "build/x.hpp")
    write(checkout / "csrc/build/x.hpp")
    write(checkout / "venv/pyvenv.cfg")
    write(checkout / "venv/lib/x.hpp")

    found = source.files(checkout, ["."])

    assert ["csrc/build/x.hpp"] == [path for path in found if path.endswith("/x.hpp")]


def test_link_out_of_the_source_is_not_followed(checkout: Path, tmp_path: Path) -> None:
    """A link that leads elsewhere brings no foreign file into the package."""
    secret = write(tmp_path / "secret.py", "password\n")
    (checkout / "deep_gemm/secret.py").symlink_to(secret)

    assert "deep_gemm/secret.py" not in source.files(checkout, ["deep_gemm"])


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word; an index is a file `index.json` in its directory."""

    def do_GET(self) -> None:
        """Serve the index for a directory."""
        if self.path.endswith("/"):
            self.path += "index.json"
        super().do_GET()

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """Serve a directory and give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[str]:
    """Return an index with an sdist of the small source, and members that lead elsewhere."""
    smalls.write_source(tmp_path / "tree")
    archive = tmp_path / "index/files/deep_gemm-2.8.2.tar.gz"
    archive.parent.mkdir(parents=True)
    with tarfile.open(archive, "w:gz") as made:
        made.add(tmp_path / "tree", arcname="deep_gemm-2.8.2")
        for name in ("deep_gemm-2.8.2/../../escaped.py", "/escaped.py"):
            made.addfile(tarfile.TarInfo(name), io.BytesIO())
        link = tarfile.TarInfo("deep_gemm-2.8.2/deep_gemm/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    files = [
        {"filename": "deep_gemm-2.8.2-py3-none-any.whl", "url": "x", "hashes": {}},
        {
            "filename": archive.name,
            "url": f"../../files/{archive.name}",
            "hashes": {"sha256": digest},
        },
    ]
    write(tmp_path / "index/simple/deep-gemm/index.json", json.dumps({"files": files}))
    with serving(tmp_path / "index") as address:
        yield f"{address}/simple"


def test_sdist_is_fetched_and_unpacked(index: str, tmp_path: Path) -> None:
    """An sdist becomes a source; nothing of it lands outside, links are left."""
    found = obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})

    assert "deep_gemm._C" == job.read_recipe(found.root).name
    assert not list(tmp_path.rglob("escaped.py"))
    assert not list(found.root.rglob("link.py"))


def test_sdist_is_fetched_once(index: str) -> None:
    """What is in the cache is not asked for again."""
    obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})

    found = obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": "http://127.0.0.1:9/simple"})

    assert (found.root / "setup.py").is_file()


def test_other_bytes_than_promised_are_refused(index: str, tmp_path: Path) -> None:
    """An archive whose SHA-256 is not the index's is not unpacked."""
    path = tmp_path / "index/files/deep_gemm-2.8.2.tar.gz"
    path.write_bytes(path.read_bytes() + b"\0")

    with pytest.raises(SdistError, match="not what the index promised"):
        obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})


def test_an_sdist_that_is_too_large_is_given_up(
    index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more of an sdist is read than an archive may have."""
    monkeypatch.setattr(archive, "LARGEST", 100)

    with pytest.raises(archive.BombError, match="more than 100 bytes are sent") as caught:
        obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})
    assert caught.value.hint


def test_an_index_that_is_too_large_is_given_up(
    index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the list of files have an end that is waited for."""
    monkeypatch.setattr(archive, "SMALL", 100)

    with pytest.raises(archive.BombError, match="more than 100 bytes are sent"):
        obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON",
        "[" * 100_000,
        "[]",
        '{"files": 1}',
        '{"files": [1]}',
        '{"files": [{"filename": 1}]}',
    ]
    + [
        json.dumps({"files": [{"filename": "deep_gemm-2.8.2.tar.gz", **rest}]})
        for rest in ({}, {"url": 1}, {"url": "a", "hashes": 1}, {"url": "http://[", "hashes": {}})
    ],
    ids=str,
)
def test_an_index_that_is_none_is_told(index: str, tmp_path: Path, answer: str) -> None:
    """Whatever an index says, it is a list of files or an error of dgpin's."""
    write(tmp_path / "index/simple/deep-gemm/index.json", answer)
    write(tmp_path / "index/simple/deep-gemm/a", "")

    with pytest.raises(SdistError):
        obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})


def test_what_the_index_answers_is_told(index: str) -> None:
    """An index that has no such package has answered."""
    with pytest.raises(SdistError, match="the index has no package of that name"):
        obtain.sdist("elsewhere==1", env={"PIP_INDEX_URL": index})


def test_spaces_around_the_version_mean_nothing(index: str) -> None:
    """A requirement may be written as pip allows it."""
    found = obtain.sdist(" deep_gemm == 2.8.2 ", env={"PIP_INDEX_URL": index})

    assert (found.root / "setup.py").is_file()


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "nonsense://127.0.0.1:9"])
def test_proxy_that_cannot_be_used_is_told(
    index: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that the environment names, and that there is no way to use, is no fault."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("HTTP_PROXY", proxy)

    with pytest.raises(SdistError, match=r"cannot be asked|does not answer"):
        obtain.sdist("deep_gemm==2.8.2", env={"PIP_INDEX_URL": index})


@pytest.mark.parametrize(
    ("requirement", "error"),
    [
        ("deep_gemm==9.9", SdistError),
        ("elsewhere==1", SdistError),
        ("deep_gemm", UsageError),
        ("deep_gemm==not a version", UsageError),
    ],
)
def test_what_the_index_has_not_is_told(
    index: str, requirement: str, error: type[Exception]
) -> None:
    """A version or a name that is not there, and a requirement without version, are errors."""
    with pytest.raises(error):
        obtain.sdist(requirement, env={"PIP_INDEX_URL": index})
