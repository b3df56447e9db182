"""The facts of a source, derived from its files."""

from collections.abc import Mapping
from functools import cache

import pytest

from dgpin.pin.derive import derive
from dgpin.pin.facts import Facts
from dgpin.pin.native import UnknownHeaderError
from dgpin.verdict import Place
from tests.example.tree import DictTree, example_tree

COMMIT = "0" * 40


@cache
def facts(name: str) -> Facts:
    return changed(name, {})


def changed(name: str, files: Mapping[str, str]) -> Facts:
    """Derive the facts of an example commit in which some files read otherwise."""
    return derive(example_tree(name, changed=files), commit=COMMIT)


# The values of the small DeepGEMM, before and after the step that 2.8.0 was.
EXPECTED: dict[str, tuple[str | tuple[str, ...], str | tuple[str, ...]]] = {
    "version": ("2.6.1", "2.8.0"),
    "submodules": (
        ("third-party/cutlass", "third-party/fmt"),
        ("third-party/cutlass", "third-party/deep_jit"),
    ),
    "includes": (
        ("deep_gemm/include", "third-party/cutlass/include", "third-party/fmt/include"),
        ("deep_gemm/include", "third-party/deep_jit/include", "third-party/cutlass/include"),
    ),
    "headers": (
        (
            "csrc/*.h",
            "csrc/*.hpp",
            "deep_gemm/include/*.h",
            "deep_gemm/include/*.hpp",
            "deep_gemm/include/*.cuh",
        ),
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
    "libraries": (("cudart", "nvrtc"), ("cudart",)),
    "cxx_std": ("17", "20"),
    "gcc_min": ("8", "13"),
    "cuda_min": ("12.3", "12.9"),
    "packages.rpm": ((), ("elfutils-devel",)),
    "packages.deb": ((), ("libdw-dev",)),
    "packages.apk": ((), ("elfutils-dev",)),
    "modules": (("__init__",), ("__init__", "locality_domain")),
    "subpackages": (("utils",), ("utils",)),
    "unimported": ((), ()),
    "arches": (("sm_90", "sm_100"), ("sm_90", "sm_100")),
    "binding": ("pybind11", "pybind11"),
    "extension": ("deep_gemm._C", "deep_gemm._C"),
    "sources": (("csrc/python_api.cpp",), ("csrc/python_api.cpp",)),
    "entry_points": (("install.sh", "setup.py"), ("setup.py",)),
    "environment": (
        ("DG_FORCE_BUILD=0", "DG_USE_LOCAL_VERSION=1"),
        ("DG_FORCE_BUILD=0", "DG_USE_LOCAL_VERSION=0"),
    ),
    "cutlass.commit": ("1" * 40, "1" * 40),
}


@pytest.mark.parametrize("fact", EXPECTED)
@pytest.mark.parametrize(("name", "column"), [("old", 0), ("new", 1)])
def test_example(name: str, column: int, fact: str) -> None:
    """Each fact of both sources has the value that one reads in them by eye."""
    assert EXPECTED[fact][column] == facts(name).facts[fact].value


@pytest.mark.parametrize("name", ["first", "old", "sm120", "new", "port"])
def test_nothing_is_unknown(name: str) -> None:
    """With all submodules at hand nothing of the example is left open."""
    found = facts(name)

    assert ({}, ()) == (found.unknown, found.missing)


@pytest.mark.parametrize("name", ["old", "new"])
def test_every_fact_says_where(name: str) -> None:
    """A fact comes with lines of the source that exist, but the list of files itself."""
    tree = example_tree(name)

    for fact in derive(tree, commit=COMMIT).facts.values():
        assert fact.origin or fact.value == () or fact.name == "files"
        for place in fact.origin:
            known = place.path in tree.paths() or place.path in tree.gitlinks()
            lines = tree.read(place.path).count(b"\n") if place.path in tree.paths() else 0
            assert known
            assert place.line <= lines


@pytest.mark.parametrize(
    ("fact", "places"),
    [
        ("version", [Place("deep_gemm/__init__.py", 25)]),
        ("cxx_std", [Place("setup.py", 14)]),
        ("gcc_min", [Place("third-party/deep_jit/include/deep_jit/backend/cuda/backend.hpp", 4)]),
        ("cuda_min", [Place("third-party/deep_jit/include/deep_jit/backend/cuda/backend.hpp", 21)]),
        ("packages.rpm", [Place("third-party/deep_jit/include/deep_jit/utils/exception.hpp", 7)]),
        ("libraries", [Place("setup.py", 26)]),
        ("submodules", [Place(".gitmodules", 2), Place(".gitmodules", 5)]),
        ("deep_jit.commit", [Place(".gitmodules", 5)]),
        ("binding", [Place("csrc/python_api.cpp", 14)]),
    ],
)
def test_origin(fact: str, places: list[Place]) -> None:
    """A fact names the lines it was read from."""
    assert places == list(facts("new").origin(fact))


def test_sm120() -> None:
    """The architectures are those that have kernels."""
    assert ("sm_90", "sm_100", "sm_120") == facts("sm120").items("arches")
    assert "sm120_paged_mqa_logits" in facts("sm120").items("families")


def test_exports() -> None:
    """The public names are there, aliases and the utilities included."""
    assert {
        "fp8_fp4_gemm_nt", "fp8_gemm_nt", "fp8_m_grouped_gemm_nt_masked", "fp8_paged_mqa_logits",
        "get_num_sms", "get_tma_aligned_size", "layout", "m_grouped_fp8_gemm_nt_contiguous",
        "m_grouped_fp8_gemm_nt_masked", "set_block_size", "set_num_sms", "utils",
    } == set(facts("old").items("exports"))  # fmt: skip


def test_files_leave_submodules_out() -> None:
    """The source's files are its own."""
    found = facts("new").items("files")

    assert "csrc/python_api.cpp" in found
    assert not [path for path in found if path.startswith("third-party/")]


# ---------------------------------------------------------------- unknown headers


def test_unknown_header() -> None:
    """A header that is nobody's is refused, with its name and the line that wants it."""
    api = "#pragma once\n#include <nccl.h>\nnamespace deep_gemm {}\n"

    with pytest.raises(UnknownHeaderError) as caught:
        changed("new", {"csrc/apis/runtime.hpp": api})

    assert 1 == caught.value.exit_code
    assert ("nccl.h",) == caught.value.headers
    assert "<nccl.h>, included at csrc/apis/runtime.hpp:2" in caught.value.message


def test_unknown_header_under_a_condition() -> None:
    """One that is only wanted under a condition is no refusal; what follows from it is open."""
    api = "#ifdef USE_NCCL\n#include <nccl.h>\n#endif\n"

    found = changed("new", {"csrc/apis/runtime.hpp": api})

    assert (
        "<nccl.h> is included under a condition at csrc/apis/runtime.hpp:2"
        == (found.unknown["packages.rpm"])
    )
    assert ("elfutils-devel",) == found.items("packages.rpm")


def test_conditions_raise_no_floor() -> None:
    """A header or an assertion that a condition may leave out is no floor."""
    api = (
        "#if __has_include(<print>)\n#include <print>\n"
        "DG_HOST_ASSERT(major > 14 or (major == 14 and minor >= 1));\n#endif\n"
    )

    found = changed("new", {"csrc/apis/runtime.hpp": api})

    assert ("13", "12.9") == (found.scalar("gcc_min"), found.scalar("cuda_min"))
    assert "<print>" in found.unknown["gcc_min"]


def test_foreign_conditions_say_nothing() -> None:
    """What cutlass includes for other compilers leaves nothing open."""
    text = "#ifdef _MSC_VER\n#include <intrin.h>\n#include <print>\n#endif\n"

    found = changed("new", {"third-party/cutlass/include/cutlass/cutlass.h": text})

    assert {} == found.unknown


# ------------------------------------------------------------------------- floors


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("DG_HOST_ASSERT(major > 13 or (major == 13 and minor >= 2));", "13.2"),
        ('DG_HOST_ASSERT((major > 13 || (major == 13 && minor >= 2)) and "new");', "13.2"),
        ('DG_STATIC_ASSERT(CUDA_VERSION >= 13020, "new");', "13.2"),
        ('static_assert(CUDART_VERSION >= 13000, "new");', "13.0"),
        ("DG_HOST_ASSERT(major > 12 or (major == 12 and minor >= 10));", "12.10"),
        # No demands on the toolkit
        ("DG_HOST_ASSERT(arch_major > 13 or (arch_major == 13 and minor >= 2));", "12.9"),
        ("DG_HOST_ASSERT(torch_major > 13 or (torch_major == 13 and torch_minor >= 2));", "12.9"),
        ("if (major > 13 or (major == 13 and minor >= 2)) pch();", "12.9"),
        ("// DG_HOST_ASSERT(major > 13 or (major == 13 and minor >= 2));", "12.9"),
        ('DG_STATIC_ASSERT(CUDA_VERSION >= 12010, "older");', "12.9"),
    ],
)  # fmt: skip
def test_cuda_floor(line: str, expected: str) -> None:
    """The floor is the highest version that an assertion on the toolkit demands."""
    assert expected == changed("new", {"csrc/apis/runtime.hpp": f"{line}\n"}).scalar("cuda_min")


