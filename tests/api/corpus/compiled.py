"""The corpus as builds: compiled with pybind11, and registered with TORCH_LIBRARY."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.api.builds import write
from tests.api.corpus import pybind_kinds, torch_kinds, wrapper_kinds
from tests.api.corpus.case import joined

REEXPORT = """
from . import _C
globals().update({n: v for n, v in vars(_C).items() if n.startswith("n_")})
"""
FACADE = """
import torch
from . import _C_extension
for _name in _OPS:
    globals()[_name] = getattr(torch.ops.deep_gemm, _name)
"""
# Compiled once: each build gets a copy with its own schemas in the table.
MARK = b"dgpin-schemas:"
ROOM = 8192
EXTENSION = f"""
#include <Python.h>
#include <torch/library.h>

static char table[{ROOM}] = "{MARK.decode()}";

PyMODINIT_FUNC PyInit__C_extension() {{
    static PyModuleDef module = {{PyModuleDef_HEAD_INIT, "_C_extension", nullptr, 0, nullptr}};
    return PyModule_Create(&module);
}}

TORCH_LIBRARY(deep_gemm, m) {{
    for (volatile char* at = table + {len(MARK) + 1}; *at;) {{
        std::string schema(const_cast<char*>(at));
        m.def(schema.c_str());
        at += schema.size() + 1;
    }}
}}
"""


def includes(python: Path | str) -> tuple[str, ...]:
    """Return where an interpreter that has torch and pybind11 keeps their headers and its own."""
    ask = "import pybind11, torch.utils.cpp_extension as c, sysconfig; print(*c.include_paths(), "
    ask += "pybind11.get_include(), sysconfig.get_path('include'), sep='\\n')"
    done = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True)
    return tuple(done.stdout.split())


def compile_(source: str, target: Path, include: Sequence[str], *, link: str = "") -> None:
    """Compile one file into a shared object; `link` names the directory of torch's libraries."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = target.with_suffix(".cpp")
    text.write_text(source, encoding="utf-8")
    flags = ["-shared", "-fPIC", "-O0", "-std=c++20", "-fvisibility=hidden", "-w"]
    where = [f"-I{path}" for path in include]
    libraries = [f"-L{link}", "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10"] if link else []
    done = subprocess.run(
        ["g++", *flags, *where, text, "-o", target, *libraries],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    text.unlink()


def libraries(include: Sequence[str]) -> str:
    """Return the directory of torch's libraries, beside its headers."""
    headers = next(Path(path) for path in include if path.endswith("torch/include"))
    return str(headers.parent / "lib")


def native(side: str) -> str:
    """Return the pybind11 module of one side."""
    body = joined(pybind_kinds.CASES, side) + wrapper_kinds.NATIVE[side]
    return pybind_kinds.HEAD + body + pybind_kinds.TAIL


def native_build(root: Path, side: str, include: Sequence[str], *, suffix: str) -> Path:
    """Write and compile the build of one side: pybind11, and the Python around it."""
    write(root, {"deep_gemm/__init__.py": REEXPORT + joined(wrapper_kinds.CASES, side)})
    (root / "deep_gemm" / "_C.py").unlink()
    compile_(native(side), root / "deep_gemm" / f"_C{suffix}", include)
    return root


def schemas(side: str) -> list[str]:
    """Return the schemas of one side."""
    return [line for line in joined(torch_kinds.CASES, side).splitlines() if line]


def extension(directory: Path, include: Sequence[str]) -> bytes:
    """Compile the extension that registers what stands in its table, and return its bytes."""
    target = directory / "_C_extension.abi3.so"
    compile_(EXTENSION, target, include, link=libraries(include))
    return target.read_bytes()


def torch_build(root: Path, compiled: bytes, registered: Sequence[str]) -> Path:
    """Write a build whose compiled half registers these schemas behind a facade."""
    names = sorted({schema.partition("(")[0].partition(".")[0] for schema in registered})
    facade = f"_OPS = {names}\n" + FACADE
    init = f"from ._C import {', '.join(names)}\n"
    write(root, {"deep_gemm/__init__.py": init, "deep_gemm/_C.py": facade})
    (root / "deep_gemm" / "_C_extension.abi3.so").write_bytes(registering(compiled, registered))
    return root


def registering(compiled: bytes, schemas: Sequence[str]) -> bytes:
    """Return the extension with these schemas in its table."""
    table = MARK + b"\0" + b"".join(s.encode() + b"\0" for s in schemas)
    begin = compiled.index(MARK + b"\0")
    return compiled[:begin] + table + compiled[begin + len(table) :]
