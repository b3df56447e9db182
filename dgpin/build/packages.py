"""Which package brings what is missing: by distribution, and by pip where NVIDIA has it there."""

import re
from dataclasses import dataclass

from dgpin.build.distro import Distribution, Family
from dgpin.pin import headers as known


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part of the CUDA toolkit.

    `apt` and `dnf` are the names in NVIDIA's repositories, with `{}` for the version as in `13-0`;
    `extra` is the one of pip's `cuda-toolkit`, `cu12` the pip package of CUDA 12. There is no CUDA
    for musl, so Alpine has no column.
    """

    headers: str  # a regular expression for names as they are included
    libraries: tuple[str, ...]
    apt: str
    dnf: str
    extra: str
    cu12: str


# In the order in which they are tried; the runtime takes what no other part claims.
COMPONENTS = (
    Component(
        headers=r"cusparse\w*\.h",
        libraries=("cusparse",),
        apt="libcusparse-dev-{}",
        dnf="libcusparse-devel-{}",
        extra="cusparse",
        cu12="nvidia-cusparse-cu12",
    ),
    Component(
        headers=r"(?:cublas\w*|nvblas)\.h",
        libraries=("cublas", "cublasLt", "nvblas"),
        apt="libcublas-dev-{}",
        dnf="libcublas-devel-{}",
        extra="cublas",
        cu12="nvidia-cublas-cu12",
    ),
    Component(
        headers=r"cusolver\w*\.h",
        libraries=("cusolver", "cusolverMg"),
        apt="libcusolver-dev-{}",
        dnf="libcusolver-devel-{}",
        extra="cusolver",
        cu12="nvidia-cusolver-cu12",
    ),
    Component(
        headers=r"cufft\w*\.h",
        libraries=("cufft", "cufftw"),
        apt="libcufft-dev-{}",
        dnf="libcufft-devel-{}",
        extra="cufft",
        cu12="nvidia-cufft-cu12",
    ),
    Component(
        headers=r"curand\w*\.h",
        libraries=("curand",),
        apt="libcurand-dev-{}",
        dnf="libcurand-devel-{}",
        extra="curand",
        cu12="nvidia-curand-cu12",
    ),
    Component(
        headers=r"nvrtc\.h",
        libraries=("nvrtc",),
        apt="cuda-nvrtc-dev-{}",
        dnf="cuda-nvrtc-devel-{}",
        extra="nvrtc",
        cu12="nvidia-cuda-nvrtc-cu12",
    ),
    Component(
        headers=r"nvJitLink\.h",
        libraries=("nvJitLink",),
        apt="libnvjitlink-dev-{}",
        dnf="libnvjitlink-devel-{}",
        extra="nvjitlink",
        cu12="nvidia-nvjitlink-cu12",
    ),
    Component(
        headers=r"(?:nvtx3/\S+|nvToolsExt\w*\.h)",
        libraries=("nvToolsExt", "nvtx3interop"),
        apt="cuda-nvtx-{}",
        dnf="cuda-nvtx-{}",
        extra="nvtx",
        cu12="nvidia-nvtx-cu12",
    ),
    Component(
        headers=r"(?:cupti\w*\.h|generated_\w+_meta\.h)",
        libraries=("cupti",),
        apt="cuda-cupti-dev-{}",
        dnf="cuda-cupti-{}",
        extra="cupti",
        cu12="nvidia-cuda-cupti-cu12",
    ),
    Component(
        headers=r"(?:cuda_profiler_api|cudaProfiler)\.h",
        libraries=(),
        apt="cuda-profiler-api-{}",
        dnf="cuda-profiler-api-{}",
        extra="profiler",
        cu12="nvidia-cuda-profiler-api-cu12",
    ),
    Component(
        headers=r"(?:cub|thrust|nv|cuda)/\S+",
        libraries=(),
        apt="cuda-cccl-{}",
        dnf="cuda-cccl-{}",
        extra="cccl",
        cu12="nvidia-cuda-cccl-cu12",
    ),
    Component(
        headers=r"crt/\S+",
        libraries=(),
        apt="cuda-crt-{}",
        dnf="cuda-crt-{}",
        extra="crt",
        cu12="nvidia-cuda-nvcc-cu12",
    ),
    Component(
        headers=r"cufile\w*\.h",
        libraries=("cufile",),
        apt="libcufile-dev-{}",
        dnf="libcufile-devel-{}",
        extra="cufile",
        cu12="nvidia-cufile-cu12",
    ),
    Component(
        headers=r"(?!)",  # its headers count as the runtime's
        libraries=("cuda",),
        apt="cuda-driver-dev-{}",
        dnf="cuda-driver-devel-{}",
        extra="",
        cu12="",
    ),
    Component(
        headers=r".*",
        libraries=("cudart", "cudart_static", "cudadevrt"),
        apt="cuda-cudart-dev-{}",
        dnf="cuda-cudart-devel-{}",
        extra="cudart",
        cu12="nvidia-cuda-runtime-cu12",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What to install: a package of the distribution, or pip's; either may be empty.

    `note` says what neither can.
    """

    package: str = ""
    pip: str = ""
    note: str = ""


def header(name: str, distribution: Distribution, *, cuda: str) -> Source:
    """Return what brings a header; `cuda` is the version to ask NVIDIA's repositories for."""
    owner = known.owner(name)
    if owner is known.Owner.CUDA:
        return _cuda(_component(name), distribution, cuda)
    if owner is known.Owner.PACKAGE:
        return Source(package=_column(known.PACKAGES[name], distribution))
    if name == "Python.h":
        return Source(note="the headers of that Python")
    if owner is known.Owner.TORCH:
        return Source(pip="torch")
    if owner is known.Owner.STANDARD:
        return compiler(distribution, newest=name)
    return Source(note="no table knows this header")


