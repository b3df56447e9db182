"""The preflight on machines that are directories, their compilers small scripts."""

import json
import os
import shutil
from pathlib import Path

import pytest

from dgpin.build import compiler, headers, job, preflight, toolchain
from dgpin.build.recipe import Binding, Recipe
from dgpin.build.table import Preflight, Status
from tests.build import world as worlds
from tests.build.world import BACKTRACE, GXX, OS_RELEASE, World
from tests.example.deepgemm import sources

INCLUDED = "cuda_runtime_api.h elfutils/libdwfl.h format cusparse.h"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return the small DeepGEMM 2.8.0, which uses <format> and elfutils."""
    root = tmp_path / "source"
    for path, text in sources()["new"].items():
        worlds.write(root / path, text)
    return root


def machine(distribution: str, tmp_path: Path, source: Path) -> World:
    """Return a machine of a distribution with the compiler of that release."""
    made = worlds.make(tmp_path / "root", distribution, source)
    made.compiler(GXX[distribution], headers=INCLUDED)
    return made


@pytest.fixture
def world(tmp_path: Path, source: Path) -> World:
    """Return a Debian."""
    return machine("debian", tmp_path, source)


@pytest.fixture(params=OS_RELEASE)
def each(request: pytest.FixtureRequest, tmp_path: Path, source: Path) -> World:
    """Return a machine of every distribution in turn."""
    return machine(request.param, tmp_path, source)


def inspect(world: World, *, libraries: tuple[str, ...] = (), **options: object) -> Preflight:
    """Return the preflight of the small DeepGEMM there; `libraries` are linked besides."""
    recipe = job.read_recipe(world.source)
    recipe = Recipe(
        name=recipe.name,
        binding=Binding.PYBIND11,
        sources=recipe.sources,
        includes=recipe.includes,
        libraries=(*recipe.libraries, *libraries),
        flags=recipe.flags,
        third_party=recipe.third_party,
        modules=recipe.modules,
    )
    home = options.pop("cuda_home", None)
    assert not options
    found = toolchain.collect(
        [world.python],
        env=world.env,
        modules=recipe.modules,
        root=world.root,
        cuda_home=home if isinstance(home, Path) else None,
    )
    return preflight.inspect(recipe, world.source, found)


def complete(world: World) -> None:
    """Give a machine everything that the small DeepGEMM needs."""
    world.torch()
    world.toolkit("usr/local/cuda-13.0")
    world.program("usr/bin/nvcc", f"#!/bin/sh\nexec {world.root}/usr/local/cuda-13.0/bin/nvcc\n")
    for name in ("elfutils/libdwfl.h", "format", "cusparse.h"):
        world.file(f"usr/include/{name}")
    for name in ("cuda_runtime.h", "cccl/cuda/std/utility"):
        world.file(f"usr/local/cuda-13.0/include/{name}")


EVERYTHING = {
    "debian": [
        ("elfutils/libdwfl.h", "libdw-dev", ""),
        ("<format>", "", ""),
        ("cusparse.h", "libcusparse-dev-13-0", "cuda-toolkit[cusparse]==13.0.*"),
        ("libnvrtc", "cuda-nvrtc-dev-13-0", "cuda-toolkit[nvrtc]==13.0.*"),
    ],
    "ubuntu": [
        ("elfutils/libdwfl.h", "libdw-dev", ""),
        ("<format>", "g++-13", ""),
        ("cusparse.h", "libcusparse-dev-13-0", "cuda-toolkit[cusparse]==13.0.*"),
        ("libnvrtc", "cuda-nvrtc-dev-13-0", "cuda-toolkit[nvrtc]==13.0.*"),
    ],
    "almalinux": [
        ("elfutils/libdwfl.h", "elfutils-devel", ""),
        ("<format>", "gcc-toolset-13-gcc-c++", ""),
        ("cusparse.h", "libcusparse-devel-13-0", "cuda-toolkit[cusparse]==13.0.*"),
        ("libnvrtc", "cuda-nvrtc-devel-13-0", "cuda-toolkit[nvrtc]==13.0.*"),
    ],
    "amzn": [
        ("elfutils/libdwfl.h", "elfutils-devel", ""),
        ("<format>", "gcc14-c++", ""),
        ("cusparse.h", "libcusparse-devel-13-0", "cuda-toolkit[cusparse]==13.0.*"),
        ("libnvrtc", "cuda-nvrtc-devel-13-0", "cuda-toolkit[nvrtc]==13.0.*"),
    ],
    "alpine": [
        ("elfutils/libdwfl.h", "elfutils-dev", ""),
        ("<format>", "", ""),
        ("cusparse.h", "", ""),
        ("libnvrtc", "", ""),
    ],
}


def test_everything_missing_is_one_table(each: World) -> None:
    """What four obstacles need is named at once, each with its package, and nothing else is."""
    each.torch()
    each.toolkit("usr/local/cuda")

    found = inspect(each, libraries=("nvrtc",))

    expected = EVERYTHING[found.toolchain.distribution.id]
    assert expected == [(item.name, item.package, item.pip) for item in found.missing]


def test_nothing_missing_is_no_row(each: World) -> None:
    """On a machine that has everything, nothing is called missing."""
    complete(each)

    assert () == inspect(each).missing


def test_nvcc_is_followed_to_its_toolkit(each: World) -> None:
    """A wrapper script on PATH leads to the toolkit behind it, not to its own parent."""
    complete(each)

    found = inspect(each)

    assert found.toolchain.toolkit is not None
    assert each.root / "usr/local/cuda-13.0" == found.toolchain.toolkit.home
    notes = {item.name: item.detail for item in found.items if item.status is Status.NOTE}
    assert notes["torch's own guess"].startswith(f"{each.root}/usr; ")


def test_elfutils_alone(each: World) -> None:
    """A missing elfutils header is named with its package and the line that includes it."""
    complete(each)
    (each.root / "usr/include/elfutils/libdwfl.h").unlink()

    found = inspect(each)

    (item,) = found.missing
    package = {name: rows[0][1] for name, rows in EVERYTHING.items()}
    assert package[found.toolchain.distribution.id] == item.package
    assert [f"{BACKTRACE}:7"] == [str(place) for place in item.needed_by]


def test_compiler_that_is_named_and_answers_not(world: World) -> None:
    """CXX that is no compiler is told by its name; to install g++ would not cure it."""
    complete(world)
    world.env["CXX"] = str(world.program("opt/cxx", "#!/bin/sh\necho garbage\n"))

    (item,) = (item for item in inspect(world).missing if item.name == "C++ compiler")

    assert "" == item.package
    assert item.detail.startswith(f"CXX={world.root}/opt/cxx is none that answers")


def test_answers_in_another_language_are_understood(world: World) -> None:
    """A compiler that would speak German is asked in English."""
    complete(world)
    real = world.bin / "g++"
    asked = '[ "$LC_ALL$LANGUAGE" = C ] && '
    real.write_text(real.read_text().replace("echo 'libraries", f"{asked}echo 'libraries"))
    world.env.update(LANG="de_DE.UTF-8", LC_ALL="de_DE.UTF-8", LANGUAGE="de")
    world.file("usr/lib/libnvrtc.so")

    assert () == inspect(world, libraries=("nvrtc",)).missing


def test_library_that_only_ldflags_lead_to(world: World) -> None:
    """A library is looked for where LDFLAGS point."""
    complete(world)
    stub = world.file("opt/stubs/libcuda.so")
    world.env["LDFLAGS"] = f"-L {stub.parent}"

    found = inspect(world, libraries=("cuda",))

    assert [stub] == [library.path for library in found.libraries if library.name == "cuda"]


def test_library_that_only_the_linker_knows_of(world: World) -> None:
    """Where the compiler names no directory that has it, the linker's own are searched."""
    complete(world)
    lib = world.file("usr/local/lib/libnvrtc.so")
    real = world.bin / "g++"
    told = f"echo 'SEARCH_DIR(\"={lib.parent}\");'"
    real.write_text(
        real.read_text().replace('*" -M "*)', f'*" -Wl,--verbose "*) {told} ;;\n*" -M "*)')
    )

    found = inspect(world, libraries=("nvrtc",))

    assert [lib] == [library.path for library in found.libraries if library.name == "nvrtc"]


