"""Which deep_gemm an interpreter would import, whose it is, and which commit it comes from."""

import base64
import hashlib
import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from dgpin import process
from dgpin.errors import UnavailableError
from dgpin.pin.package import PACKAGE, Package

_PROBE = Path(__file__).with_name("environment_probe.py")
_SCHEMA = 1
_LIMIT = 60.0  # seconds; thousands of packages on a slow file system
_VERSION = re.compile(r"^__version__\s*=\s*(['\"])([^'\"]+)\1", re.MULTILINE)
_KERNEL = re.compile(rb"deep_gemm/impls/(sm[0-9x]+_\w+)\.cuh")
# DeepGEMM's setup.py writes `2.6.1+54e2261`; a wheel's builder may add `.cu13` and the like. What
# reads as a day is one: a nightly wheel's.
_LOCAL = re.compile(
    r"[^+]+\+(?!20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9a-f]))"
    r"([0-9a-f]{7,40})(?:[.-]\S*)?"
)


class ProbeError(UnavailableError):
    """An interpreter that does not tell what it would import."""

    hint = "Give `--python` the path of a working CPython, such as .venv/bin/python."

    def __init__(self, python: str, why: str) -> None:
        super().__init__(f"`{python}` does not tell what it would import: {why}")


class Evidence(str, Enum):
    """What a copy's commit was read from, the surest first."""

    FILES = "its files are the commit's"
    FINGERPRINT = "fingerprint.json, written by dgpin build"
    DIRECT_URL = "direct_url.json, written by pip"
    LOCAL_VERSION = "the local part of its version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The commit that a copy comes from; seven digits or more."""

    commit: str
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A distribution that installed files of a copy."""

    name: str
    version: str
    url: str = ""  # what it was installed from, where pip recorded that
    commit: str = ""  # and the commit, where that was git

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One deep_gemm on disk.

    `name` is what it is imported as. `version` is its `__version__`, which several builds share.
    `families` are the kernels whose headers are there, `wanted` those that its binaries ask for at
    run time. `blobs` holds git's id of each file that is as the source has it.
    """

    directory: Path
    name: str
    owners: tuple[Owner, ...] = ()
    version: str | None = None
    families: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    blobs: Mapping[str, str]
    content: str  # SHA-256 over all of its files, byte code left out
    identity: Identity | None = None

    @property
    def arches(self) -> tuple[str, ...]:
        """The architectures that have kernels, by their headers."""
        numbers = {
            int(match[1]) for name in self.families if (match := re.match(r"sm(\d+)_", name))
        }
        return tuple(f"sm_{number}" for number in sorted(numbers))

    @property
    def is_vendored(self) -> bool:
        """Whether the copy lies inside another package."""
        return self.name != PACKAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Contested:
    """A file that more than one distribution says it installed.

    `holder` is the one whose file is there, by the hash that it recorded.
    """

    path: Path
    owners: tuple[str, ...]
    holder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What an interpreter has of deep_gemm.

    `installed` is what `import deep_gemm` loads; `hidden` are further ones on its path.
    """

    python: str
    version: str
    installed: Copy | None
    hidden: tuple[Copy, ...]
    vendored: tuple[Copy, ...]
    contested: tuple[Contested, ...]

    @property
    def copies(self) -> tuple[Copy, ...]:
        """Every copy, what `import deep_gemm` loads first."""
        first = () if self.installed is None else (self.installed,)
        return (*first, *self.hidden, *self.vendored)


def read(python: str) -> Environment:
    """Ask an interpreter, and read the copies that it names.

    Raises:
        MissingProgramError: there is no such interpreter.
        ProbeError: it does not answer.
    """
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "answer.json")
        done = process.run([python, "-I", _PROBE, out], timeout=_LIMIT)
        try:
            answer = json.loads(out.read_bytes())
        except (OSError, ValueError) as error:
            why = "it ran out of time" if done.returncode is None else done.tail or "no answer"
            raise ProbeError(python, why) from error
    return _environment(python, answer)


def _environment(python: str, answer: Any) -> Environment:  # noqa: ANN401 - the probe's JSON
    if answer["schema"] != _SCHEMA:
        raise ProbeError(python, "its answer is of another version of dgpin")
    wins = [_real(each) for each in answer["wins"]]
    others = [each for each in map(_real, answer["candidates"]) if each not in wins]
    claims = [
        (_owner(each), {_real(file["path"]): file["sha256"] for file in each["files"]})
        for each in answer["distributions"]
    ]

    def copy(directory: Path, name: str = PACKAGE) -> Copy:
        return _copy(directory, name, _owners(directory, claims))

    return Environment(
        python=python,
        version=str(answer["python"]),
        installed=copy(wins[0]) if wins else None,
        hidden=tuple(copy(each) for each in dict.fromkeys(others)),
        vendored=tuple(
            copy(_real(each["directory"]), str(each["name"])) for each in answer["vendored"]
        ),
        contested=_contested(claims),
    )


def _real(path: object) -> Path:
    return Path(str(path)).resolve()


def _owner(entry: Any) -> Owner:  # noqa: ANN401 - the probe's JSON
    origin = entry["direct_url"] if isinstance(entry["direct_url"], dict) else {}
    vcs = origin.get("vcs_info")
    return Owner(
        name=str(entry["name"]),
        version=str(entry["version"]),
        url=str(origin.get("url") or ""),
        commit=str(vcs.get("commit_id") or "") if isinstance(vcs, dict) else "",
    )


Claims = Iterable[tuple[Owner, Mapping[Path, str]]]


def _owners(directory: Path, claims: Claims) -> tuple[Owner, ...]:
    """Return the distributions that installed files there, or that an editable one comes from."""
    found: list[Owner] = []
    for owner, files in claims:
        source = (
            Path(unquote(owner.url.removeprefix("file://")))
            if owner.url.startswith("file://")
            else None
        )
        is_editable = not files and source is not None and source in directory.parents
        if is_editable or any(directory in file.parents for file in files):
            found.append(owner)
    return tuple(sorted(found, key=lambda owner: owner.name))


def _contested(claims: Claims) -> tuple[Contested, ...]:
    holders: dict[Path, dict[str, str]] = {}
    for owner, files in claims:
        for file, sha256 in files.items():
            holders.setdefault(file, {})[owner.name] = sha256
    return tuple(
        Contested(path=path, owners=tuple(sorted(recorded)), holder=_holder(path, recorded))
        for path, recorded in sorted(holders.items())
        if len(recorded) > 1 and path.suffix != ".pyc"
    )


def _holder(path: Path, recorded: Mapping[str, str]) -> str | None:
    """Return the one distribution whose recorded hash the file has."""
    try:
        digest = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None
    # RECORD writes base64, URL-safe and without padding.
    have = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    fitting = [name for name, sha256 in recorded.items() if sha256 == have]
    return fitting[0] if len(fitting) == 1 else None


def _copy(directory: Path, name: str, owners: tuple[Owner, ...]) -> Copy:
    initial = directory / "__init__.py"
    text = initial.read_text(encoding="utf-8", errors="replace") if initial.is_file() else ""
    version = _VERSION.search(text)
    whole = hashlib.sha256()
    blobs: dict[str, str] = {}
    families: set[str] = set()
    wanted: set[str] = set()
    for path in sorted(directory.rglob("*")):
        if path.suffix == ".pyc" or not path.is_file():
            continue
        relative = path.relative_to(directory).as_posix()
        data = path.read_bytes()
        whole.update(relative.encode() + b"\0" + hashlib.sha256(data).digest())
        if path.suffix == ".so":
            wanted |= {match.decode() for match in _KERNEL.findall(data)}
        elif _is_of_the_source(relative):
            header = b"blob %d\0" % len(data)
            blobs[f"{PACKAGE}/{relative}"] = hashlib.sha1(header + data).hexdigest()  # noqa: S324 - git's own id
        if relative.startswith("include/deep_gemm/impls/sm") and path.suffix == ".cuh":
            families.add(path.stem)
    found = Copy(
        directory=directory,
        name=name,
        owners=owners,
        version=version[2] if version else None,
        families=tuple(sorted(families)),
        wanted=tuple(sorted(wanted)),
        blobs=blobs,
        content=whole.hexdigest(),
    )
    return replace(found, identity=_recorded(found))


def _is_of_the_source(path: str) -> bool:
    """Return whether the source has this file, byte for byte."""
    if path.endswith(".py"):
        return path != "envs.py"
    return path.startswith("include/deep_gemm/")


def _recorded(copy: Copy) -> Identity | None:
    """Return the commit that whoever made or installed the copy wrote down."""
    try:
        made = json.loads((copy.directory.parent / "fingerprint.json").read_bytes())
        commit = str(made["components"]["commit"])
        if re.fullmatch(r"[0-9a-f]{40}", commit):
            return Identity(commit=commit, evidence=Evidence.FINGERPRINT)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    # A host's own direct_url.json and version are the host's, not those of the copy in it.
    for owner in () if copy.is_vendored or len(copy.owners) != 1 else copy.owners:
        if re.fullmatch(r"[0-9a-f]{40}", owner.commit):
            return Identity(commit=owner.commit, evidence=Evidence.DIRECT_URL)
        if match := _LOCAL.fullmatch(owner.version):
            return Identity(commit=match[1], evidence=Evidence.LOCAL_VERSION)
    return None


def identify(copy: Copy, listings: Mapping[str, Mapping[str, str]]) -> Copy:
    """Return the copy with the commit whose files it has; unchanged when it is none of these.

    `listings` maps commits to git's blob id of each path, as `git ls-tree -r` lists them. The
    first commit wins: several can have the same files.
    """
    for commit, listing in listings.items():
        if has_files_of(copy, listing):
            return replace(copy, identity=Identity(commit=commit, evidence=Evidence.FILES))
    return copy


def has_files_of(copy: Copy, listing: Mapping[str, str]) -> bool:
    """Return whether each file of the copy that a source would have is the listed one."""
    return f"{PACKAGE}/__init__.py" in copy.blobs and all(
        listing.get(path) == blob for path, blob in copy.blobs.items()
    )


def exports(copy: Copy) -> frozenset[str]:
    """Return the names that a copy exports, read from its files."""
    return frozenset(Package(_CopyTree(copy)).exports())


class _CopyTree:
    """A copy's Python files as a source."""

    def __init__(self, copy: Copy) -> None:
        self._root = copy.directory
        self._paths = frozenset(path for path in copy.blobs if path.endswith(".py"))

    def paths(self) -> frozenset[str]:
        """Return every Python file, with the package's name in front."""
        return self._paths

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        return (self._root / path.removeprefix(f"{PACKAGE}/")).read_bytes()

    def gitlinks(self) -> Mapping[str, str]:
        """Return nothing: a copy records no submodules."""
        return {}
