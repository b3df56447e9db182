"""Which distribution this is, and how its user installs a package."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Family(str, Enum):
    """A package manager. The value is the column of the package tables."""

    APT = "apt"
    DNF = "dnf"
    APK = "apk"
    UNKNOWN = ""


_INSTALL = {
    Family.APT: "apt-get install",
    Family.DNF: "dnf install",
    Family.APK: "apk add",
}
_FAMILIES = {
    "debian": Family.APT,
    "ubuntu": Family.APT,
    "fedora": Family.DNF,
    "rhel": Family.DNF,
    "centos": Family.DNF,
    "almalinux": Family.DNF,
    "rocky": Family.DNF,
    "amzn": Family.DNF,
    "alpine": Family.APK,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """What os-release says: `id` such as `debian`, `version` such as `12`."""

    id: str
    version: str
    name: str
    family: Family

    def install(self, packages: Sequence[str]) -> str:
        """Return the command that installs the packages; empty where none is known."""
        if not packages or self.family is Family.UNKNOWN:
            return ""
        return f"{_INSTALL[self.family]} {' '.join(packages)}"


def read(root: Path = Path("/")) -> Distribution:
    """Read os-release below `root`, first where the administrator may have put it."""
    for place in ("etc/os-release", "usr/lib/os-release"):
        try:
            text = (root / place).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return parse(text)
    return Distribution(id="", version="", name="an unknown system", family=Family.UNKNOWN)


def parse(text: str) -> Distribution:
    """Return the distribution of an os-release file (freedesktop.org's os-release(5))."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, joint, raw = line.strip().partition("=")
        if not joint or name.startswith("#"):
            continue
        try:
            values[name] = "".join(shlex.split(raw))
        except ValueError:  # an unclosed quote
            continue
    ident = values.get("ID", "")
    # A derivative names what it derives from: Mint is `ubuntu debian`, Rocky `rhel centos fedora`.
    known = [word for word in (ident, *values.get("ID_LIKE", "").split()) if word in _FAMILIES]
    return Distribution(
        id=ident,
        version=values.get("VERSION_ID", ""),
        name=values.get("PRETTY_NAME", ident or "an unknown system"),
        family=_FAMILIES[known[0]] if known else Family.UNKNOWN,
    )
