"""The files of an artefact, wherever they are: a wheel, a directory, an installation, one file."""

import email.parser
import os
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dgpin.build import archive as archives
from dgpin.build.interpreter import Interpreter
from dgpin.errors import UnavailableError, UsageError

PACKAGE = "deep_gemm"
# Until v2.1 the extension was a module of its own, beside the package.
_BESIDE = "deep_gemm_cpp"
_EXTENSION = re.compile(rf"(?:_C[\w-]*|(?:\.\./)?{_BESIDE})(?:\.[\w-]+)*\.so")
_NAME_ONE = "Name a wheel, a .so, or a directory that holds deep_gemm/."


class DamagedWheelError(UnavailableError):
    """A wheel that is no zip archive, or a damaged one."""

    hint = "Fetch or build it again."

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"{path} is no readable wheel: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A distribution that claims files of the package."""

    name: str
    version: str
    requires_python: str
    requires: tuple[str, ...]  # Requires-Dist


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """One package. Paths are relative to its directory, with `/`.

    `tags` are a wheel's, as in its name; `prefix` is where the package is (`deep_gemm`,
    `vllm/third_party/deep_gemm`), empty when a single extension was given.
    """

    label: str
    prefix: str
    files: frozenset[str]
    read: Callable[[str], bytes]
    owners: tuple[Owner, ...] = ()
    tags: tuple[str, ...] = ()
    fingerprint: bytes | None = None

    @property
    def extensions(self) -> tuple[str, ...]:
        """The compiled halves: `_C.<tag>.so`, `_C_extension.abi3.so`; a single file is one."""
        named = (name for name in self.files if not self.prefix or _EXTENSION.fullmatch(name))
        return tuple(sorted(named))


def open_path(path: Path) -> Contents:
    """Return what a wheel, a directory or a single extension holds.

    Raises:
        UsageError: there is no such file, or no `deep_gemm` in it.
        DamagedWheelError: the wheel cannot be read.
    """
    if os.path.isdir(path):  # noqa: PTH112 - Path's own raises for a name that is too long
        return _directory(path)
    if not os.path.isfile(path):  # noqa: PTH113 - as above
        raise UsageError(f"{path}: there is no such file", hint=_NAME_ONE)
    if path.suffix == ".whl":
        return _wheel(path)
    if path.name.endswith(".so"):
        return Contents(
            label=str(path),
            prefix="",
            files=frozenset({path.name}),
            read=lambda _name: path.read_bytes(),
        )
    raise UsageError(
        f"{path}: neither a wheel, a .so file nor a directory",
        hint="Name what holds the built deep_gemm.",
    )


def installed(interpreter: Interpreter) -> Contents:
    """Return the `deep_gemm` that an interpreter would import, and who claims it.

    Raises:
        UsageError: it has none.
    """
    # vLLM's copy is what it falls back on, wherever the other one lies.
    for prefix in (PACKAGE, f"vllm/third_party/{PACKAGE}"):
        for entry in interpreter.search:
            if (entry / prefix / "__init__.py").is_file():
                found = _package(entry / prefix)
                return Contents(
                    label=f"{entry / prefix}, as {interpreter.path} imports it",
                    prefix=prefix,
                    files=found.files,
                    read=found.read,
                    owners=owners(entry, prefix),
                    fingerprint=found.fingerprint or _installed_fingerprint(entry, prefix),
                )
    left = interpreter.left_out(PACKAGE, os.environ)
    raise UsageError(
        f"{interpreter.path} has no deep_gemm{f'; {left}' if left else ''}",
        hint="Name another with --python, or a directory with --artefact.",
    )


def owners(site: Path, prefix: str) -> tuple[Owner, ...]:
    """Return the distributions whose RECORD claims the package's `__init__.py` or its extension."""
    claimed = re.compile(rf"^{re.escape(prefix)}/(?:__init__\.py|_C[^/,]*\.so),", re.MULTILINE)
    return tuple(
        _owner(_bytes(record.parent / "METADATA"), name=record.parent.name)
        for record in sorted(site.glob("*.dist-info/RECORD"))
        if claimed.search(_bytes(record).decode(errors="replace"))
    )


def _installed_fingerprint(site: Path, prefix: str) -> bytes | None:
    if prefix != PACKAGE:  # a copy within another package, which that distribution does not own
        return None
    for path in site.glob(f"{PACKAGE}-*.dist-info/fingerprint.json"):
        return path.read_bytes()
    return None


