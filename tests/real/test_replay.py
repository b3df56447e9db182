"""Moves of the pin that vLLM made by hand, made again by `dgpin bump` in the real trees.

The commits themselves are in no package index, so the repositories are made here: the old side is
written to what the old pin told (`tests.real.written`), the new side of 0.30 is the real source of
2.8.2, taken back to the state of 0.30's pin where 2.8.2 went further.
"""

import difflib
import io
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from dgpin.cli import app
from tests.example.repository import Commit, texts, write
from tests.gitrepo import Repo
from tests.real import inputs, written
from tests.real.written import CUTLASS, DEEP_JIT, FMT

CMAKE = "cmake/external_projects/deepgemm.cmake"
INSTALL = "tools/install_deepgemm.sh"
DRIVER = "tools/build_deepgemm_C.py"
IMAGE = "docker/Dockerfile"
SITES = (CMAKE, INSTALL, DRIVER, IMAGE)
WATCHED = (
    "CMakeLists.txt",
    "setup.py",
    "docs/getting_started/installation/gpu.cuda.inc.md",
    "vllm/platforms/cuda.py",
)
UPSTREAM = "https://github.com/deepseek-ai/DeepGEMM"
FORK = "https://github.com/vllm-project/DeepGEMM"
# What each release pins: the repository, and the commit.
PINS = {
    "0.25": (UPSTREAM, "a6b593d2826719dcf4892609af7b84ee23aaf32a"),
    "0.27": (FORK, "e21c821f39a2056d68067a466c64ddc942200106"),
    "0.29": (UPSTREAM, "8b1392b978f5a03c828dd1711090d7fb50958b8a"),
    "0.30": (FORK, "e1f418c2a4f20818221f6b0e578b4c2f634d4c3f"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repositories:
    """The two repositories that vLLM moved between, and their commits by the release's name."""

    upstream: str
    fork: str
    commits: Mapping[str, str]

    def url(self, release: str) -> str:
        """Return the repository that stands for the one that a release pins."""
        return self.upstream if PINS[release][0] == UPSTREAM else self.fork

    def text(self, release: str, path: str) -> str:
        """Return a file of a release as it is, but for our repository and commit."""
        text = (inputs.host(f"{release}.0") / path).read_text(encoding="utf-8")
        repo, commit = PINS[release]
        if path in (CMAKE, INSTALL):
            text = text.replace(f'"{repo}.git"', f'"{self.url(release)}.git"')
        return text.replace(commit, self.commits[release])


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Repositories:
    root = tmp_path_factory.mktemp("repositories")
    links = _submodules(root)
    old = {path: links[path] for path in (CUTLASS, FMT)}
    begin = written.commit("0.25", written.files("2.5.0"), old, branch="nv_dev")
    middle = written.commit("0.27", written.files("2.6.0"), old, parents=("0.25",), branch="public")
    last = written.commit("0.29", written.files("2.6.1"), old, parents=("0.25",), branch="nv_dev")
    new = written.commit(
        "0.30",
        _state_of_0_30(),
        {path: links[path] for path in (CUTLASS, DEEP_JIT)},
        parents=("0.29",),
        branch="dev",
    )
    commits = write(root / "upstream" / "DeepGEMM.git", [begin, last])
    commits |= write(root / "fork" / "DeepGEMM.git", [begin, last, middle, new])
    return Repositories(
        upstream=f"file://{root}/upstream/DeepGEMM",
        fork=f"file://{root}/fork/DeepGEMM",
        commits=commits,
    )


def _submodules(root: Path) -> dict[str, str]:
    """Write the submodules' repositories; deep_jit and CUTLASS hold the real headers of 2.8.2."""
    real = inputs.source("2.8.2")
    contents = {
        CUTLASS: _texts(real / CUTLASS),
        FMT: texts("fmt"),
        DEEP_JIT: _texts(real / DEEP_JIT),
    }
    return {
        path: write(
            root / f"{path}.git",
            [Commit(name="tip", subject="Begin", files=files, refs=["refs/heads/main"])],
        )["tip"]
        for path, files in contents.items()
    }


def _texts(root: Path, *, keep: Callable[[str], bool] = lambda _path: True) -> dict[str, str]:
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in {".h", ".hpp", ".cuh", ".inl", ".cpp", ".cu", ".py", ".md"} and keep(
            name
        ):
            found[name] = path.read_text(encoding="utf-8")
    return found


def _state_of_0_30() -> dict[str, str]:
    """Return the real 2.8.2 as 0.30's pin had it.

    2.8.2 has a module and a subpackage that came after 2.8.0 (`locality_domain`, `jit_hooks`). The
    fork's branch had a port for SM120 that upstream never had.
    """
    real = inputs.source("2.8.2")
    files = _texts(real, keep=lambda path: not path.startswith(("third-party/", "tests/")))
    files = {
        path: text
        for path, text in files.items()
        if path != "deep_gemm/locality_domain.py" and not path.startswith("deep_gemm/jit_hooks/")
    }
    initial = files["deep_gemm/__init__.py"].replace("'2.8.2'", "'2.8.0'")
    initial = re.sub(r"from \. import locality_domain\n", "", initial)
    files["deep_gemm/__init__.py"] = re.sub(
        r"from \.locality_domain import \([^)]*\)\n", "", initial
    )
    modules = f'[submodule "{CUTLASS}"]\n\tpath = {CUTLASS}\n\turl = ../../{CUTLASS}.git\n'
    modules += f'[submodule "{DEEP_JIT}"]\n\tpath = {DEEP_JIT}\n\turl = ../../{DEEP_JIT}.git\n'
    return files | {".gitmodules": modules} | written.kernels("sm120")


@pytest.fixture(name="cache", scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def _host(made: Repositories, release: str, to: Path, *, whole: bool = False) -> Path:
    """Copy what the preset reads of a release, or its whole tree, pinned to our commit.

    Files of the whole tree that are no site are links: they are not to be written.
    """

    def copy(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:  # another file system
            shutil.copy2(source, target)

    real = inputs.host(f"{release}.0")
    if whole:
        shutil.copytree(real, to, copy_function=copy)
    for path in (*SITES, *WATCHED):
        (to / path).unlink(missing_ok=True)
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(real / path, to / path)
        (to / path).write_text(made.text(release, path), encoding="utf-8")
    return to


def _state(host: Path) -> dict[str, tuple[int, int, int]]:
    """Return what tells an untouched file: its inode, size and time."""
    found = {}
    for path in sorted(host.rglob("*")):
        if not path.is_dir():
            stat = path.lstat()
            name = path.relative_to(host).as_posix()
            found[name] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a bump printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """`dgpin bump` as a maintainer uses it."""

    made: Repositories

    def bump(self, host: Path, release: str, *words: str) -> Answer:
        """Run the command once, to the commit that stands for a release's pin."""
        argv = ["bump", self.made.commits[release], "--repo", self.made.url(release)]
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            code = app.main([*argv, "--host", str(host), *words])
        return Answer(code=code, out=out.getvalue(), err=err.getvalue())

    def accepting(self, host: Path, release: str, *words: str) -> Answer:
        """Run it, and again with each loss accepted by the name that the refusal gives it."""
        first = self.bump(host, release, *words)
        if first.code != 1:
            return first
        losses = re.findall(r"^  (\S+) \(", first.err, re.MULTILINE)
        accepted = (word for name in losses for word in ("--accept-loss", name))
        return self.bump(host, release, *accepted, *words)


@pytest.fixture(name="shell", scope="module")
def _shell(made: Repositories, cache: Path) -> Iterator[Shell]:
    """Return the shell, with mirrors of its own and no network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DGPIN_CACHE_DIR", str(cache))
        patch.setenv("DGPIN_GITHUB_API", "http://127.0.0.1:9")
        patch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        yield Shell(made=made)


def _left(ours: str, theirs: str) -> list[tuple[list[str], list[str]]]:
    """Return the lines that differ, those of ours and those of the release's."""
    mine, other = ours.splitlines(), theirs.splitlines()
    codes = difflib.SequenceMatcher(None, mine, other, autojunk=False).get_opcodes()
    return [(mine[a:b], other[c:d]) for tag, a, b, c, d in codes if tag != "equal"]


def _comments(left: list[tuple[list[str], list[str]]]) -> list[tuple[int, int]]:
    """Return how many lines differ at each place, all of which are comments."""
    lines = [line for ours, theirs in left for line in (*ours, *theirs)]
    assert [line for line in lines if not line.lstrip().startswith("#")] == []
    return [(len(ours), len(theirs)) for ours, theirs in left]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The real 0.29, moved to 0.30's pin."""

    host: Path
    touched: frozenset[str]
    answer: Answer


@pytest.fixture(name="moved", scope="module")
def _moved(made: Repositories, shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> Moved:
    host = _host(made, "0.29", tmp_path_factory.mktemp("whole") / "host", whole=True)
    before = _state(host)
    answer = shell.accepting(host, "0.30")
    after = _state(host)
    touched = {path for path in before | after if before.get(path) != after.get(path)}
    return Moved(host=host, touched=frozenset(touched), answer=answer)


def test_0_29_to_0_30(made: Repositories, moved: Moved) -> None:
    """Every line of 0.30 that belongs to the pin is written, and prose is left to its author."""
    ours = {path: (moved.host / path).read_text() for path in SITES}
    left = {path: _left(ours[path], made.text("0.30", path)) for path in SITES}

    assert (0, "") == (moved.answer.code, moved.answer.err)
    assert set(SITES) == moved.touched
    # deepgemm.cmake: why this pin (1 line, 4 in 0.30), and what the globs cover.
    assert [(1, 4), (1, 1)] == _comments(left[CMAKE])
    # install_deepgemm.sh: why this pin (1 line, 3 in 0.30).
    assert [(1, 3)] == _comments(left[INSTALL])
    # DeepGEMM no longer links NVRTC; vLLM kept the library.
    assert [([], ['    "-lnvrtc",'])] == left[DRIVER]
    # What else 0.30 changed in the image has nothing to do with the pin.
    assert [([], ["        elfutils-devel \\"])] == _left(made.text("0.29", IMAGE), ours[IMAGE])


def test_the_package_enters_at_the_end_of_its_list(made: Repositories, moved: Moved) -> None:
    """dgpin adds at the end; vLLM put the package one line higher."""
    packages = re.compile(r"(?<=weak_deps=False \\\n)(?:        \S+ \\\n)+")
    ours, theirs = (
        packages.search(text)
        for text in ((moved.host / IMAGE).read_text(), made.text("0.30", IMAGE))
    )

    assert ours is not None
    assert theirs is not None
    assert ["ccache", "git", "curl", "sudo", "rdma-core-devel", "elfutils-devel"] == ours[
        0
    ].replace("\\", "").split()
    assert ["ccache", "git", "curl", "sudo", "elfutils-devel", "rdma-core-devel"] == theirs[
        0
    ].replace("\\", "").split()


@pytest.mark.parametrize(
    "needed",
    [
        "docker/Dockerfile:134  packages.rpm: + elfutils-devel",
        (
            "the source needs GCC 13; the host declares 11.3\n"
            "                            CMakeLists.txt:24\n"
        ),
        (
            "the source needs GCC 13; the host declares 11.3\n"
            "                            docs/getting_started/installation/gpu.cuda.inc.md:143\n"
        ),
        (
            "the source needs CUDA 12.9; the host declares 12.3\n"
            "                            cmake/external_projects/deepgemm.cmake:65\n"
        ),
        (
            "the source needs CUDA 12.9; the host declares 12.3\n"
            "                            setup.py:1389\n"
        ),
        (
            "the source needs CUDA 12.9; the host declares 12.8\n"
            "                            tools/install_deepgemm.sh:76\n"
        ),
        "line 122: fmt - the pin has no such submodule\n",
        "line 32: nv_dev - the pin follows dev\n",
        "line 10: nv_dev - the pin follows dev\n",
        (
            ".deps/deepgemm-src is not there; where it is, the build keeps using it as it is\n"
            "                            cmake/external_projects/deepgemm.cmake:43\n"
            "                            Before the next build: rm -rf .deps/deepgemm-*\n"
        ),
    ],
)
def test_what_a_maintainer_needed(moved: Moved, needed: str) -> None:
    """What 0.30 missed, or found by hand, is printed with the bump."""
    assert needed in moved.answer.out


def test_no_more_than_a_maintainer_needed(moved: Moved) -> None:
    """Of the comments beside the sites three words are stale, and no fourth is said to be."""
    assert ["nv_dev", "fmt", "nv_dev"] == re.findall(
        r"^    line \d+: (\S+) - ", moved.answer.out, re.MULTILINE
    )
    assert 5 == moved.answer.out.count("FAIL ")


def test_losses_stop_the_move_until_they_are_named(
    made: Repositories, shell: Shell, tmp_path: Path
) -> None:
    """2.8 dropped names that vLLM called and a kernel family; the move stops and writes nothing."""
    host = _host(made, "0.29", tmp_path / "host")
    before = _state(host)

    answer = shell.bump(host, "0.30")

    assert 1 == answer.code
    assert [
        "smxx_clean_logits",
        "deep_gemm.fp8_gemm_nt_skip_head_mid",
        "deep_gemm.fp8_m_grouped_gemm_nt_masked",
        "deep_gemm.fp8_mqa_logits",
        "deep_gemm.fp8_paged_mqa_logits",
    ] == re.findall(r"^  (\S+) \(", answer.err, re.MULTILINE)
    assert before == _state(host)


def test_0_25_to_0_27_to_0_29(made: Repositories, shell: Shell, tmp_path: Path) -> None:
    """Two moves on end give the pins of both releases."""
    host = _host(made, "0.25", tmp_path / "host")
    driver, image = (made.text("0.25", path) for path in (DRIVER, IMAGE))
    gate = [  # of CUDA 13.4: it came with 0.27, and is the toolkit's
        "    if(${CMAKE_CUDA_COMPILER_VERSION} VERSION_GREATER_EQUAL 13.4)",
        '      list(APPEND DEEPGEMM_SUPPORT_ARCHS "10.7f")',
        "    endif()",
    ]
    prose = {"0.27": [], "0.29": [(1, 1)]}  # of the installer: only 0.29 has another

    for release in ("0.27", "0.29"):
        answer = shell.accepting(host, release)

        left = {p: _left((host / p).read_text(), made.text(release, p)) for p in (CMAKE, INSTALL)}
        assert (0, "") == (answer.code, answer.err)
        assert [([], gate)] == left[CMAKE][1:]
        assert [(1, 1)] == _comments(left[CMAKE][:1])
        assert prose[release] == _comments(left[INSTALL])
        assert (driver, image) == ((host / DRIVER).read_text(), (host / IMAGE).read_text())


def test_there_and_back(made: Repositories, shell: Shell, tmp_path: Path) -> None:
    """Back at the old commit the files are the old ones to the byte.

    Every list is sure to be the same set only; here what left, NVRTC, was the last of its list.
    """
    host = _host(made, "0.29", tmp_path / "host")
    old = {path: (host / path).read_bytes() for path in SITES}

    there = shell.accepting(host, "0.30")
    new = {path: (host / path).read_bytes() for path in SITES}
    back = shell.accepting(host, "0.29")
    again = {path: (host / path).read_bytes() for path in SITES}
    forth = shell.accepting(host, "0.30")

    assert [(0, "")] * 3 == [(answer.code, answer.err) for answer in (there, back, forth)]
    assert old == again
    assert new == {path: (host / path).read_bytes() for path in SITES}
    assert shell.bump(host, "0.30").out.endswith("nothing to do: every site says so already\n")


def test_in_a_work_tree_git_sees_the_four_files(
    made: Repositories, shell: Shell, tmp_path: Path
) -> None:
    """In a git work tree `--commit` makes one commit of the four files, and leaves nothing."""
    host = Repo(_host(made, "0.29", tmp_path / "host"))
    host.git("init", "--quiet", "--initial-branch=main")
    host.git("config", "user.name", "Ada")
    host.git("config", "user.email", "ada@example.org")
    host.commit("vLLM 0.29")

    answer = shell.accepting(host.root, "0.30", "--commit")

    assert (0, "") == (answer.code, answer.err)
    assert "" == host.git("status", "--porcelain")
    assert sorted(SITES) == host.git("diff", "--name-only", "HEAD~1", "HEAD").split()
    assert "2" == host.git("rev-list", "--count", "HEAD")
