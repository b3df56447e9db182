"""Which CUDA toolkit is taken."""

from pathlib import Path

import pytest

from dgpin.build import cuda, torch_files
from dgpin.build.torch_files import Torch, TorchError
from tests.build import world as worlds
from tests.build.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a machine with torch; nothing of it is started."""
    made = worlds.make(tmp_path / "root", "debian", tmp_path / "source")
    made.torch()
    return made


def torch(world: World) -> Torch:
    """Return the machine's torch."""
    found = torch_files.find([world.site])
    assert found is not None
    return found


def home(world: World) -> Path | None:
    """Return the home that is taken on a machine."""
    found = cuda.find(world.env, torch(world), root=world.root)
    return found.toolkit.home if found.toolkit else None


def test_environment_comes_first(world: World) -> None:
    """CUDA_HOME wins over the nvcc on PATH."""
    world.toolkit("usr/local/cuda")
    world.env["CUDA_HOME"] = str(world.toolkit("opt/cuda"))

    assert world.root / "opt/cuda" == home(world)


@pytest.mark.parametrize("style", ["link", "links", "exec", "variable"])
def test_nvcc_is_followed(world: World, style: str) -> None:
    """Links and wrapper scripts on PATH lead to the toolkit that holds the real nvcc."""
    real = world.toolkit("opt/cuda-13.0") / "bin/nvcc"
    nvcc = world.bin / "nvcc"
    if style == "link":
        nvcc.symlink_to(real)
    elif style == "links":
        (world.root / "etc/nvcc").symlink_to(real)
        nvcc.symlink_to(world.root / "etc/nvcc")
    elif style == "exec":
        world.program("usr/bin/nvcc", f'#!/bin/sh\nexec {real} "$@"\n')
    else:
        world.program("usr/bin/nvcc", f'#!/bin/bash\nexport A=1\n"{real}" "$@"\n')

    assert world.root / "opt/cuda-13.0" == home(world)


def test_headers_beside_the_wrapper_are_found(world: World) -> None:
    """A distribution's own toolkit has nvcc in a corner and its headers in /usr/include."""
    real = world.program("usr/lib/nvidia-cuda-toolkit/bin/nvcc", "ELF, as it were")
    world.program("usr/bin/nvcc", f'#!/bin/sh\nexec {real} "$@"\n')
    world.file("usr/include/cuda_runtime_api.h", "#define CUDART_VERSION 13000\n")

    assert world.root / "usr" == home(world)


