"""Get the tree that is to be built: a directory as it is, a commit out of a mirror, an sdist."""

import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dgpin import cache
from dgpin.build.source import Submodule
from dgpin.build.store import StoreError
from dgpin.errors import UnavailableError, UsageError
from dgpin.source.tree import Tree

if TYPE_CHECKING:
    import httpx

_INDEX = "https://pypi.org/simple"
_INDEXES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
_SIMPLE = "application/vnd.pypi.simple.v1+json"  # PEP 691
_LIMIT = 60.0


class SdistError(UnavailableError):
    """An sdist that cannot be had."""

    hint = "An index other than pypi.org is named by PIP_INDEX_URL."

    def __init__(self, requirement: str, why: str) -> None:
        super().__init__(f"pypi:{requirement}: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obtained:
    """A source tree on disk, and what is known of it besides its files.

    `commit` and `submodules` are None where the tree itself has to be asked.
    """

    root: Path
    label: str
    commit: str | None = None
    submodules: tuple[Submodule, ...] | None = None


def export(tree: Tree, commit: str, *, label: str) -> Obtained:
    """Write a commit's files, submodules included, into the cache; only once for each commit.

    Raises:
        StoreError: the cache cannot be written.
    """
    paths = tree.paths()
    submodules = tuple(
        Submodule(
            path=path,
            recorded=recorded,
            present=recorded if any(p.startswith(f"{path}/") for p in paths) else "",
        )
        for path, recorded in sorted(tree.gitlinks().items())
    )
    # The commit says what is in it; which submodules were at hand does not stand in it.
    there = "".join(each.present for each in submodules)
    name = f"{commit}-{hashlib.sha256(there.encode()).hexdigest()[:8]}"

    def write(draft: Path) -> None:
        for path in paths:
            try:
                data = tree.read(path)
            except (KeyError, UnavailableError):  # no source: pictures, papers
                continue
            place = draft / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)

    root = _once(name, write)
    links = [[each.path, each.recorded, each.present] for each in submodules]
    cache.write_json(f"sources/{commit}.json", {"schema": 1, "name": name, "links": links})
    return Obtained(root=root, label=label, commit=commit, submodules=submodules)


def exported(commit: str) -> Obtained | None:
    """Return a commit that was exported before with every submodule, or None.

    Nothing is asked of any repository: what a full SHA means never changes.
    """
    entry = cache.read_json(f"sources/{commit}.json")
    try:
        root = cache.root() / "sources" / entry["name"]
        links = tuple(
            Submodule(path=path, recorded=recorded, present=present)
            for path, recorded, present in entry["links"]
        )
    except (TypeError, KeyError, ValueError):
        return None
    if not root.is_dir() or any(each.recorded != each.present for each in links):
        return None
    return Obtained(root=root, label=commit, commit=commit, submodules=links)


def sdist(requirement: str, *, env: Mapping[str, str] | None = None) -> Obtained:
    """Fetch NAME==VERSION's sdist from the package index and unpack it. Nothing of it is run.

    Raises:
        UsageError: the requirement does not name one version.
        SdistError: the index cannot be reached, has no such sdist, or sends other bytes.
        StoreError: the cache cannot be written.
    """
    name, joint, version = (word.strip() for word in requirement.partition("=="))
    if not (name and joint and version):
        raise UsageError(
            f"pypi:{requirement}: that is not one version",
            hint="Name it as in pypi:deepinfer-gemm==2.8.2.",
        )
    env = os.environ if env is None else env
    index = next((env[each] for each in _INDEXES if env.get(each)), _INDEX)

    def write(draft: Path) -> None:
        _unpack(_download(index, name, version), draft, requirement)

    root = _once(f"{name}-{version}".replace("/", "-"), write)
    return Obtained(root=root, label=f"pypi:{requirement}")


