"""Builds inside wheels: unpacked once into the cache, from a file or over HTTP by ranges.

Only the members under `deep_gemm/` are read, so a wheel of half a gigabyte costs a few megabytes.
"""

import hashlib
import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

from dgpin import cache
from dgpin.api.builds import EXTENSION, Build, NotABuildError, TwoBuildsError
from dgpin.api.surface import PACKAGE
from dgpin.build import archive as archives
from dgpin.errors import UnavailableError

_CHUNK = 1 << 18  # bytes asked for at once; the directory of a large wheel fits in one
_THIRD_PARTY = "third_party"
_DIGITS = 20  # of a size; what is cut off is far too large as it is


class WheelError(UnavailableError):
    """A wheel that cannot be read, or must not be unpacked."""

    hint = "Fetch the wheel again, from where you trust it."

    def __init__(self, label: str, why: str) -> None:
        super().__init__(f"{label}: {why}")


class Fetch(Protocol):
    """Ask a URL for some of its bytes; `span` as in an HTTP Range header. Returns status, headers
    (lower-case names) and body."""

    def __call__(self, url: str, span: str) -> tuple[int, dict[str, str], bytes]:
        """Return the answer of the server."""
        ...


def local(path: Path, *, label: str) -> Build:
    """Return the build in a wheel on disk.

    Raises:
        WheelError, NotABuildError, TwoBuildsError: there is none that may be unpacked.
    """
    try:
        with path.open("rb") as file:
            return _unpacked(file, label=label)
    except OSError as error:
        raise WheelError(label, f"cannot be read: {error.strerror or error}") from error


def remote(url: str, *, fetch: Fetch | None = None) -> Build:
    """Return the build in a wheel at a URL; only what is needed of it is fetched.

    Raises:
        WheelError: the server does not answer, or does not serve parts of files; or as `local`.
    """
    return _unpacked(io.BufferedReader(_Remote(url, fetch or _http(url))), label=url)


def _http(wheel: str) -> Fetch:
    import httpx  # noqa: PLC0415 - 60 ms that local builds do not pay

    try:
        client = httpx.Client(follow_redirects=True, timeout=60)
    except (ImportError, OSError, ValueError) as error:  # a proxy, or certificates, of environment
        raise WheelError(wheel, f"cannot be fetched: {error}") from error

    def ask(url: str, span: str) -> tuple[int, dict[str, str], bytes]:
        try:
            # As it is: a compressed body would not be the range that was asked for.
            headers = {"Range": f"bytes={span}", "Accept-Encoding": "identity"}
            with client.stream("GET", url, headers=headers) as answer:
                is_part = answer.status_code == httpx.codes.PARTIAL_CONTENT
                # A part is no larger than what was asked for, whatever else is sent.
                sent = answer.iter_raw() if is_part else ()
                body = archives.within(sent, largest=_CHUNK, label=url)
                return answer.status_code, dict(answer.headers), body
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise WheelError(url, f"cannot be fetched: {error}") from error

    return ask


