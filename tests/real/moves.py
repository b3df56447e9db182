"""The move from vLLM 0.29's pin to 0.30's as facts: what a cache knows after a visit to both."""

import re
from pathlib import Path

from dgpin.pin import facts as cached
from dgpin.pin.derive import derive
from tests.example.tree import DictTree
from tests.real import inputs, written
from tests.real.written import CUTLASS, DEEP_JIT, FMT

OLD = "8b1392b978f5a03c828dd1711090d7fb50958b8a"
NEW = "e1f418c2a4f20818221f6b0e578b4c2f634d4c3f"
_READ = {".h", ".hpp", ".cuh", ".inl", ".cpp", ".cu", ".py", ".md"}


def store_facts() -> None:
    """Put the facts of both commits into the cache."""
    old = DictTree(written.files("2.6.1"), gitlinks={CUTLASS: "1" * 40, FMT: "2" * 40})
    new = DictTree(_new(), gitlinks={CUTLASS: "3" * 40, DEEP_JIT: "4" * 40})
    for commit, tree in ((OLD, old), (NEW, new)):
        cached.store(derive(tree, commit=commit))


def _new() -> dict[str, str]:
    """Return the real 2.8.2 without what came after 2.8.0, and with the fork's port for SM120."""
    files = {
        path: text
        for path, text in _texts(inputs.source("2.8.2")).items()
        if path != "deep_gemm/locality_domain.py" and not path.startswith("deep_gemm/jit_hooks/")
    }
    initial = re.sub(r"from \. import locality_domain\n", "", files["deep_gemm/__init__.py"])
    initial = re.sub(r"from \.locality_domain import \([^)]*\)\n", "", initial)
    files["deep_gemm/__init__.py"] = initial.replace("'2.8.2'", "'2.8.0'")
    links = "".join(
        f'[submodule "{path}"]\n\tpath = {path}\n\turl = ../../{path}.git\n'
        for path in (CUTLASS, DEEP_JIT)
    )
    return files | {".gitmodules": links} | written.kernels("sm120")


def _texts(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.suffix in _READ and "tests" not in path.relative_to(root).parts[:1]
    }