def test_no_floor() -> None:
    """A source that demands nothing has no floor: none is made up."""
    setup = "CUDAExtension(name='deep_gemm._C', sources=['csrc/python_api.cpp'], include_dirs=[])"
    found = derive(DictTree({"setup.py": setup, "csrc/python_api.cpp": "int x;"}), commit=COMMIT)

    assert {"gcc_min", "cuda_min", "cxx_std", "binding", "version", "arches"}.isdisjoint(
        found.facts
    )


# ----------------------------------------------------------------------- bindings


def test_torch_library() -> None:
    """The stable binding is told from pybind11, and its shim is no vendored module."""
    setup = (
        example_tree("new")
        .files["setup.py"]
        .replace(
            "extra_compile_args=cxx_flags)", "extra_compile_args=cxx_flags,\n py_limited_api=True)"
        )
    )
    found = changed(
        "new",
        {
            "csrc/python_api.cpp": "#include <torch/library.h>\nTORCH_LIBRARY(deep_gemm, m) {}\n",
            "deep_gemm/_C.py": "",
            "setup.py": setup,
        },
    )

    assert ("torch-library", "abi3") == (found.scalar("binding"), found.scalar("abi"))
    assert "_C" not in found.items("modules")
    assert "deep_gemm/_C.py" in found.items("files")