def test_pip_headers_are_used_unasked(each: World) -> None:
    """A header that only pip's nvidia package holds is found."""
    complete(each)
    (each.root / "usr/include/cusparse.h").unlink()
    each.file("venv/site-packages/nvidia/cu13/include/cusparse.h")

    assert () == inspect(each).missing


def test_old_compiler_is_named_by_what_it_lacks(each: World) -> None:
    """A g++ without <format> is told by a probe, and the row says since when GCC has it."""
    complete(each)
    (each.root / "usr/include/format").unlink()

    (item,) = inspect(each).missing

    assert "<format>" == item.name
    assert "it came with GCC 13" in item.detail


def test_compiler_that_fails_without_a_word(world: World) -> None:
    """One that is killed, or a wrapper that fails, is a row like any other."""
    complete(world)
    real = world.bin / "g++"
    answer = '*" -fsyntax-only "*) exit 1 ;;\n'
    real.write_text(real.read_text().replace('*" -M "*)', f'{answer}*" -M "*)'))

    (item,) = (item for item in inspect(world).missing if item.name.startswith("g++"))

    assert "cannot compile C++20: it fails and says nothing" == item.detail


def test_compiler_without_the_shared_library_is_refused(world: World) -> None:
    """A g++ whose libstdc++ is only static would make a `_C` that imports and then crashes."""
    complete(world)
    real = world.bin / "g++"
    answer = '*" -print-file-name=libstdc++.so "*) echo libstdc++.so ;;\n'
    real.write_text(real.read_text().replace('*" -M "*)', f'{answer}*" -M "*)'))

    (item,) = inspect(world).missing

    assert "shared libstdc++" == item.name
    assert "crash" in item.detail