def _download(index: str, name: str, version: str) -> bytes:
    import httpx  # noqa: PLC0415 - 73 ms that only an sdist pays
    from packaging.utils import (  # noqa: PLC0415 - as above
        InvalidSdistFilename,
        canonicalize_name,
        parse_sdist_filename,
    )
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - as above

    from dgpin.build import archive as archives  # noqa: PLC0415 - as above

    requirement = f"{name}=={version}"
    try:
        wanted = Version(version)
        with _client(requirement) as client:
            page = f"{index.rstrip('/')}/{canonicalize_name(name)}/"
            listing, address = _got(client, page, largest=archives.SMALL)
            for file in json.loads(listing)["files"]:
                try:
                    if parse_sdist_filename(file["filename"])[1] != wanted:
                        continue
                except InvalidSdistFilename:  # a wheel
                    continue
                there = str(address.join(file["url"]))
                data, _ = _got(client, there, largest=archives.LARGEST)
                return _verified(data, file["hashes"].get("sha256", ""), requirement)
    except InvalidVersion as error:
        raise UsageError(
            f"pypi:{requirement}: {version} is no version", hint="A version is one such as 2.8.2."
        ) from error
    except httpx.HTTPStatusError as error:
        code, url = error.response.status_code, str(error.request.url)
        why = f"answers {code} for {url}"
        if code == httpx.codes.NOT_FOUND and url.endswith("/"):
            why = "has no package of that name"
        raise SdistError(requirement, f"the index {why}") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SdistError(requirement, f"the index does not answer: {error}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SdistError(requirement, "what the index answers is no list of files") from error
    raise SdistError(requirement, "the index has no sdist of that version")


def _client(requirement: str) -> "httpx.Client":
    import httpx  # noqa: PLC0415 - as above

    try:
        return httpx.Client(timeout=_LIMIT, follow_redirects=True)
    except (ImportError, OSError, ValueError) as error:  # a proxy, or certificates, of environment
        raise SdistError(requirement, f"the index cannot be asked: {error}") from error


def _got(client: "httpx.Client", url: str, *, largest: int) -> tuple[bytes, "httpx.URL"]:
    """Return what an address has, and the address that it led to."""
    from dgpin.build import archive as archives  # noqa: PLC0415 - only an sdist pays

    with client.stream("GET", url, headers={"Accept": _SIMPLE}) as answer:
        answer.raise_for_status()
        return archives.within(answer.iter_bytes(), largest=largest, label=url), answer.url


def _verified(data: bytes, digest: str, requirement: str) -> bytes:
    if hashlib.sha256(data).hexdigest() != digest:
        raise SdistError(requirement, "what came is not what the index promised (SHA-256)")
    return data


def _unpack(data: bytes, draft: Path, requirement: str) -> None:
    import io  # noqa: PLC0415 - only an sdist pays
    import tarfile  # noqa: PLC0415 - as above

    from dgpin.build import archive as archives  # noqa: PLC0415 - as above

    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:  # one at a time: the whole of it may be too much to look at
                size = member.offset_data + member.size
                archives.check_sizes(size, packed=len(data), label=f"pypi:{requirement}")
                path = Path(member.name)
                # An archive is not trusted to stay in its directory; links and devices are left.
                inner = Path(*path.parts[1:])
                if path.is_absolute() or ".." in path.parts or not path.parts[1:]:
                    continue
                if not member.isreg():
                    continue
                content = archive.extractfile(member)
                place = draft / inner
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read() if content else b"")
    except archives.DAMAGED as error:
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}:
            raise
        raise SdistError(requirement, f"cannot be unpacked: {error}") from error


def _once(name: str, write: Callable[[Path], None]) -> Path:
    home = cache.directory("sources")
    final = home / name
    try:
        with (home / f".{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not cache.is_own(final):
                draft = home / f".{name}.new"
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                write(draft)
                draft.rename(final)
    except OSError as error:
        raise StoreError(home, error) from error
    return final