def _bytes(path: Path) -> bytes:
    """Return a file of an installation; pip may have been interrupted, so it may be missing."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _directory(path: Path) -> Contents:
    candidates = [path / PACKAGE, path, path / "third_party" / PACKAGE]
    candidates += sorted(path.glob(f"*/third_party/{PACKAGE}"))
    root = next((each for each in candidates if (each / "__init__.py").is_file()), None)
    if root is None:
        raise UsageError(f"{path}: there is no deep_gemm/__init__.py in it", hint=_NAME_ONE)
    return _package(root)


def _package(root: Path) -> Contents:
    mark = root.parent / "fingerprint.json"
    return Contents(
        label=str(root),
        prefix=PACKAGE,
        files=frozenset(
            (*_files(root), *(f"../{path.name}" for path in root.parent.glob(f"{_BESIDE}.*so")))
        ),
        read=lambda name: (root / name).read_bytes(),
        fingerprint=mark.read_bytes() if mark.is_file() else None,
    )


def _files(root: Path) -> Iterator[str]:
    """Yield the files of a package; a development install links to CUTLASS's headers."""
    waiting = [(str(root), frozenset({os.path.realpath(root)}))]
    while waiting:
        folder, way = waiting.pop()
        for entry in os.scandir(folder):
            if entry.is_dir():
                real = os.path.realpath(entry.path)
                if real not in way:  # else a circle of links
                    waiting.append((entry.path, way | {real}))
            elif entry.is_file():
                yield Path(entry.path).relative_to(root).as_posix()


def _wheel(path: Path) -> Contents:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            archives.check_size(archive.infolist(), label=str(path))
            metadata = _only(names, r"[^/]+\.dist-info/METADATA")
            mark = _only(names, r"[^/]+\.dist-info/fingerprint\.json")
            owner = (_owner(archive.read(metadata), name=str(metadata)),) if metadata else ()
            fingerprint = archive.read(mark) if mark else None
    except archives.DAMAGED as error:
        raise DamagedWheelError(path, error) from error
    prefix = _prefix(names)
    if prefix is None:
        raise UsageError(f"{path}: there is no deep_gemm/__init__.py in it", hint=_NAME_ONE)

    # By the name inside of the package; a member may be called anything, `../x` too.
    members = {n.removeprefix(f"{prefix}/"): n for n in names if n.startswith(f"{prefix}/")}
    above = f"{prefix.removesuffix(PACKAGE)}{_BESIDE}."
    members |= {f"../{posixpath.basename(n)}": n for n in names if n.startswith(above)}

    def read(name: str) -> bytes:
        try:
            with zipfile.ZipFile(path) as archive:
                return archive.read(members[name])
        except archives.DAMAGED as error:
            raise DamagedWheelError(path, error) from error

    return Contents(
        label=str(path),
        prefix=prefix,
        files=frozenset(name for name in members if name and not name.endswith("/")),
        read=read,
        owners=owner,
        tags=_tags(path),
        fingerprint=fingerprint,
    )


def _tags(wheel: Path) -> tuple[str, ...]:
    """Return the tags of a wheel's name, for Python, ABI and platform; none of another name."""
    parts = wheel.stem.split("-")
    return tuple(parts[-3:]) if len(parts) in {5, 6} else ()


def _only(names: Iterable[str], pattern: str) -> str | None:
    return next((name for name in names if re.fullmatch(pattern, name)), None)


def _prefix(names: Iterable[str]) -> str | None:
    found = [
        str(PurePosixPath(name).parent)
        for name in names
        if re.fullmatch(rf"(?:.*/)?{PACKAGE}/__init__\.py", name)
    ]
    return min(found, key=len, default=None)


def _owner(metadata: bytes, *, name: str) -> Owner:
    """Read METADATA; `name` is that of its directory, for one that tells nothing."""
    told = email.parser.BytesParser().parsebytes(metadata)
    fields: Mapping[str, list[str]] = {
        field: [str(value) for value in told.get_all(field) or []]
        for field in ("Name", "Version", "Requires-Python", "Requires-Dist")
    }
    return Owner(
        name=(fields["Name"] or [name.partition("-")[0]])[0],
        version=(fields["Version"] or ["of unknown version"])[0],
        requires_python=(fields["Requires-Python"] or [""])[0],
        requires=tuple(fields["Requires-Dist"]),
    )
