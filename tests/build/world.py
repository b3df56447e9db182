"""A machine in a directory: os-release, headers, libraries, torch; its programs are scripts."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from dgpin.build.interpreter import Interpreter

OS_RELEASE = {
    "debian": 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "ubuntu": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\nPRETTY_NAME="Ubuntu 22.04.5 LTS"\n',
    "almalinux": (
        'ID="almalinux"\nID_LIKE="rhel centos fedora"\nVERSION_ID="8.10"\n'
        'PRETTY_NAME="AlmaLinux 8.10 (Cerulean Leopard)"\n'
    ),
    "amzn": 'ID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"\nPRETTY_NAME="Amazon Linux 2023"\n',
    "alpine": 'ID=alpine\nVERSION_ID=3.18.4\nPRETTY_NAME="Alpine Linux v3.18"\n',
}
GXX = {
    "debian": "12.2.0",
    "ubuntu": "11.4.0",
    "almalinux": "8.5.0",
    "amzn": "11.5.0",
    "alpine": "12.2.1",
}
# The file of the small DeepGEMM that includes elfutils.
BACKTRACE = "third-party/deep_jit/include/deep_jit/utils/exception.hpp"
SUFFIX = ".cpython-311-x86_64-linux-gnu.so"

# Answers what dgpin asks a compiler. Headers are looked for where the arguments say, and in the
# machine's own /usr/include; the standard library has <format> when the file `format` is there.
_COMPILER = """#!/bin/sh
case " $* " in
*" -dM "*)
    echo '#define __GNUC__ {major}'
    echo '#define __GNUC_MINOR__ {minor}'
    echo '#define __GNUC_PATCHLEVEL__ {patch}' ;;
*" -print-search-dirs "*)
    echo 'libraries: ={root}/usr/lib' ;;
*" -M "*)
    printf 'python_api.o: %s/csrc/python_api.cpp %s/{backtrace}' '{source}' '{source}'
    for header in {headers}; do
        found=$header
        for word in "$@" '-I{root}/usr/include'; do
            place=${{word#-I}}/$header
            [ -f "$place" ] && {{ found=$place; break; }}
        done
        printf ' \\\\\\n %s' "$found"
    done
    echo ;;
*" -fsyntax-only "*)
    if grep -q '<format>' && [ ! -f '{root}/usr/include/format' ]; then
        echo 'error: format: No such file or directory' >&2
        exit 1
    fi ;;
*)  exit 9 ;;
esac
"""


@dataclass(frozen=True, kw_only=True)
class World:
    """One machine; `env` is what dgpin sees of the environment."""

    root: Path
    source: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        """Where programs are: the only directory on PATH, besides the system's for the scripts."""
        return self.root / "usr/bin"

    @property
    def site(self) -> Path:
        """The site-packages of its Python."""
        return self.root / "venv/site-packages"

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.root / "venv/bin/python")

    def file(self, path: str, text: str = "") -> Path:
        """Write a file below the root."""
        return write(self.root / path, text)

    def program(self, path: str, text: str) -> Path:
        """Write a program below the root."""
        made = self.file(path, text)
        made.chmod(0o755)
        return made

    def compiler(self, version: str, *, headers: str) -> None:
        """Install g++; it finds `headers` included."""
        major, minor, patch = version.split(".")
        text = _COMPILER.format(
            root=self.root,
            source=self.source,
            backtrace=BACKTRACE,
            headers=headers,
            major=major,
            minor=minor,
            patch=patch,
        )
        self.program("usr/bin/g++", text)

    def toolkit(self, place: str, version: str = "13.0", *, link_names: bool = True) -> Path:
        """Install a CUDA toolkit."""
        major, minor = version.split(".")
        number = f"#define CUDA_VERSION {int(major) * 1000 + int(minor) * 10}\n"
        home = self.file(f"{place}/include/cuda.h", number).parent.parent
        self.file(f"{place}/include/cuda_runtime_api.h")
        self.file(f"{place}/lib64/libcudart.so{'' if link_names else f'.{major}'}")
        self.program(f"{place}/bin/nvcc", "ELF, as it were")
        return home

    def torch(self, version: str = "2.14.1+cu130", cuda: str | None = "13.0") -> None:
        """Install torch, read from its files and never imported."""
        told = (
            f"__version__ = {version!r}\ncuda = {cuda!r}\nhip = None\ngit_version = {'5' * 40!r}\n"
        )
        base = "venv/site-packages/torch"
        self.file(f"{base}/version.py", told)
        self.file(f"{base}/include/ATen/ATen.h", "#error C++20 or later compatible compiler\n")
        self.file(f"{base}/lib/libc10.so", "std::__cxx11::basic_string")
        for name in ("torch", "torch_cpu", "torch_python"):
            self.file(f"{base}/lib/lib{name}.so")
        for name in ("c10_cuda", "torch_cuda") if cuda else ():
            self.file(f"{base}/lib/lib{name}.so")


def write(path: Path, text: str = "") -> Path:
    """Write a file and the directories that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def make(root: Path, distribution: str, source: Path) -> World:
    """Return a machine with an os-release and a Python, and nothing else."""
    world = World(root=root, source=source, env={"PATH": f"{root}/usr/bin"})
    world.file("etc/os-release", OS_RELEASE[distribution])
    world.file("venv/include/Python.h")
    answer = {
        "schema": 1,
        "version": "3.11.7",
        "implementation": "cpython",
        "include": str(root / "venv/include"),
        "ext_suffix": SUFFIX,
        "platform": "linux-x86_64",
        "path": [str(world.site)],
        "modules": ["setuptools", "torch"],
    }
    kept = world.file("venv/answer.json", json.dumps(answer))
    world.program("venv/bin/python", f"#!/bin/sh\ncat '{kept}' > \"$3\"\n")
    world.bin.mkdir(parents=True)
    for name in ("grep", "cat"):
        world.bin.joinpath(name).symlink_to(_found(name))
    return world


def _found(name: str) -> Path:
    for directory in os.environ["PATH"].split(os.pathsep):
        if (path := Path(directory, name)).exists():
            return path
    message = f"the tests need {name}"
    raise RuntimeError(message)


def interpreter(short: str = "3.11", *, search: tuple[Path, ...] = ()) -> Interpreter:
    """Return a Python that nobody starts."""
    return Interpreter(
        path=Path(f"/venv/{short}/bin/python"),
        version=f"{short}.7",
        include=Path(f"/venv/{short}/include"),
        ext_suffix=f".cpython-{short.replace('.', '')}-x86_64-linux-gnu.so",
        platform="linux-x86_64",
        search=search,
    )
