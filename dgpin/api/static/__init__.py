"""The same surface without loading anything: from a source's text, or a package and its binary."""

import hashlib
from dataclasses import replace
from functools import cache as remember
from pathlib import Path

from dgpin import cache
from dgpin.api.builds import Build
from dgpin.api.locate import Source
from dgpin.api.static import assemble, binary
from dgpin.api.surface import Identity, Surface, Unreadable, from_json, to_json

_CSRC = ("csrc/", "deep_gemm/csrc/")


def of_source(source: Source) -> Surface:
    """Return the surface that a source would have when it is built; that of a commit is cached."""
    if not source.commit or source.note:
        found = _read(source)
        return replace(found, notes=(*found.notes, *filter(None, [source.note])))
    name = f"api/text-{source.commit}-{_version()}.json"
    try:
        known = from_json(cache.read_json(name))
    except (KeyError, TypeError, ValueError):
        known = _read(source)
        cache.write_json(name, to_json(known))
    return replace(known, build=replace(known.build, label=source.label))


@remember
def _version() -> str:
    """Return what tells one state of these readers from another."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), *sorted(here.parent.glob("s*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]


def _read(source: Source) -> Surface:
    paths = source.tree.paths()
    python = {p: source.tree.read(p) for p in paths if _is_python(p)}
    native = {p: source.tree.read(p) for p in paths if _is_native(p)}
    identity = Identity(label=source.label, digest=source.commit)
    return assemble.surface(python, native, identity=identity)


def of_build(build: Build) -> Surface:
    """Return what a built package tells without being loaded."""
    paths = [p for p in build.package.rglob("*.py") if "__pycache__" not in p.parts]
    python = {
        p.relative_to(build.root).as_posix(): p.read_bytes()
        for p in paths
        if _is_python(p.relative_to(build.root).as_posix())
    }
    found = [s for name in build.extensions() for s in binary.schemas(build.package / name)]
    unread: tuple[Unreadable, ...] = ()
    if build.extensions() and not found:
        why = "a pybind11 extension tells its signatures only when it is loaded"
        unread = (Unreadable(path="deep_gemm._C", reason=why),)
    identity = Identity(label=build.label, digest=build.digest())
    return assemble.surface(python, {}, identity=identity, schemas=tuple(found), unreadable=unread)


def _is_python(path: str) -> bool:
    inner = path.startswith("deep_gemm/") and path.endswith(".py")
    return inner and not path.startswith(("deep_gemm/include/", "deep_gemm/csrc/"))


def _is_native(path: str) -> bool:
    if not path.endswith((".hpp", ".cpp", ".h", ".cc", ".cxx")):
        return False
    # Submodules register functions too, in a header of that name.
    return path.startswith(_CSRC) or path.endswith("/python_api.hpp")
