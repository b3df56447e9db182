"""A wheel unpacked whole: its kernels' headers are what is compiled at run time."""

import hashlib
import shutil
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from dgpin import cache, process
from dgpin.api.builds import NotABuildError
from dgpin.api.locate import DownloadError
from dgpin.build import archive as archives
from dgpin.build.interpreter import Interpreter

_PACKAGE = "deep_gemm"
_LIMIT = 1800.0  # seconds for a download; vLLM's wheel has half a gigabyte


def is_wheel(spec: str) -> bool:
    """Whether a word of the command line names a wheel: a path, a URL, or pypi:NAME==VERSION."""
    return spec.startswith(("https://", "http://", "pypi:")) or spec.endswith(".whl")


def package(spec: str, python: Interpreter) -> Path:
    """Return the package inside a wheel, unpacked into the cache; `*.dist-info` lies beside it.

    Raises:
        NotABuildError: there is no such file, or no `deep_gemm` in it.
        DownloadError: pip cannot get it.
    """
    path = Path(spec).expanduser()
    if path.is_file():
        return _unpacked(path, label=spec)
    if spec.endswith(".whl") and "://" not in spec:
        raise NotABuildError(spec, "there is no such file")
    with tempfile.TemporaryDirectory() as scratch:
        return _unpacked(_download(spec, python, Path(scratch)), label=spec)


def _download(spec: str, python: Interpreter, to: Path) -> Path:
    wanted = spec.removeprefix("pypi:")
    if wanted.startswith("-"):
        raise NotABuildError(spec, "write it as pypi:NAME==VERSION")
    pip = [str(python.path), "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    done = process.run(
        [*pip, "--no-deps", "--only-binary", ":all:", "--dest", str(to), wanted], timeout=_LIMIT
    )
    found = next(to.glob("*.whl"), None)
    if done.returncode != 0 or found is None:
        raise DownloadError(spec, done.tail or "the download did not end in time")
    return found


def _unpacked(path: Path, *, label: str) -> Path:
    root = cache.root() / "smoke" / "wheels" / _sha256(path)[:32]
    if not (root / _PACKAGE / "__init__.py").is_file():
        root.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = Path(tempfile.mkdtemp(dir=root.parent, prefix=".new-"))
        try:
            _extract(path, draft, label=label)
            shutil.rmtree(root, ignore_errors=True)
            draft.rename(root)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return root / _PACKAGE


def _extract(path: Path, to: Path, *, label: str) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            _extract_package(archive, to, label=label)
    except archives.DAMAGED as error:
        raise NotABuildError(label, f"is no whole wheel: {error}") from error


def _extract_package(archive: zipfile.ZipFile, to: Path, *, label: str) -> None:
    members = {info.filename: info for info in archive.infolist() if not archives.leads_out(info)}
    inits = [name for name in members if name.endswith(f"{_PACKAGE}/__init__.py")]
    tops = [PurePosixPath(name).parts[:-1] for name in inits]
    # The package itself, or vLLM's copy of it; a namesake further down is neither.
    tops = [top for top in tops if len(top) == 1 or top[-2] == "third_party"]
    if len(tops) != 1:
        raise NotABuildError(label, f"it holds {len(tops)} packages deep_gemm")
    top = tops[0]
    wanted: dict[str, Path] = {}
    for name in members:
        parts = PurePosixPath(name).parts
        if not parts or name.endswith("/"):
            continue
        if parts[: len(top)] == top:
            wanted[name] = to.joinpath(*parts[len(top) - 1 :])
        elif parts[0].endswith(".dist-info") and parts[-1] in {"METADATA", "RECORD"}:
            wanted[name] = to.joinpath(*parts)
    archives.check_size((members[name] for name in wanted), label=label)
    for name, target in wanted.items():
        _write(archive, name, target)


def _write(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink)


def _sha256(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()
