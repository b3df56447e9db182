"""The sites of real vLLM releases: all of them are found, and no byte of one changes unseen."""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dgpin.cli import app
from dgpin.pin import facts as cached
from dgpin.pin.derive import derive
from dgpin.source.directory import DirTree
from tests.example.tree import DictTree
from tests.real import inputs, written

CMAKE = "cmake/external_projects/deepgemm.cmake"
INSTALL = "tools/install_deepgemm.sh"
DRIVER = "tools/build_deepgemm_C.py"
IMAGE = "docker/Dockerfile"
# Read by [watch] entries alone.
WATCHED = (
    "CMakeLists.txt",
    "setup.py",
    "docs/getting_started/installation/gpu.cuda.inc.md",
    "vllm/platforms/cuda.py",
)

UPSTREAM = "https://github.com/deepseek-ai/DeepGEMM"
FORK = "https://github.com/vllm-project/DeepGEMM"
OWN = "csrc/*.h csrc/*.hpp deep_gemm/include/*.h deep_gemm/include/*.hpp deep_gemm/include/*.cuh"
JIT = "third-party/deep_jit/include/*.h third-party/deep_jit/include/*.hpp"
INCLUDES = (
    "csrc deep_gemm/include third-party/cutlass/include third-party/cutlass/tools/util/include"
)
TORCH = "torch torch_python torch_cpu torch_cuda c10 c10_cuda"
TOOLS = "ccache git curl sudo rdma-core-devel"
APT = "ccache software-properties-common git curl sudo python3-pip libibverbs-dev"
PINS = {
    "0.23.0": "891d57b4db1071624b5c8fa0d1e51cb317fa709f",
    "0.25.0": "a6b593d2826719dcf4892609af7b84ee23aaf32a",
    "0.27.0": "e21c821f39a2056d68067a466c64ddc942200106",
    "0.29.0": "8b1392b978f5a03c828dd1711090d7fb50958b8a",
    "0.30.0": "e1f418c2a4f20818221f6b0e578b4c2f634d4c3f",
    "0.32.0": "1e1842a833699298f7afc02eefb2ed168fff6938",
}


class Site(NamedTuple):
    """One value that a release states, read from its tree by eye."""

    path: str
    line: int
    fact: str
    value: str


def _sites(path: str, fact: str, first: int, values: str) -> Iterator[Site]:
    """Yield a site for each value, a line each, from the line `first`."""
    for line, value in zip(count(first), values.split(), strict=False):
        yield Site(path, line, fact, value)


def _pin(version: str, repo: str, lines: tuple[int, int], script: int) -> Iterator[Site]:
    yield Site(CMAKE, lines[0], "repo", repo)
    yield Site(CMAKE, lines[1], "commit", PINS[version])
    yield Site(INSTALL, 9, "repo", repo)
    yield Site(INSTALL, script, "commit", PINS[version])


def _cmake(submodules: int, third: str, headers: int, globs: str, modules: int) -> Iterator[Site]:
    yield Site(CMAKE, submodules, "submodules", "third-party/cutlass")
    yield Site(CMAKE, submodules, "submodules", third)
    yield from _sites(CMAKE, "headers", headers, globs)
    yield Site(CMAKE, modules, "modules", "__init__")


def _driver(third: str) -> Iterator[Site]:
    yield from _sites(DRIVER, "includes", 49, f"{INCLUDES} {third}")
    yield from _sites(DRIVER, "libraries", 79, "cudart nvrtc")


SITES: Mapping[str, frozenset[Site]] = {
    "0.23.0": frozenset({
        *_pin("0.23.0", UPSTREAM, (22, 23), 10),
        *_cmake(24, "third-party/fmt", 90, OWN, 135),
        *_driver("third-party/fmt/include"),
        *_sites(IMAGE, "packages.rpm", 134, TOOLS),
        *_sites(IMAGE, "packages.deb", 144, APT),
        *_sites(IMAGE, "packages.deb", 153, "gcc-10 g++-10"),
    }),
    "0.25.0": frozenset({
        *_pin("0.25.0", UPSTREAM, (31, 33), 11),
        *_cmake(54, "third-party/fmt", 121, OWN, 166),
        *_driver("third-party/fmt/include"),
        *_sites(IMAGE, "packages.rpm", 141, TOOLS),
        *_sites(IMAGE, "packages.deb", 151, APT),
        *_sites(IMAGE, "packages.deb", 162, "gcc-11 g++-11"),
    }),
    "0.27.0": frozenset({
        *_pin("0.27.0", FORK, (31, 33), 11),
        *_cmake(54, "third-party/fmt", 124, OWN, 169),
        *_driver("third-party/fmt/include"),
        *_sites(IMAGE, "packages.rpm", 145, TOOLS),
        *_sites(IMAGE, "packages.deb", 155, APT),
        *_sites(IMAGE, "packages.deb", 166, "gcc-11 g++-11"),
    }),
    "0.29.0": frozenset({
        *_pin("0.29.0", UPSTREAM, (31, 33), 11),
        *_cmake(54, "third-party/fmt", 124, OWN, 169),
        *_driver("third-party/fmt/include"),
        *_sites(IMAGE, "packages.rpm", 130, TOOLS),
    }),
    "0.30.0": frozenset({
        *_pin("0.30.0", FORK, (31, 36), 13),
        *_cmake(57, "third-party/deep_jit", 127, f"{OWN} {JIT}", 174),
        *_driver("third-party/deep_jit/include"),
        *_sites(IMAGE, "packages.rpm", 130, "ccache git curl sudo elfutils-devel rdma-core-devel"),
    }),
    "0.32.0": frozenset({
        *_pin("0.32.0", FORK, (31, 37), 13),
        *_cmake(58, "third-party/deep_jit", 112, f"{OWN} {JIT}", 148),
        *_sites(IMAGE, "packages.rpm", 135, "ccache git curl sudo elfutils-devel rdma-core-devel"),
    }),
}  # fmt: skip
# In the same lists, but torch's; and the C++ standard, which is the host's to choose.
TORCHS = frozenset({*_sites(DRIVER, "libraries", 73, TORCH), Site(DRIVER, 61, "cxx_std", "20")})
PRESETS = {
    "0.23.0": "vllm-0.23",
    "0.25.0": "vllm-0.25",
    "0.27.0": "vllm-0.25",
    "0.29.0": "vllm-0.25",
    "0.30.0": "vllm-0.25",
    "0.32.0": "vllm-0.32",
}
FAULTS = {"0.27.0": ["comment", "comment", "submodule-order"], "0.32.0": []}


