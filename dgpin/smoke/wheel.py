"""A wheel unpacked whole: its kernels' headers are what is compiled at run time."""

import contextlib
import hashlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from dgpin import cache
from dgpin.api import download
from dgpin.api.builds import NotABuildError
from dgpin.build import archive as archives
from dgpin.build.interpreter import Interpreter
from dgpin.paths import expanded

_PACKAGE = "deep_gemm"


def is_wheel(spec: str) -> bool:
    """Whether a word of the command line names a wheel: a path, a URL, or pypi:NAME==VERSION."""
    return spec.startswith(("https://", "http://", "pypi:")) or spec.endswith(".whl")


def package(spec: str, python: Interpreter) -> Path:
    """Return the package inside a wheel, unpacked into the cache; `*.dist-info` lies beside it.

    Raises:
        NotABuildError: there is no such file, or no `deep_gemm` in it.
        DownloadError: pip cannot get it.
        BombError: it is, or unpacks to, more than any build holds.
    """
    path = expanded(spec)
    if path.is_file():
        return _unpacked(path, label=spec)
    if spec.endswith(".whl") and "://" not in spec:
        raise NotABuildError(spec, "there is no such file")
    wanted = spec.removeprefix("pypi:")
    if wanted.startswith("-"):
        raise NotABuildError(spec, "write it as pypi:NAME==VERSION")
    with tempfile.TemporaryDirectory() as scratch:
        got = download.wheel(wanted, python=python, to=Path(scratch), label=spec)
        return _unpacked(got, label=spec)


def _unpacked(path: Path, *, label: str) -> Path:
    root = cache.directory("smoke/wheels") / _sha256(path)[:32]
    if not cache.is_own(root) or not _is_whole(path, root, label=label):
        draft = Path(tempfile.mkdtemp(dir=root.parent, prefix=".new-"))
        try:
            _extract(path, draft, label=label)
            if root.is_symlink():
                root.unlink()
            shutil.rmtree(root, ignore_errors=True)
            draft.rename(root)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return root / _PACKAGE


def _is_whole(path: Path, root: Path, *, label: str) -> bool:
    """Tell whether what was unpacked before is still what the wheel holds."""
    with _opened(path, label=label) as archive:
        return all(
            cache.is_own(root / place) and zlib.crc32((root / place).read_bytes()) == info.CRC
            for info, place in _members(archive, label=label)
        )


def _extract(path: Path, to: Path, *, label: str) -> None:
    with _opened(path, label=label) as archive:
        for info, place in _members(archive, label=label):
            _write(archive, info, to / place)


@contextlib.contextmanager
def _opened(path: Path, *, label: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except archives.DAMAGED as error:
        raise NotABuildError(label, f"is no whole wheel: {error}") from error


def _members(archive: zipfile.ZipFile, *, label: str) -> list[tuple[zipfile.ZipInfo, Path]]:
    """Return what belongs to the package, and where it is unpacked."""
    members = {info.filename: info for info in archive.infolist() if not archives.leads_out(info)}
    inits = [name for name in members if name.endswith(f"{_PACKAGE}/__init__.py")]
    tops = [PurePosixPath(name).parts[:-1] for name in inits]
    # The package itself, or vLLM's copy of it; a namesake further down is neither.
    tops = [top for top in tops if len(top) == 1 or top[-2] == "third_party"]
    if len(tops) != 1:
        raise NotABuildError(label, f"it holds {len(tops)} packages deep_gemm")
    top = tops[0]
    wanted: list[tuple[zipfile.ZipInfo, Path]] = []
    for name, info in members.items():
        parts = PurePosixPath(name).parts
        if not parts or name.endswith("/"):
            continue
        if parts[: len(top)] == top:
            wanted.append((info, Path(*parts[len(top) - 1 :])))
        elif parts[0].endswith(".dist-info") and parts[-1] in {"METADATA", "RECORD"}:
            wanted.append((info, Path(*parts)))
    archives.check_size((info for info, _ in wanted), label=label)
    return wanted


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with cache.writing(cache.root()), archive.open(info) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink)


def _sha256(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()