def library(name: str, distribution: Distribution, *, cuda: str) -> Source:
    """Return what brings a `-l` library."""
    for component in COMPONENTS:
        if name in component.libraries:
            return _cuda(component, distribution, cuda)
    if name.startswith(("torch", "c10")):
        return Source(pip="torch")
    return Source(note="no table knows this library")


def toolkit(distribution: Distribution, *, cuda: str) -> Source:
    """Return what brings the headers without which there is no toolkit."""
    return _cuda(COMPONENTS[-1], distribution, cuda)


def python_headers(distribution: Distribution, short: str) -> Source:
    """Return what brings the headers of the distribution's own Python, such as 3.11."""
    names = {
        Family.APT: f"python{short}-dev",
        Family.DNF: f"python{short}-devel",
        Family.APK: "python3-dev",
    }
    return Source(package=names.get(distribution.family, ""))


def compiler(distribution: Distribution, *, newest: str = "") -> Source:
    """Return what brings a C++ compiler, one with the standard header `newest` if one is named."""
    plain = {Family.APT: "g++", Family.DNF: "gcc-c++", Family.APK: "g++"}
    floor = int(known.GCC_FLOORS.get(newest, "0"))
    own = _own_gcc(distribution)
    if newest in known.UNDATED:
        return Source(note=f"no release of GCC is known here to have <{newest}>")
    if own is None and floor and distribution.id not in _ROLLING:
        # What its plain name brings is not known, and may be the very compiler that is too old.
        return Source(note=f"it takes g++ {floor} or newer, named by CXX")
    if own is None or own >= floor:
        return Source(package=plain.get(distribution.family, ""))
    for versions, package, provides, note in _NEWER.get(distribution.id, ()):
        if _major(distribution.version) in versions and provides >= floor:
            return Source(package=package, note=note)
    return Source(note=f"{distribution.name} has no g++ {floor}; a newer release has")


# The GCC that each release installs by its plain name; rolling ones are left out.
_OWN_GCC = {
    ("debian", "11"): 10,
    ("debian", "12"): 12,
    ("debian", "13"): 14,
    ("ubuntu", "20"): 9,
    ("ubuntu", "22"): 11,
    ("ubuntu", "24"): 13,
    ("rhel", "8"): 8,
    ("rhel", "9"): 11,
    ("rhel", "10"): 14,
    ("amzn", "2"): 7,
    ("amzn", "2023"): 11,
    **{("alpine", f"3.{minor}"): 12 for minor in (17, 18)},
    **{("alpine", f"3.{minor}"): 13 for minor in (19, 20)},
    **{("alpine", f"3.{minor}"): 14 for minor in (21, 22)},
}
_ROLLING = ("fedora",)
_RHEL = ("almalinux", "rocky", "centos", "ol")
_TOOLSET = (
    ("8", "9"),
    "gcc-toolset-13-gcc-c++",
    13,
    "then CXX=/opt/rh/gcc-toolset-13/root/usr/bin/g++",
)
_TOOLSET_14 = (
    ("8", "9"),
    "gcc-toolset-14-gcc-c++",
    14,
    "then CXX=/opt/rh/gcc-toolset-14/root/usr/bin/g++",
)
_DEBIAN_12 = (
    ("12",),
    "",
    13,
    "Debian 12 has no g++ 13: give its g++ the headers of libstdc++-13-dev through CXXFLAGS",
)
_UBUNTU_22 = (
    ("22",),
    "g++-13",
    13,
    "from ppa:ubuntu-toolchain-r/test, then CXX=g++-13",
)
_AMAZON = (("2023",), "gcc14-c++", 14, "then CXX=gcc14-g++")
_NEWER = {
    "debian": (_DEBIAN_12,),
    "ubuntu": (_UBUNTU_22,),
    "amzn": (_AMAZON,),
    **dict.fromkeys(("rhel", *_RHEL), (_TOOLSET, _TOOLSET_14)),
}


def _own_gcc(distribution: Distribution) -> int | None:
    name = "rhel" if distribution.id in _RHEL else distribution.id
    parts = distribution.version.split(".")
    return _OWN_GCC.get((name, ".".join(parts[: 2 if name == "alpine" else 1])))


def _major(version: str) -> str:
    return version.partition(".")[0]


def _component(name: str) -> Component:
    return next(part for part in COMPONENTS if re.fullmatch(part.headers, name))


def _cuda(component: Component, distribution: Distribution, cuda: str) -> Source:
    dashed = cuda.replace(".", "-")
    names = {Family.APT: component.apt, Family.DNF: component.dnf}
    package = names.get(distribution.family, "")
    if distribution.family is Family.APK:
        return Source(note="NVIDIA has no CUDA for musl; build in a glibc distribution")
    pip = component.cu12
    if not cuda.startswith("12"):
        pip = f"cuda-toolkit[{component.extra}]=={cuda}.*" if component.extra else ""
    return Source(package=package.format(dashed), pip=pip)


def _column(package: known.Package, distribution: Distribution) -> str:
    columns = {Family.APT: package.deb, Family.DNF: package.rpm, Family.APK: package.apk}
    return columns.get(distribution.family, "")