def test_two_bindings() -> None:
    """A source with both kinds says neither, and why."""
    found = changed(
        "new",
        {"csrc/apis/runtime.hpp": "TORCH_LIBRARY(deep_gemm, m) {}\nPYBIND11_MODULE(_C, m) {}\n"},
    )

    assert None is found.scalar("binding")
    assert "pybind11 at" in found.unknown["binding"]


# ------------------------------------------------------------------- what is missing


def test_missing_submodule() -> None:
    """Without DeepJIT's files the facts that it decides are open; the others stand."""
    found = derive(example_tree("new", without=("third-party/deep_jit",)), commit=COMMIT)

    assert ("third-party/deep_jit",) == found.missing
    assert {"gcc_min", "cuda_min", "packages.rpm", "packages.deb", "packages.apk"} == (
        found.unknown.keys()
    )
    assert EXPECTED["headers"][1] == found.items("headers")
    assert EXPECTED["submodules"][1] == found.items("submodules")
    assert "20" == found.scalar("cxx_std")


def test_missing_foreign_submodule() -> None:
    """Of cutlass only the standard headers count: without it the packages are known."""
    found = derive(example_tree("new", without=("third-party/cutlass",)), commit=COMMIT)

    assert {"gcc_min"} == found.unknown.keys()
    assert ("elfutils-devel",) == found.items("packages.rpm")


def test_sdist() -> None:
    """A source that records no submodules still tells which of third-party/ it uses."""
    tree = example_tree("new")
    files = {path: text for path, text in tree.files.items() if path != ".gitmodules"}
    found = derive(DictTree(files), commit=COMMIT)

    assert EXPECTED["submodules"][1] == found.items("submodules")
    assert "cutlass.commit" not in found.facts


def test_unneeded_submodule() -> None:
    """A recorded submodule that the build never touches is recorded and not needed."""
    tree = example_tree("new")
    tree.files[".gitmodules"] += '[submodule "x"]\n\tpath = third-party/x\n\turl = ../x.git\n'
    tree.links["third-party/x"] = "4" * 40

    found = derive(tree, commit=COMMIT)

    assert EXPECTED["submodules"][1] == found.items("submodules")
    assert "4" * 40 == found.scalar("x.commit")
    assert () == found.missing


def test_broken_setup() -> None:
    """A setup.py that is no Python leaves its facts open, and says where."""
    found = changed("new", {"setup.py": "x = (\n"})

    assert "setup.py:1 is no Python" in found.unknown["includes"]
    assert "includes" not in found.facts
    assert ("sm_90", "sm_100") == found.items("arches")