def _json(capsys: pytest.CaptureFixture[str], command: str, host: Path) -> tuple[int, Any]:
    code = app.main([command, "--host", str(host), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("version", SITES)
def test_show_lists_every_site(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`show` chooses the preset by itself, and lists every site at its line and no other."""
    code, shown = _json(capsys, "show", inputs.host(version))

    found = {Site(s["path"], s["line"], s["fact"], s["value"]) for s in shown["sites"]}
    others = TORCHS if version != "0.32.0" else frozenset()
    assert code == 0
    assert {"source": PRESETS[version], "preset": True} == shown["configuration"]
    assert PINS[version] == shown["commit"]
    assert SITES[version] | others == found


@pytest.mark.parametrize("version", SITES)
def test_a_variable_that_nothing_reads_any_more(
    version: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Since 0.32 the image exports the interpreters for a build that is one for all of them."""
    _, answer = _json(capsys, "check", inputs.host(version))

    found = [
        (place["path"], place["line"])
        for row in answer["rows"]
        if row["rule"] == "unread-variable"
        for place in row["places"]
    ]
    dockerfile = "docker/Dockerfile"
    assert found == ([(dockerfile, 431), (dockerfile, 449)] if version == "0.32.0" else [])


@pytest.mark.parametrize("version", SITES)
def test_check_misses_no_site(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` finds every entry of the preset, and the two places of repository and commit agree.

    What it finds are faults of the releases: an installer that leaves the submodules where the
    clone put them, until 0.32; and in 0.27 two comments that send the reader to another branch.
    """
    code, answer = _json(capsys, "check", inputs.host(version))

    agreeing = {
        (row["message"].partition(":")[0], (place["path"], place["line"]))
        for row in answer["rows"]
        if row["rule"] == "sites-agree" and row["verdict"] == "pass"
        for place in row["places"]
    }
    wanted = {(s.fact, (s.path, s.line)) for s in SITES[version] if s.fact in {"repo", "commit"}}
    findings = [row["rule"] for row in answer["rows"] if row["verdict"] == "fail"]
    assert {"source": PRESETS[version], "preset": True, "near": False} == answer["configuration"]
    assert wanted == agreeing
    assert FAULTS.get(version, ["submodule-order"]) == findings
    assert (1 if findings else 0) == code


def _copied(version: str, root: Path) -> Path:
    """Return a copy of the files of a release that the preset reads."""
    for path in (CMAKE, INSTALL, DRIVER, IMAGE, *WATCHED):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(inputs.host(version) / path, target)
    return root


@pytest.fixture(name="host", scope="module")
def _host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _copied("0.29.0", tmp_path_factory.mktemp("host"))


def test_written_source_tells_what_the_real_one_tells() -> None:
    """What stands in for the pin of 0.29 has the facts of nv_dev at 8b1392b."""
    told = derive(DictTree(written.files("2.6.1")), commit=PINS["0.29.0"])

    expected = {
        "version": "2.6.1",
        "submodules": ("third-party/cutlass", "third-party/fmt"),
        "includes": ("deep_gemm/include", "third-party/cutlass/include", "third-party/fmt/include"),
        "cxx_std": "17",
        "libraries": ("cudart", "nvrtc"),
        "binding": "pybind11",
        "packages.rpm": (),
        "gcc_min": "8",
        "cuda_min": "12.3",
        "arches": ("sm_90", "sm_100", "sm_120"),
        "modules": ("__init__",),
        "subpackages": ("legacy", "mega", "testing", "utils"),
        "headers": tuple(OWN.split()),
    }
    assert expected == {name: told.facts[name].value for name in expected}


# In the lists, but the host's own: nothing of DeepGEMM's says whether they should be there. A wrong
# directory of the source's own is seen all the same.
HOSTS_OWN = {"csrc", "third-party/cutlass/tools/util/include", *TOOLS.split()}
GUARDED = sorted(site for site in SITES["0.29.0"] if site.value not in HOSTS_OWN)


def _other(byte: int) -> bytes:
    """Return another byte of the same kind, so that the grammar of the value still holds."""
    for first, last in (("0", "9"), ("a", "z"), ("A", "Z")):
        if ord(first) <= byte <= ord(last):
            return bytes([ord(first) if byte != ord(first) else ord(first) + 1])
    return b"~"


def _alterations(text: bytes, site: Site) -> Iterator[bytes]:
    """Yield the file with one byte of a site altered: in the value, and around it."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: site.line - 1]))
    line = lines[site.line - 1]
    value = line.index(site.value.encode())
    end = value + len(site.value)
    first = len(line) - len(line.lstrip())
    for offset in sorted({first, value - 1, value, (value + end) // 2, end - 1, end}):
        if not line[offset : offset + 1].isspace():
            at = start + offset
            yield text[:at] + _other(text[at]) + text[at + 1 :]


def _unseen(
    host: Path, path: str, line: int, altered: Iterable[bytes], capsys: pytest.CaptureFixture[str]
) -> list[tuple[str, object]]:
    """Return the alterations of a file after which `check` names no new finding on its line."""
    _code, sound = _json(capsys, "check", host)
    file = host / path
    text = file.read_bytes()
    unseen: list[tuple[str, object]] = []
    try:
        for other in altered:
            file.write_bytes(other)
            code, answer = _json(capsys, "check", host)
            found = [r for r in answer["rows"] if r["verdict"] == "fail" and r not in sound["rows"]]
            named = {(place["path"], place["line"]) for row in found for place in row["places"]}
            if code != 1 or (path, line) not in named:
                unseen.append((other.splitlines()[line - 1].decode(), found))
    finally:
        file.write_bytes(text)
    return unseen


@pytest.mark.parametrize("site", GUARDED, ids=lambda s: f"{s.path}:{s.line}:{s.value}")
def test_no_byte_changes_unseen(site: Site, host: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` names file and line of a site with one byte altered, and exits 1."""
    cached.store(derive(DictTree(written.files("2.6.1")), commit=PINS["0.29.0"]))
    altered = tuple(_alterations((host / site.path).read_bytes(), site))

    assert altered
    assert [] == _unseen(host, site.path, site.line, altered, capsys)


@pytest.mark.parametrize(
    ("line", "literal"),
    [(129, b"dnf install -y --setopt=install_weak_deps=False"), (135, b"&& dnf clean all")],
)
def test_no_byte_around_the_packages_changes_unseen(
    line: int, literal: bytes, host: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list of packages names nothing of the pin in 0.29; its two ends are the site."""
    cached.store(derive(DictTree(written.files("2.6.1")), commit=PINS["0.29.0"]))
    text = (host / IMAGE).read_bytes()
    start = sum(map(len, text.splitlines(keepends=True)[: line - 1]))
    at = text.index(literal, start)
    altered = [
        text[:offset] + _other(text[offset]) + text[offset + 1 :]
        for offset in (at, at + len(literal) // 2, at + len(literal) - 1)
    ]

    assert [] == _unseen(host, IMAGE, line, altered, capsys)


def test_no_byte_of_a_needed_package_changes_unseen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From 0.30 on one package of the list is DeepGEMM's, and is guarded like the rest."""
    host = _copied("0.30.0", tmp_path)
    cached.store(derive(DirTree(inputs.source("2.8.2")), commit=PINS["0.30.0"]))
    site = next(site for site in SITES["0.30.0"] if site.value == "elfutils-devel")
    altered = tuple(_alterations((host / IMAGE).read_bytes(), site))

    assert 3 == len(altered)
    assert [] == _unseen(host, IMAGE, site.line, altered, capsys)


def test_a_gate_that_a_real_source_has_no_kernels_for(
    host: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """2.8.2 has no kernels for SM120: every gate of 0.29 that lets SM120 in is named."""
    cached.store(derive(DirTree(inputs.source("2.8.2")), commit=PINS["0.29.0"]))

    code, answer = _json(capsys, "check", host)

    gates = [r for r in answer["rows"] if r["rule"] == "arch-gate" and r["verdict"] == "fail"]
    named = [(place["path"], place["line"]) for row in gates for place in row["places"]]
    assert 1 == code
    assert {"the host enables sm_120, but the source has kernels for sm_90, sm_100"} == {
        row["message"] for row in gates
    }
    assert [(CMAKE, 78), (CMAKE, 80), (CMAKE, 80), ("vllm/platforms/cuda.py", 680)] == [
        place for place in named if place[0] in (CMAKE, *WATCHED)
    ]