def test_relative_home_holds_wherever_the_compiler_runs(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA_HOME is read from here, and is used in other directories."""
    world.toolkit("opt/cuda")
    monkeypatch.chdir(world.root)
    world.env["CUDA_HOME"] = "opt/cuda"

    assert world.root / "opt/cuda" == home(world)


def test_link_that_leads_nowhere_is_no_library(tmp_path: Path) -> None:
    """A dangling link is passed over for the file that is there."""
    (tmp_path / "libnvrtc.so").symlink_to(tmp_path / "gone")
    (tmp_path / "libnvrtc.so.1").symlink_to(tmp_path / "gone")
    real = worlds.write(tmp_path / "libnvrtc.so.13")

    assert real == cuda.resolve("nvrtc", [tmp_path]).path


def test_wrapper_that_calls_itself_ends(world: World) -> None:
    """A wrapper that names itself is followed once."""
    world.program("usr/bin/nvcc", f"#!/bin/sh\nexec {world.bin}/nvcc\n")

    assert home(world) is None


def test_of_two_toolkits_that_of_torch_is_taken(world: World) -> None:
    """What nvcc on PATH leads to is passed over where torch is of another major version."""
    other = world.toolkit("opt/cuda-12.9", "12.9")
    fitting = world.toolkit("usr/local/cuda")
    (world.bin / "nvcc").symlink_to(other / "bin/nvcc")

    found = cuda.find(world.env, torch(world), root=world.root)

    assert found.toolkit is not None
    assert fitting == found.toolkit.home
    refused = {each.home: each.refused for each in found.considered}
    assert refused[other] == "it is CUDA 12.9, and torch was built with 13.0"


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_toolkit_that_is_named_is_taken_as_it_is(world: World, variable: str) -> None:
    """What the user named is not passed over, though it does not fit."""
    world.toolkit("usr/local/cuda")
    world.env[variable] = str(world.toolkit("opt/cuda-12.9", "12.9"))

    assert world.root / "opt/cuda-12.9" == home(world)


def test_pip_packages_of_the_whole_search_path_are_found(world: World) -> None:
    """torch may be the system's, and pip's nvidia packages those of a virtual environment."""
    world.file("other/nvidia/cu13/lib/libnvrtc.so.13")
    world.file("other/nvidia/cu12/lib/libnvrtc.so.12")

    found = torch_files.find([world.site, world.root / "other"])

    assert found is not None
    assert (world.root / "other/nvidia/cu13",) == found.nvidia


def test_torch_without_headers_can_be_read(world: World) -> None:
    """An image for running only may have none; what is asked of files is still answered."""
    (world.site / "torch/include/ATen/ATen.h").unlink()

    assert ("2.14.1+cu130", 0) == (torch(world).version, torch(world).cxx_std)


def test_pip_toolkit_is_the_last_resort(world: World) -> None:
    """Without any other, pip's nvidia packages are the toolkit when they hold its headers."""
    world.file("venv/site-packages/nvidia/cu13/include/cuda_runtime_api.h")
    world.file("venv/site-packages/nvidia/cu13/include/cuda.h", "#define CUDA_VERSION 13000\n")

    assert world.site / "nvidia/cu13" == home(world)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("#define CUDA_VERSION 13000\n", "13.0"),
        ("#define CUDA_VERSION 12090\n", "12.9"),
        ("  #  define CUDA_VERSION 12040\n", "12.4"),
        ("nothing\n", ""),
    ],
)
def test_version_is_that_of_the_headers(tmp_path: Path, text: str, version: str) -> None:
    """The version is read from cuda.h, whatever nvcc says."""
    worlds.write(tmp_path / "include/cuda.h", text)
    worlds.write(tmp_path / "include/cuda_runtime_api.h")

    found = cuda.read(tmp_path, "here")

    assert found is not None
    assert version == found.version


def test_headers_below_targets_are_found(tmp_path: Path) -> None:
    """conda's toolkits have their headers below targets."""
    worlds.write(tmp_path / "targets/x86_64-linux/include/cuda_runtime_api.h")

    found = cuda.read(tmp_path, "here")

    assert found is not None
    assert (tmp_path / "targets/x86_64-linux/include",) == found.includes


@pytest.mark.parametrize(
    ("files", "taken", "link_name"),
    [
        (["libnvrtc.so", "libnvrtc.so.13"], "libnvrtc.so", True),
        (["libnvrtc.so.13", "libnvrtc.alt.so.13", "libnvrtc-b.so.13.0"], "libnvrtc.so.13", False),
        (["libnvrtc.so.13", "libnvrtc.so.13.0.88"], "libnvrtc.so.13", False),
        (["libnvrtc.a"], "libnvrtc.a", False),
    ],
)  # fmt: skip
def test_library_by_its_best_name(
    tmp_path: Path, files: list[str], taken: str, link_name: bool
) -> None:
    """The link name is taken if there is one, else the shortest version, else the archive."""
    for name in files:
        worlds.write(tmp_path / name)

    found = cuda.resolve("nvrtc", [tmp_path])

    assert (tmp_path / taken, link_name) == (found.path, found.has_link_name)


def test_torch_is_read_from_its_files(world: World) -> None:
    """Version, git hash, CUDA, ABI and C++ standard come from files, not from an import."""
    found = torch(world)

    assert ("2.14.1+cu130", "5" * 40, "13.0", True, 20) == (
        found.version,
        found.git,
        found.cuda,
        found.cxx11_abi,
        found.cxx_std,
    )


def test_old_abi_is_told(world: World) -> None:
    """A torch whose symbols know nothing of __cxx11 has the old C++ ABI."""
    world.file("venv/site-packages/torch/lib/libc10.so", "std::string")

    assert not torch(world).cxx11_abi


def test_damaged_torch_is_an_error(world: World) -> None:
    """A torch without its library is told by the file that is missing."""
    (world.site / "torch/lib/libc10.so").unlink()

    with pytest.raises(TorchError, match=r"libc10\.so: is missing"):
        torch(world)