def test_static_library_asked_for_is_refused(world: World) -> None:
    """LDFLAGS can ask for the same."""
    complete(world)
    world.env["LDFLAGS"] = "-static-libstdc++"

    assert ["shared libstdc++"] == [item.name for item in inspect(world).missing]


def test_library_without_link_name_is_linked(each: World) -> None:
    """`-lnvrtc` finds pip's libnvrtc.so.13, which no linker finds by that name."""
    complete(each)
    real = each.file("venv/site-packages/nvidia/cu13/lib/libnvrtc.so.13")

    found = inspect(each, libraries=("nvrtc",))

    assert () == found.missing
    assert [real] == [lib.path for lib in found.libraries if lib.name == "nvrtc"]


def test_stub_of_the_driver_is_found(world: World) -> None:
    """`-lcuda` finds the toolkit's stub, and the row says where."""
    complete(world)
    stub = world.file("usr/local/cuda-13.0/lib64/stubs/libcuda.so")

    found = inspect(world, libraries=("cuda",))

    assert () == found.missing
    assert [f"the stub {stub} is linked"] == [
        item.detail for item in found.items if item.name == "libcuda"
    ]


def test_library_that_is_nowhere_says_where_it_looked(world: World) -> None:
    """A missing library's row names the directories."""
    complete(world)

    (item,) = inspect(world, libraries=("cuda",)).missing

    assert "libcuda" == item.name
    assert f"{world.root}/usr/local/cuda-13.0/lib64" in item.detail


def test_cpu_only_torch_is_called_that(world: World) -> None:
    """A torch without CUDA is one row; its missing CUDA libraries are none."""
    complete(world)
    for name in ("torch_cuda", "c10_cuda"):
        (world.site / f"torch/lib/lib{name}.so").unlink()
    world.torch("2.13.0+cpu", None)

    (item,) = inspect(world).missing

    assert "torch 2.13.0+cpu" == item.name
    assert item.detail.startswith("a CPU-only build")


def test_two_torches_are_told(world: World) -> None:
    """A Python with another torch is noted: the extension is compiled for the first one's."""
    complete(world)
    first, second = world.python, world.root / "other/bin/python"
    shutil.copytree(world.site, world.root / "other/site-packages")
    version = world.root / "other/site-packages/torch/version.py"
    version.write_text(version.read_text().replace("2.14.1", "2.13.0"))
    answer = json.loads((world.root / "venv/answer.json").read_text())
    answer |= {"ext_suffix": ".cpython-312-x86_64-linux-gnu.so", "version": "3.12.1"}
    answer["path"] = [str(version.parent.parent)]
    kept = world.file("other/answer.json", json.dumps(answer))
    world.program("other/bin/python", f"#!/bin/sh\ncat '{kept}' > \"$3\"\n")

    recipe = job.read_recipe(world.source)
    both = toolchain.collect([first, str(second)], env=world.env, root=world.root)
    rows = preflight.inspect(recipe, world.source, both).items

    notes = {item.name: item.detail for item in rows if item.status is Status.NOTE}
    assert (
        f"{second} has this one; what is compiled is for torch 2.14.1+cu130"
        == (notes["torch 2.13.0+cu130"])
    )


def test_torch_without_headers_is_called_that(world: World) -> None:
    """A torch that is for running only is a row of the table, not the end of it."""
    complete(world)
    (world.site / "torch/include/ATen/ATen.h").unlink()

    (item,) = inspect(world).missing

    assert ("torch 2.14.1+cu130", "torch==2.14.1") == (item.name, item.pip)
    assert "has no headers" in item.detail


def test_torch_that_is_left_out_is_told(world: World) -> None:
    """A torch among the user's own packages, or on PYTHONPATH, is not said to be nowhere."""
    complete(world)
    torch = world.site / "torch"
    torch.rename(world.root / "mine")
    (world.root / "far").mkdir()
    (world.root / "mine").rename(world.root / "far/torch")
    world.env["PYTHONPATH"] = f"{world.root}/far"

    (item,) = (item for item in inspect(world).missing if item.name == "torch")

    assert f"{world.root}/far is left out" in item.detail


def test_without_torch_one_row_says_so(world: World) -> None:
    """Without torch its absence is named, and the libraries that are torch's are not."""
    complete(world)
    world.site.joinpath("torch/version.py").unlink()

    assert ["torch"] == [item.name for item in inspect(world).missing]


