"""A build as a wheel whose version tells what is in it."""

import base64
import hashlib
import os
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin.build.assemble import PACKAGE
from dgpin.build.output import CopyError
from dgpin.build.store import Entry

# `t` is a free-threaded Python's, `d` that of one built for debugging.
_EXTENSION = re.compile(r"\.cpython-(\d)(\d+)(t?d?)-")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can tell; same build, same bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """Which Pythons a wheel is for: `cp311-cp311-linux_x86_64`."""

    python: str
    abi: str
    platform: str

    def __str__(self) -> str:
        return f"{self.python}-{self.abi}-{self.platform}"


def version(entry: Entry) -> str:
    """Return the version: the package's, and locally the commit, CUDA and torch of the build.

    `2.8.2+g54e2261.cu130.torch2.14.1`; a source without a commit shows its hash instead.
    """
    text = (entry.package / "__init__.py").read_text(encoding="utf-8", errors="replace")
    found = re.search(r"^__version__\s*=\s*['\"]([^'\"+]+)", text, re.MULTILINE)
    parts = entry.fingerprint.components
    commit, _, changes = parts.get("commit", "").partition(" ")
    source = f"g{commit[:7]}" if commit else f"src{parts.get('source', '')[:8]}"
    torch = parts.get("torch", "").partition(" ")[0].partition("+")[0]
    cuda = parts.get("cuda", "").partition(" ")[0].replace(".", "")
    words = [source, *(["dirty"] if changes else []), f"cu{cuda}", f"torch{torch}"]
    return f"{_public(found[1] if found else '')}+{'.'.join(words)}"


def _public(text: str) -> str:
    """Return a version as the name of a wheel may hold it; `0` for what is none."""
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - start-up

    try:
        return Version(text).public
    except InvalidVersion:
        return "0"


def tag(extension: str, platform: str) -> Tag:
    """Return the tag for an extension's file name; `platform` is as sysconfig spells it."""
    where = re.sub(r"[-.]", "_", platform)
    found = _EXTENSION.search(extension)
    if found is None:  # abi3, from the oldest Python that dgpin builds for
        return Tag(python="cp310", abi="abi3", platform=where)
    name = f"cp{found[1]}{found[2]}"
    return Tag(python=name, abi=f"{name}{found[3]}", platform=where)


def write(entry: Entry, directory: Path, *, platform: str) -> tuple[Path, ...]:
    """Write one wheel for each extension of a build, and return their paths.

    Raises:
        CopyError: the directory cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return _written(entry, directory, platform)
    except OSError as error:
        raise CopyError(directory, error) from error


def _written(entry: Entry, directory: Path, platform: str) -> tuple[Path, ...]:
    extensions = sorted(path.name for path in entry.package.glob("*.so"))
    common = {
        f"{PACKAGE}/{path.relative_to(entry.package).as_posix()}": path
        for path in sorted(entry.package.rglob("*"))
        if path.is_file() and path.name not in extensions and "__pycache__" not in path.parts
    }
    made = []
    for name in extensions:
        files = {**common, f"{PACKAGE}/{name}": entry.package / name}
        made.append(_pack(entry, files, tag(name, platform), directory))
    return tuple(made)


def _pack(entry: Entry, files: Mapping[str, Path], which: Tag, directory: Path) -> Path:
    number = version(entry)
    info = f"{PACKAGE}-{number}.dist-info"
    torch = entry.fingerprint.components.get("torch", "").partition(" ")[0].partition("+")[0]
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {number}\n"
        f"Requires-Dist: torch=={torch}\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: dgpin\nRoot-Is-Purelib: false\n"
        f"Tag: {which}\n",
        f"{info}/fingerprint.json": (entry.root / "fingerprint.json").read_text(encoding="utf-8"),
    }
    contents = {name: path.read_bytes() for name, path in files.items()}
    contents |= {name: text.encode() for name, text in texts.items()}
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    target = directory / f"{PACKAGE}-{number}-{which}.whl"
    draft = directory / f".{target.name}.{os.getpid()}.new"
    try:
        with zipfile.ZipFile(draft, "w", compression=zipfile.ZIP_DEFLATED) as archive:
            for name, data in contents.items():
                member = zipfile.ZipInfo(name, date_time=_EPOCH)
                member.compress_type = zipfile.ZIP_DEFLATED
                member.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
                archive.writestr(member, data)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return target


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