@pytest.mark.parametrize("files", [{}, {"README.md": "hello\n"}, {"setup.py": "setup()\n"}])
def test_no_deepgemm(files: dict[str, str]) -> None:
    """A tree that is no DeepGEMM has no facts but its files, and fails nowhere."""
    found = derive(DictTree(files), commit=COMMIT)

    assert {"files", "entry_points", "environment", "submodules"} >= found.facts.keys()


def test_idle_module() -> None:
    """A subpackage that nothing imports is named: a host need not vendor it."""
    found = changed("new", {"deep_gemm/jit_hooks/__init__.py": ""})

    assert ("jit_hooks", "utils") == found.items("subpackages")
    assert ("jit_hooks",) == found.items("unimported")


def test_decided_by_a_condition() -> None:
    """A library that an `if` adds, and a standard that it chooses, are left open."""
    text = example_tree("new").files["setup.py"]
    text = text.replace("'-std=c++20', ", "").replace(
        "build_library_dirs",
        "if os.getenv('X'):\n    build_libraries.append('nvrtc')\n    cxx_flags += ['-std=c++23']\n"
        "build_library_dirs",
        1,
    )

    found = changed("new", {"setup.py": text})

    assert None is found.scalar("cxx_std")
    assert {"cxx_std", "libraries"} == found.unknown.keys()


def test_sources_that_only_a_run_tells() -> None:
    """Without the list of sources everything that follows from it is open."""
    text = (
        example_tree("new")
        .files["setup.py"]
        .replace("sources = ['csrc/python_api.cpp']", "sources = glob('csrc/*.cpp')")
    )

    found = changed("new", {"setup.py": text})

    assert {"binding", "gcc_min", "packages.rpm"} <= found.unknown.keys()
    assert "setup.py:18" in found.unknown["binding"]


def test_star_of_another_library() -> None:
    """Names that a foreign star may bring leave the exports open: none is called lost."""
    found = changed("new", {"deep_gemm/utils/__init__.py": "from torch import *\n"})

    assert "deep_gemm/__init__.py:" in found.unknown["exports"]


@pytest.mark.parametrize("without", ["third-party/cutlass", "third-party/deep_jit"])
def test_missing_submodule_hides_no_unknown_header(without: str) -> None:
    """Without cutlass a header that is not cutlass's is still nobody's; DeepJIT may have it."""
    api = {"csrc/apis/runtime.hpp": "#include <nccl.h>\n"}
    tree = example_tree("new", without=(without,), changed=api)

    if without == "third-party/deep_jit":
        assert "packages.rpm" in derive(tree, commit=COMMIT).unknown
    else:
        with pytest.raises(UnknownHeaderError):
            derive(tree, commit=COMMIT)


def test_condition_below_the_floor() -> None:
    """A conditional header that an older GCC has leaves no doubt."""
    api = {"csrc/apis/runtime.hpp": "#if X\n#include <span>\n#endif\n"}

    assert {} == changed("new", api).unknown


def test_directories_that_only_a_run_tells() -> None:
    """Where the include directories are not known, no header is called nobody's."""
    text = (
        example_tree("new")
        .files["setup.py"]
        .replace("include_dirs=build_include_dirs", "include_dirs=find_directories()")
    )

    found = changed("new", {"setup.py": text})

    assert {"includes", "gcc_min", "cuda_min", "packages.rpm"} <= found.unknown.keys()


def test_optional_file_of_the_source() -> None:
    """A quoted header that is not there and only wanted under a condition leaves no doubt."""
    api = {
        "csrc/apis/runtime.hpp": '#if __has_include("extra.hpp")\n#include "extra.hpp"\n#endif\n'
    }

    assert {} == changed("new", api).unknown


def test_condition_around_a_missing_submodule() -> None:
    """A conditional header of cutlass is cutlass's, at hand or not."""
    api = {"csrc/apis/runtime.hpp": "#if X\n#include <cute/arch/mma.hpp>\n#endif\n"}
    tree = example_tree("new", without=("third-party/cutlass",), changed=api)

    assert {"gcc_min"} == derive(tree, commit=COMMIT).unknown.keys()


def test_header_newer_than_the_table() -> None:
    """A standard header of which no first GCC is known leaves the floor open."""
    found = changed("new", {"csrc/apis/runtime.hpp": "#include <mdspan>\n"})

    assert "<mdspan>" in found.unknown["gcc_min"]
    assert "13" == found.scalar("gcc_min")
