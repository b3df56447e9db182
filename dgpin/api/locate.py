"""A and B as they are named on the command line become builds or source texts."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dgpin.api import builds
from dgpin.api.builds import Build, NotABuildError
from dgpin.api.surface import PACKAGE
from dgpin.build.interpreter import Interpreter
from dgpin.errors import UnavailableError
from dgpin.paths import expanded
from dgpin.source.tree import Tree

INSTALLED = "installed"
_PYPI = "pypi:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A DeepGEMM source, to be read as text; `note` says what of it is not at hand."""

    label: str
    tree: Tree
    commit: str = ""
    note: str = ""


Named = Build | Source


class NotInstalledError(UnavailableError):
    """`installed`, and the interpreter has none."""

    hint = "Name another interpreter with --python, or the build itself."

    def __init__(self, python: Path) -> None:
        super().__init__(f"installed: {python} has no deep_gemm")


def named(spec: str, *, python: Interpreter, static: bool = False) -> Named | None:
    """Return what a word of the command line names; None when it must be a git ref.

    `static` tells that source text will do.

    Raises:
        DgpinError: it names something that is no build, or that cannot be had.
    """
    if spec == INSTALLED:
        return _installed(python)
    if spec.startswith(_PYPI):
        return _from_pypi(spec, python=python)
    if spec.startswith(("https://", "http://")):
        from dgpin.api import wheels  # noqa: PLC0415 - archives, which a directory is not

        return wheels.remote(spec)
    path = expanded(spec)
    if path.is_file():
        if path.suffix != ".whl":
            raise NotABuildError(spec, "is a file, and no wheel")
        from dgpin.api import wheels  # noqa: PLC0415 - as above

        return wheels.local(path, label=spec)
    if path.is_dir():
        return _directory(path, label=spec, static=static)
    if path.suffix == ".whl" or spec.startswith((".", "/", "~")):
        raise NotABuildError(spec, "there is no such file or directory")
    return None


def _directory(path: Path, *, label: str, static: bool) -> Named:
    if static and (path / "csrc" / "python_api.cpp").is_file():
        from dgpin.source.directory import DirTree  # noqa: PLC0415 - only for source text

        return Source(label=label, tree=DirTree(path))
    return builds.at(path, label=label)


def _installed(python: Interpreter) -> Build:
    for folder in python.search:
        if (folder / PACKAGE / "__init__.py").is_file():
            return Build(label=INSTALLED, root=folder.resolve())
    raise NotInstalledError(python.path)


def _from_pypi(spec: str, *, python: Interpreter) -> Build:
    """Let pip resolve and download one package, or uv where the interpreter has no pip."""
    from dgpin.api import download, wheels  # noqa: PLC0415 - archives, which a directory is not

    wanted = spec.removeprefix(_PYPI)
    name, _, version = wanted.partition("==")
    if not name or not version or name.startswith("-"):
        raise NotABuildError(spec, "write it as pypi:NAME==VERSION")
    has_pip = any((folder / "pip").is_dir() for folder in python.search)
    with tempfile.TemporaryDirectory() as scratch:
        # What pip leaves is a wheel, looked at before it is unpacked; uv unpacks it itself.
        if has_pip or not shutil.which("uv"):
            wheel = download.wheel(wanted, python=python, to=Path(scratch), label=spec)
            return wheels.local(wheel, label=spec)
        download.unpacked(wanted, python=python, to=Path(scratch), label=spec)
        return wheels.keep(builds.at(Path(scratch), label=spec))
