"""The facts of real DeepGEMM sources."""

from pathlib import Path
from posixpath import normpath

import pytest

from dgpin import process
from dgpin.pin.capability import losses
from dgpin.pin.derive import derive
from dgpin.pin.facts import Facts, load, store
from dgpin.pin.headers import GCC_FLOORS, Owner, owner
from dgpin.pin.import_check import import_faults
from dgpin.pin.includes import closure
from dgpin.pin.native import is_foreign
from tests.example.tree import DictTree
from tests.real import inputs

COMMIT = "0" * 40
DIRECTORIES = ("deep_gemm/include", "third-party/deep_jit/include", "third-party/cutlass/include")
ROOT = "csrc/python_api.cpp"


def tree(root: Path) -> DictTree:
    """Return the text files below a directory as a source."""
    paths = [
        path for path in root.rglob("*") if path.is_file() and path.suffix not in {".so", ".pyc"}
    ]
    return DictTree(
        {path.relative_to(root).as_posix(): path.read_text(errors="replace") for path in paths}
    )


@pytest.fixture(scope="module", name="source")
def _source() -> DictTree:
    return tree(inputs.source("2.8.2"))


@pytest.fixture(scope="module", name="facts")
def _facts(source: DictTree) -> Facts:
    return derive(source, commit=COMMIT)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("version", "2.8.2"),
        ("submodules", ("third-party/cutlass", "third-party/deep_jit")),
        ("includes", DIRECTORIES),
        ("cxx_std", "20"),
        ("libraries", ("cudart",)),
        ("binding", "pybind11"),
        ("packages.rpm", ("elfutils-devel",)),
        ("packages.deb", ("libdw-dev",)),
        ("packages.apk", ("elfutils-dev",)),
        ("gcc_min", "13"),
        ("cuda_min", "12.9"),
        ("arches", ("sm_90", "sm_100")),
        ("modules", ("__init__", "locality_domain")),
        ("subpackages", ("jit_hooks", "legacy", "mega", "testing", "utils")),
        ("unimported", ("jit_hooks",)),
        ("entry_points", ("setup.py",)),
        (
            "headers",
            (
                "csrc/*.h",
                "csrc/*.hpp",
                "deep_gemm/include/*.h",
                "deep_gemm/include/*.hpp",
                "deep_gemm/include/*.cuh",
                "third-party/deep_jit/include/*.h",
                "third-party/deep_jit/include/*.hpp",
            ),
        ),
    ],
)
def test_source_2_8_2(facts: Facts, fact: str, expected: str | tuple[str, ...]) -> None:
    """Every fact of 2.8.2 is what one reads in its files."""
    assert expected == facts.facts[fact].value


def test_nothing_is_unknown(facts: Facts) -> None:
    """Nothing of 2.8.2 is left open."""
    assert {} == facts.unknown


def test_where(facts: Facts) -> None:
    """The floors and the package name the lines that demand them."""
    assert "third-party/deep_jit/include/deep_jit/utils/exception.hpp:3" == str(
        facts.origin("packages.rpm")[0]
    )
    assert "third-party/deep_jit/include/deep_jit/backend/cuda/backend.hpp:72" in map(
        str, facts.origin("cuda_min")
    )
    assert len(facts.origin("gcc_min")) > 20  # the lines that include <format>


@pytest.mark.parametrize("release", ["0.29.0", "0.30.0"])
def test_header_globs(facts: Facts, release: str) -> None:
    """The globs are vLLM's own, in its order; before 2.8 there is none for a third party."""
    cmake = inputs.host(release) / "cmake" / "external_projects" / "deepgemm.cmake"
    text = cmake.read_text()
    block = text[text.index("file(GLOB_RECURSE _dg_headers") :].partition(")")[0]
    written = [
        line.split("{deepgemm_SOURCE_DIR}/")[1].strip('"') for line in block.splitlines()[1:]
    ]
    derived = [
        glob
        for glob in facts.items("headers")
        if release == "0.30.0" or not glob.startswith("third-party/deep_jit/")
    ]

    assert written == derived


def test_same_headers_as_the_compiler(source: DictTree) -> None:
    """`g++ -M` finds no header that the scanner misses, and none that matters is only ours.

    The scanner reads both sides of a condition, so it may see more; all of that is in cutlass.
    """
    root = inputs.source("2.8.2")
    argv = ["g++", "-std=c++20", "-nostdinc", "-nostdinc++", "-M", "-MG"]
    argv += [f"-I{directory}" for directory in DIRECTORIES]
    rule = process.run([*argv, ROOT], cwd=root).check().text.replace("\\\n", " ")
    listed = {normpath(path) for path in rule.partition(":")[2].split()}
    found = closure(source, [ROOT], DIRECTORIES)
    external = {each.header: each for each in found.externals}

    assert set() == listed - found.files.keys() - external.keys()
    assert set() == {name for name, each in external.items() if not each.conditional} - listed
    assert set() == {
        name
        for name, each in external.items()
        if name not in listed and not all(is_foreign(place.path) for place in each.places)
    }
    assert set() == {
        name
        for name, each in external.items()
        if name not in listed and (owner(name) is Owner.PACKAGE or name in GCC_FLOORS)
    }


def test_cache(facts: Facts) -> None:
    """The facts come out of the cache as they went in."""
    store(facts)

    assert facts == load(COMMIT)


@pytest.mark.parametrize("version", ["2.5.0", "2.6.1", "2.8.0", "2.8.2"])
def test_builds_can_be_imported(version: str) -> None:
    """The import check is silent on builds that are known to import."""
    assert () == import_faults(tree(inputs.build(version)))


def test_lost_names() -> None:
    """The names that 2.6.1 exports and 2.8.2 lacks are found without a build of either."""
    old, new = (derive(tree(inputs.build(each)), commit=COMMIT) for each in ("2.6.1", "2.8.2"))

    found = {loss.name for loss in losses(old, new)}

    assert {
        "deep_gemm.fp8_gemm_nt_skip_head_mid",
        "deep_gemm.fp8_mqa_logits",
        "deep_gemm.fp8_paged_mqa_logits",
        "deep_gemm.fp8_m_grouped_gemm_nt_masked",
        "deep_gemm.bf16_m_grouped_gemm_nt_masked",
    } <= found