def test_without_compiler_headers_are_still_told(world: World) -> None:
    """No compiler, no cusparse, no elfutils: all three are in the table."""
    complete(world)
    (world.bin / "g++").unlink()
    for name in ("cusparse.h", "elfutils/libdwfl.h"):
        (world.root / "usr/include" / name).unlink()
    torch = world.site / "torch/include"
    worlds.write(torch / "torch/python.h", "#include <ATen/cuda/CUDAContextLight.h>\n")
    worlds.write(torch / "ATen/cuda/CUDAContextLight.h", "#include <cusparse.h>\n")
    worlds.write(torch / "pybind11/pybind11.h")
    worlds.write(torch / "torch/version.h")

    names = {item.name for item in inspect(world).missing}

    assert {"C++ compiler", "cusparse.h", "elfutils/libdwfl.h"} == names


def test_toolkit_of_another_major_version(world: World) -> None:
    """A toolkit that torch was not built with is an obstacle, told with both versions."""
    complete(world)
    world.toolkit("usr/local/cuda-13.0", "12.9")

    (item,) = inspect(world).missing

    assert "CUDA 12.9" == item.name
    assert "was built with CUDA 13.0" in item.detail


def test_toolkit_without_headers_is_passed_over(world: World) -> None:
    """CUDA_HOME without headers is not taken, and a note says why."""
    complete(world)
    world.env["CUDA_HOME"] = str(world.root / "opt/empty")

    found = inspect(world)

    assert () == found.missing
    assert [f"{world.root}/opt/empty was not taken: no cuda_runtime_api.h in it"] == [
        item.detail for item in found.items if item.name == "CUDA_HOME"
    ]


def test_home_that_is_none_is_not_cured_by_a_package(world: World) -> None:
    """What --cuda-home names is used or refused; whatever is installed would not be used."""
    complete(world)

    missing = inspect(world, cuda_home=world.root / "nowhere").missing

    assert "CUDA toolkit" == missing[0].name
    assert missing[0].detail.endswith("; name another one, or leave the option out")
    assert {("", "")} == {(item.package, item.pip) for item in missing}


def test_full_disk_is_told_before_compiling(world: World, source: Path) -> None:
    """Too little room for a build is a row."""
    complete(world)
    recipe = job.read_recipe(source)
    found = toolchain.collect([world.python], env=world.env, root=world.root)

    checked = preflight.inspect(recipe, source, found, room=lambda _path: 1_000_000)

    assert ["disk"] == [item.name for item in checked.missing]


def test_cache_that_cannot_be_written_is_told_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be kept, that is a row and no surprise after it."""
    complete(world)
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(world.file("file") / "cache"))

    (item,) = inspect(world).missing

    assert "build cache" == item.name
    assert "DGPIN_CACHE_DIR" in item.detail


def test_second_look_asks_the_compiler_for_less(world: World) -> None:
    """While nothing changed, the headers are not read again; a new one is noticed."""
    complete(world)
    inspect(world)
    real = world.bin / "g++"
    real.write_text(
        real.read_text().replace("printf 'python_api.o", "exit 7; printf 'python_api.o")
    )

    assert () == inspect(world).missing


def test_quoted_header_that_appears_is_seen(tmp_path: Path) -> None:
    """A header in quotes may come to lie beside the file that includes it."""
    text = '#include "part.hpp"\n#include "more/other.hpp"\n'
    main = worlds.write(tmp_path / "main.cpp", text)
    gxx = compiler.find({"PATH": os.environ["PATH"]})
    assert gxx is not None

    def missing() -> tuple[str, ...]:
        return headers.closure(gxx, [main], flags=(), env=dict(os.environ)).missing

    assert ("part.hpp", "more/other.hpp") == missing()
    worlds.write(tmp_path / "more/other.hpp")
    assert ("part.hpp",) == missing()


def test_header_that_only_a_variable_leads_to(tmp_path: Path) -> None:
    """What CPATH brought is missing again without it, though the file is where it was."""
    main = worlds.write(tmp_path / "main.cpp", "#include <part.hpp>\n")
    worlds.write(tmp_path / "far/part.hpp")
    env = {"PATH": os.environ["PATH"]}
    gxx = compiler.find(env)
    assert gxx is not None

    with_it = headers.closure(gxx, [main], flags=(), env={**env, "CPATH": str(tmp_path / "far")})
    without = headers.closure(gxx, [main], flags=(), env=env)

    assert ((), ("part.hpp",)) == (with_it.missing, without.missing)


def test_header_that_appears_is_seen(world: World) -> None:
    """What was missing and is installed now is missing no more."""
    complete(world)
    (world.root / "usr/include/cusparse.h").unlink()
    assert ["cusparse.h"] == [item.name for item in inspect(world).missing]

    world.file("usr/include/cusparse.h")

    assert () == inspect(world).missing