class _Remote(io.RawIOBase):
    """A file at a URL, read in parts; what was read is kept."""

    def __init__(self, url: str, fetch: Fetch) -> None:
        self._url, self._fetch = url, fetch
        self._place = 0
        self._parts: dict[int, bytes] = {}
        _, headers, tail = self._ask(f"-{_CHUNK}")
        size = headers.get("content-range", "").rpartition("/")[2]
        if not size.isdigit():
            raise WheelError(url, "the server does not say how large it is")
        self._size = int(size[:_DIGITS])
        if self._size > archives.LARGEST:
            raise archives.BombError(url, f"it has more than {archives.LARGEST} bytes")
        self._tail = tail

    def _ask(self, span: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = self._fetch(self._url, span)
        if status == 200:  # noqa: PLR2004 - the whole file instead of the part
            raise WheelError(self._url, "the server does not serve parts of files")
        if status != 206:  # noqa: PLR2004 - partial content
            raise WheelError(self._url, f"the server answers {status}")
        return status, headers, body

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        self._place = max(base + offset, 0)
        return self._place

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - a buffer, which 3.10 cannot name
        begin = self._size - len(self._tail)
        if self._place >= begin:
            data = self._tail[self._place - begin :][: len(buffer)]
        else:
            part, offset = divmod(self._place, _CHUNK)
            data = self._part(part)[offset : offset + len(buffer)]
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def _part(self, index: int) -> bytes:
        if index not in self._parts:
            last = min((index + 1) * _CHUNK, self._size) - 1
            self._parts[index] = self._ask(f"{index * _CHUNK}-{last}")[2]
        return self._parts[index]


def _unpacked(file: IO[bytes], *, label: str) -> Build:
    try:
        with zipfile.ZipFile(file) as archive:
            prefix, members = _members(archive, label)
            return _placed(archive, prefix, members, label=label)
    except archives.DAMAGED as error:
        raise WheelError(label, f"is no whole wheel: {error}") from error


def _members(archive: zipfile.ZipFile, label: str) -> tuple[str, list[zipfile.ZipInfo]]:
    """Return the directory that holds the package, and the members that belong to it.

    Raises:
        WheelError: a member would land outside of the directory that it is unpacked to.
        BombError: they would become too large.
        NotABuildError, TwoBuildsError: there is none, or more than one.
    """
    for info in archive.infolist():
        if archives.leads_out(info):
            raise WheelError(label, f"its member {info.filename!r} would land outside; refused")
    tops = {
        str(PurePosixPath(*parts[:-2])) if len(parts) > 2 else ""  # noqa: PLR2004
        for parts in (PurePosixPath(i.filename).parts for i in archive.infolist())
        if parts[-2:] == (PACKAGE, "__init__.py") and (len(parts) == 2 or parts[-3] == _THIRD_PARTY)  # noqa: PLR2004
    }
    if not tops:
        raise NotABuildError(label, "there is no deep_gemm/__init__.py in it")
    if len(tops) > 1:
        raise TwoBuildsError(label, sorted(tops))
    top = tops.pop()
    inside = f"{top}/" if top else ""
    wanted = (f"{inside}{PACKAGE}/", f"{inside}{EXTENSION}")
    members = [
        info
        for info in archive.infolist()
        if info.filename.startswith(wanted)
        and not info.is_dir()
        and _is_api(PurePosixPath(info.filename.removeprefix(inside)))
    ]
    archives.check_size(members, label=label)
    return inside, members


def _is_api(path: PurePosixPath) -> bool:
    """Whether a member says something about the API; the headers of the kernels do not."""
    inner = path.parts[1:-1]
    # The kernels' own headers tell what they are for; the libraries beside them are large.
    own = inner[:2] == ("include", PACKAGE)
    return own or not {"include", "csrc", "docs"} & set(inner)


def _placed(
    archive: zipfile.ZipFile, prefix: str, members: Sequence[zipfile.ZipInfo], *, label: str
) -> Build:
    """Unpack the members into the cache, unless they are there."""
    listing = json.dumps(sorted((i.filename, i.CRC, i.file_size) for i in members))
    known = f"api/wheels/{hashlib.sha256(listing.encode()).hexdigest()[:32]}.json"
    digest = cache.read_json(known)
    builds = _shelf()
    if isinstance(digest, str) and cache.is_own(builds / digest):
        found = Build(label=label, root=builds / digest)
        if found.digest() == digest:
            return found
        shutil.rmtree(found.root)  # not what was put there
    draft = Path(tempfile.mkdtemp(dir=builds, prefix=".new-"))
    try:
        for info in members:
            target = draft / PurePosixPath(info.filename.removeprefix(prefix))
            target.parent.mkdir(parents=True, exist_ok=True)
            with (
                cache.writing(builds),
                archive.open(info) as source,
                target.open("wb") as sink,
            ):
                shutil.copyfileobj(source, sink)
        digest = Build(label=label, root=draft).digest()
        known_build = Build(label=label, root=builds / digest)
        if not cache.is_own(known_build.root) or known_build.digest() != digest:
            _put(draft, known_build.root)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    cache.write_json(known, digest)
    return Build(label=label, root=builds / digest)


def keep(build: Build) -> Build:
    """Copy a build that is about to vanish into the cache, under its content's hash."""
    digest = build.digest()
    target = _shelf() / digest
    if cache.is_own(target):
        return Build(label=build.label, root=target)
    draft = Path(tempfile.mkdtemp(dir=_shelf(), prefix=".new-"))
    try:
        skipped = shutil.ignore_patterns("include", "csrc", "docs", "__pycache__")
        shutil.copytree(build.package, draft / PACKAGE, ignore=skipped)
        _put(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Build(label=build.label, root=target)


def _put(draft: Path, target: Path) -> None:
    """Put what was just unpacked in its place, whatever is there."""
    if target.is_symlink():
        target.unlink()
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)


def _shelf() -> Path:
    return cache.directory("unpacked")
