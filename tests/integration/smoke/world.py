"""A machine in a directory: interpreter, torch, toolkit, compiler, driver and build, all fake."""

import os
import shutil
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from dgpin.smoke import session, wanted
from dgpin.smoke.case import Check
from dgpin.smoke.report import Report
from dgpin.smoke.runner import Following
from dgpin.smoke.session import Request

HERE = Path(__file__).parent
NVCC = """\
#!/bin/sh
case "$1" in --version) echo "Cuda compilation tools, release ${FAKE_NVCC:-13.0}, V1"; exit;; esac
if ! command -v g++ >/dev/null; then
  echo "gcc: No such file or directory"
  echo "nvcc fatal   : Failed to preprocess host compiler properties."
  exit 1
fi
if [ -n "$TMPDIR" ] && [ ! -d "$TMPDIR" ]; then
  echo "nvcc fatal   : Could not open output file '$TMPDIR/tmpxft_0001'"
  exit 1
fi
if [ ! -e "$1" ]; then echo "kernel.cu:1:10: fatal error: $1: No such file or directory"; exit 1; fi
if grep -q syntax-error "$1"; then echo "$1(3): error: expected a declaration"; exit 2; fi
echo cubin > "$3"
"""


# Runs what comes after its own options, which end with the interpreter.
SANITIZER = """\
#!/bin/sh
export SANITIZED="$2"
while [ "${1%/python}" = "$1" ]; do shift; done
exec "$@"
"""


LIBRARIES = ["libcudart.so.13", "libstdc++.so.6"]


class Silent:
    """Follows a run without a word."""

    def begin(self, plans: object) -> None:
        pass

    def watch(self, label: str, event: object) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Its parts; each test breaks one of them."""

    root: Path
    python: Path
    package: Path
    checks: Path
    env: dict[str, str]

    @property
    def site(self) -> Path:
        return next((self.root / "venv" / "lib").glob("python*/site-packages"))

    def check(self, name: str, body: str, **fields: Any) -> Check:
        """Write a check whose `run` has this body."""
        told: dict[str, Any] = {
            "id": name,
            "guards": "x",
            "call": "kernel",
            "reference": "x",
            "arches": ("sm_90",),
            "limit": 1e-6,
            **fields,
        }
        text = f"""\
from dgpin.smoke.case import Check, Outcome

CHECK = Check(**{told!r})


def run(bench):
"""
        lines = "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())
        (self.checks / f"{name}.py").write_text(text + lines)
        return Check(**told)

    def good(self) -> Check:
        """Write a check that passes on a sound machine."""
        return self.check("steady", GOOD)

    def run(self, *checks: Check, following: Following | None = None, **asked: Any) -> Report:
        """Run the real thing on this machine."""
        fields: dict[str, Any] = {
            "build": str(self.package.parent),
            "python": str(self.python),
            "env": self.env,
            "shards": 2,
            "directory": self.checks,
            **asked,
        }
        return session.run(Request(**fields), checks, following or Silent())


GOOD = 'return Outcome(number=bench.build.kernel("steady"), controls={"wrong operand": 0.5})'


def make(root: Path, monkeypatch_env: Mapping[str, str] | None = None) -> World:
    """Return a machine on which everything is sound."""
    tools, home = root / "bin", root / "cuda"
    for path in (tools, home / "bin", home / "include", root / "checks", root / "home"):
        path.mkdir(parents=True)
    for name in ("sh", "grep", "env"):
        (tools / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    program(tools / "g++", "#!/bin/sh\n")
    program(tools / "nvidia-smi", '#!/bin/sh\necho "Fake GPU, 580.1, ${FAKE_GPU:-9.0}"\n')
    program(home / "bin" / "nvcc", NVCC)
    program(home / "bin" / "compute-sanitizer", SANITIZER)
    return World(
        root=root,
        python=interpreter(root / "venv"),
        package=build(root / "build" / "deep_gemm"),
        checks=root / "checks",
        env={
            "PATH": str(tools),
            "HOME": str(root / "home"),
            "CUDA_HOME": str(home),
            **(monkeypatch_env or {}),
        },
    )


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def interpreter(venv: Path) -> Path:
    """Return this Python with a `site-packages` of its own that holds the fake torch."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = venv / "lib" / version / "site-packages"
    (venv / "bin").mkdir(parents=True)
    base = Path(os.path.realpath(sys.executable))
    (venv / "bin" / "python").symlink_to(base)
    (venv / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    for path in (site / "torch" / "lib", site / "torch" / "include" / "ATen"):
        path.mkdir(parents=True)
    shutil.copy(HERE / "fake_torch.py", site / "torch" / "__init__.py")
    (site / "torch" / "version.py").write_text('__version__ = "2.99.0+cu130"\ncuda = "13.0"\n')
    (site / "torch" / "lib" / "libc10.so").write_bytes(shared_object([], ["__cxx11"]))
    (site / "torch" / "include" / "ATen" / "ATen.h").write_text("")
    return venv / "bin" / "python"


def build(package: Path) -> Path:
    """Return a package that looks like a build from outside and runs the fake from inside."""
    for tree in ("deep_gemm", "cutlass", "cute"):
        (package / "include" / tree).mkdir(parents=True)
    (package / "include" / "deep_gemm" / "kernel.cuh").write_text("// a kernel\n")
    shutil.copy(HERE / "fake_build.py", package / "__init__.py")
    (package / "_C.so").write_bytes(shared_object(LIBRARIES, bindings()))
    return package


def bindings() -> list[str]:
    """Return every name and keyword that the host asks of a build."""
    return sorted({*wanted.VLLM.keywords, *(each.spellings[0] for each in wanted.VLLM.functions)})


def shared_object(
    needed: Sequence[str], texts: Sequence[str] = (), *, undefined: Sequence[str] = ()
) -> bytes:
    """Return an ELF file that needs these libraries and symbols and holds these texts."""
    strings = _Strings()
    dynamic = b"".join(struct.pack("<qQ", 1, strings.add(name)) for name in needed)
    dynamic += struct.pack("<qQ", 0, 0)
    symbols = bytes(24)
    for name in undefined:
        # Global, a function, in no section.
        symbols += struct.pack("<IBBHQQ", strings.add(name), 0x12, 0, 0, 0, 0)
    literals = b"\0" + b"\0".join(text.encode() for text in texts) + b"\0"
    names = _Strings()
    # Name, type, content, the section it links to, the size of an entry.
    parts = (
        ("", 0, b"", 0, 0),
        (".dynstr", 3, strings.data, 0, 0),
        (".dynamic", 6, dynamic, 1, 16),
        (".dynsym", 11, symbols, 1, 24),
        (".rodata", 1, literals, 0, 0),
    )
    listed = [(names.add(name), kind, data, link, size) for name, kind, data, link, size in parts]
    listed.append((names.add(".shstrtab"), 3, names.data, 0, 0))
    body, table = b"", b""
    for at, kind, data, link, size in listed:
        table += struct.pack(
            "<IIQQQQIIQQ", at, kind, 0, 0, 64 + len(body), len(data), link, 1, 1, size
        )
        body += data
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(listed), 5
    )
    return header + body + table


class _Strings:
    """A string table under way."""

    def __init__(self) -> None:
        self.data = b"\0"

    def add(self, text: str) -> int:
        """Append a string and return its offset."""
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at if text else 0
