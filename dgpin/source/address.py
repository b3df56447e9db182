"""Where a repository lies: which addresses are followed, and how they are shown."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from dgpin.errors import UsageError

SCHEMES = ("https", "ssh", "git", "file")
_SCP = re.compile(r"(?:[^@/:\s]+@)?(?P<host>[^/:@\s]+):(?!//)(?P<path>\S.*)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HELPER = re.compile(r"[^/]+?::")


class AddressError(UsageError):
    """An address that git must not see."""

    hint = "Repositories are https, ssh (also user@host:path) or git addresses, or local paths."

    def __init__(self, shown: str, why: str) -> None:
        super().__init__(f"the repository `{shown}` {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A repository's address.

    `secret` is what git gets and may hold a password; every message and file name is made of
    `shown`, which never does. `slug` is `owner/name` on github.com, else empty.
    """

    secret: str
    shown: str
    local: bool = False
    slug: str = ""

    def __repr__(self) -> str:
        return f"Address({self.shown})"

    @property
    def identity(self) -> str:
        """The same for every spelling: https or ssh on GitHub, `.git`, `/`, case of the host."""
        return f"github.com/{self.slug.lower()}" if self.slug else _plain(self.shown)

    @property
    def key(self) -> str:
        """Name a place in the cache."""
        name = re.sub(r"[^A-Za-z0-9.-]+", "-", PurePosixPath(self.identity).name)
        digest = hashlib.sha256(self.identity.encode()).hexdigest()[:16]
        return f"{name[:40] or 'repository'}-{digest}"


def parse(text: str, *, relative_to: Address | None = None, local: bool = True) -> Address:
    """Return an address, refusing what could make git run a command or leave https and ssh.

    `relative_to` is the address of the parent, against which `./x` and `../x` of a submodule are
    resolved. With `local=False` paths and file:// are refused too, as for the submodule of a
    repository that is not local itself.

    Raises:
        AddressError: the address is refused.
    """
    shown = _without_credentials(text)
    if not text or any(ord(letter) < 32 for letter in text):  # noqa: PLR2004 - ASCII control
        raise AddressError(shown, "is not an address")
    if text.startswith("-"):
        raise AddressError(shown, "begins with `-`, so git would take it for an option")
    if relative_to is not None and text.startswith(("./", "../")):
        return parse(_joined(relative_to.secret, text), local=local)
    if _HELPER.match(text):
        raise AddressError(shown, f"uses the transport `{text.partition('::')[0]}`, refused")
    if _SCHEME.match(text):
        return _from_url(text, shown, local=local)
    if "://" in text:  # git would look for a transport of whatever name stands before it
        raise AddressError(shown, "is not an address")
    # As git has it: a colon before the first slash makes a host, `./a:b` is a path.
    if scp := _SCP.fullmatch(text):
        _refuse_options(shown, scp["host"], scp["path"])
        return Address(secret=text, shown=text, slug=_slug(scp["host"], scp["path"]))
    if not local:
        raise AddressError(shown, "is a local path, which this repository may not name")
    return Address(secret=_absolute(text), shown=_absolute(text), local=True)


def _from_url(text: str, shown: str, *, local: bool) -> Address:
    try:
        parts = urlsplit(text)
    except ValueError as error:  # brackets that hold no IPv6 address
        raise AddressError(shown, f"is not an address: {error}") from error
    # As it is written: git would take `HTTPS` for the name of a helper.
    scheme = text.partition("://")[0]
    if scheme not in SCHEMES:
        raise AddressError(shown, f"uses the transport `{scheme}`, which is not followed")
    if scheme == "file":
        if not local:
            raise AddressError(shown, "is a local path, which this repository may not name")
        return Address(secret=text, shown=shown, local=True)
    if not parts.hostname:
        raise AddressError(shown, "names no host")
    _refuse_options(shown, parts.hostname, parts.path.lstrip("/"))
    return Address(secret=text, shown=shown, slug=_slug(parts.hostname, parts.path))


def _refuse_options(shown: str, host: str, path: str) -> None:
    if host.startswith("-") or path.startswith("-"):
        raise AddressError(shown, "has a part that begins with `-`, which ssh takes for an option")


def _slug(host: str, path: str) -> str:
    found = re.fullmatch(r"/?([\w.-]+/[\w.-]+?)(?:\.git)?/?", path)
    return found[1] if found and host.lower() in {"github.com", "www.github.com"} else ""


def _without_credentials(text: str) -> str:
    # A user name alone is part of an ssh address; over https it may be a token by itself.
    bare = re.sub(r"^(\w[\w+.-]*://)[^/?#]*@", r"\1", text)
    if text.startswith("ssh://"):
        user = re.match(r"ssh://([^:@/?#]+)(?::[^/?#]*)?@", text)
        bare = bare.replace("ssh://", f"ssh://{user[1]}@", 1) if user else bare
    return re.split(r"[?#]", bare)[0] if _SCHEME.match(bare) else bare


def _plain(shown: str) -> str:
    text = shown.rstrip("/")
    text = text.removesuffix(".git")
    parts = urlsplit(text) if _SCHEME.match(text) else None
    if parts is None:
        return text
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path}".rstrip("/")


def _absolute(text: str) -> str:
    # Path.expanduser() raises for a user who does not exist, Path.resolve() follows links.
    return os.path.abspath(os.path.expanduser(text))  # noqa: PTH100, PTH111 - see above


def _joined(parent: str, relative: str) -> str:
    head, joint, path = _split_host(parent.rstrip("/"))
    steps = path.split("/")
    for step in relative.split("/"):
        if step == ".." and steps:
            steps.pop()
        elif step not in {".", "..", ""}:
            steps.append(step)
    return head + joint + "/".join(steps)


def _split_host(parent: str) -> tuple[str, str, str]:
    if found := re.match(r"([A-Za-z][\w+.-]*://[^/]*)(/?)(.*)", parent):
        return found[1], found[2], found[3]
    if scp := _SCP.fullmatch(parent):
        return parent[: scp.start("path") - 1], ":", scp["path"]
    return "", "", parent
