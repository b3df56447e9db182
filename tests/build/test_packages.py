"""What to install, by distribution."""

import pytest

from dgpin.build import distro, packages
from dgpin.build.distro import Family
from tests.build.world import OS_RELEASE


@pytest.mark.parametrize(
    ("name", "family", "version"),
    [
        ("debian", Family.APT, "12"),
        ("ubuntu", Family.APT, "22.04"),
        ("almalinux", Family.DNF, "8.10"),
        ("amzn", Family.DNF, "2023"),
        ("alpine", Family.APK, "3.18.4"),
    ],
)
def test_os_release_is_read(name: str, family: Family, version: str) -> None:
    """The family and the version come out of os-release, quoted or not."""
    found = distro.parse(OS_RELEASE[name])

    assert (name, family, version) == (found.id, found.family, found.version)


def test_derivative_is_what_it_derives_from() -> None:
    """A distribution that no table knows is of the family that ID_LIKE names first."""
    found = distro.parse("ID=linuxmint\nID_LIKE='ubuntu debian'\nVERSION_ID=21\n")

    assert Family.APT == found.family
    assert "apt-get install libdw-dev" == found.install(["libdw-dev"])


def test_unknown_system_offers_no_command() -> None:
    """Where the package manager is unknown no command is made up."""
    found = distro.parse("ID=plan9\n")

    assert "" == found.install(["libdw-dev"])


@pytest.mark.parametrize(
    ("header", "cuda", "package", "pip"),
    [
        ("cusparse.h", "13.0", "libcusparse-dev-13-0", "cuda-toolkit[cusparse]==13.0.*"),
        ("cublas_v2.h", "13.0", "libcublas-dev-13-0", "cuda-toolkit[cublas]==13.0.*"),
        ("cublasLt.h", "12.9", "libcublas-dev-12-9", "nvidia-cublas-cu12"),
        ("cusolverDn.h", "12.8", "libcusolver-dev-12-8", "nvidia-cusolver-cu12"),
        ("nvrtc.h", "13.0", "cuda-nvrtc-dev-13-0", "cuda-toolkit[nvrtc]==13.0.*"),
        ("cuda/std/cstdint", "13.0", "cuda-cccl-13-0", "cuda-toolkit[cccl]==13.0.*"),
        ("cuda_fp8.h", "13.0", "cuda-cudart-dev-13-0", "cuda-toolkit[cudart]==13.0.*"),
        ("crt/host_defines.h", "13.0", "cuda-crt-13-0", "cuda-toolkit[crt]==13.0.*"),
        ("crt/host_defines.h", "12.9", "cuda-crt-12-9", "nvidia-cuda-nvcc-cu12"),
        ("cufile.h", "13.0", "libcufile-dev-13-0", "cuda-toolkit[cufile]==13.0.*"),
        ("elfutils/libdwfl.h", "13.0", "libdw-dev", ""),
        ("torch/python.h", "13.0", "", "torch"),
    ],
)
def test_header_on_debian(header: str, cuda: str, package: str, pip: str) -> None:
    """A header leads to the part of CUDA that holds it, in the version that is wanted."""
    found = packages.header(header, distro.parse(OS_RELEASE["debian"]), cuda=cuda)

    assert (package, pip) == (found.package, found.pip)


def test_every_cuda_header_has_a_component() -> None:
    """No header that the tables call CUDA's is left without a package."""
    debian = distro.parse(OS_RELEASE["debian"])

    for name in ("mma.h", "cuComplex.h", "nvtx3/nvToolsExt.h", "cub/cub.cuh", "cupti.h"):
        assert packages.header(name, debian, cuda="13.0").package


@pytest.mark.parametrize(
    ("release", "package"),
    [
        ('ID=debian\nVERSION_ID="13"\n', "g++"),
        ('ID=ubuntu\nVERSION_ID="24.04"\n', "g++"),
        ('ID=ubuntu\nVERSION_ID="22.04"\n', "g++-13"),
        ('ID=rocky\nVERSION_ID="9.4"\n', "gcc-toolset-13-gcc-c++"),
        ('ID=almalinux\nVERSION_ID="10.0"\n', "gcc-c++"),
        ("ID=fedora\nVERSION_ID=42\n", "gcc-c++"),
        ('ID="amzn"\nVERSION_ID="2023"\n', "gcc14-c++"),
        ("ID=alpine\nVERSION_ID=3.20.1\n", "g++"),
        ("ID=alpine\nVERSION_ID=3.18.1\n", ""),
    ],
)
def test_compiler_with_format(release: str, package: str) -> None:
    """The package named for <format> is one whose GCC is 13 or newer."""
    assert package == packages.compiler(distro.parse(release), newest="format").package


@pytest.mark.parametrize(
    ("release", "header", "told"),
    [
        ("ID=linuxmint\nID_LIKE='ubuntu debian'\nVERSION_ID=21\n", "format", "g++ 13 or newer"),
        ('ID=debian\nVERSION_ID="12"\n', "mdspan", "no release of GCC"),
    ],
)
def test_no_package_is_named_that_may_be_the_old_compiler(
    release: str, header: str, told: str
) -> None:
    """Where it is not known what the plain name brings, none is named as the cure."""
    found = packages.compiler(distro.parse(release), newest=header)

    assert "" == found.package
    assert told in found.note


def test_older_standard_header_needs_no_newer_compiler() -> None:
    """<span> came with GCC 10, which Debian 12's g++ has."""
    found = packages.compiler(distro.parse(OS_RELEASE["debian"]), newest="span")

    assert ("g++", "") == (found.package, found.note)
