"""`dgpin.toml` → Config; the only reader and writer of TOML."""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from dgpin.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "dgpin.toml"
_LARGEST = 2**20  # characters; the largest preset has three thousand
_DOTS = 100  # in a line: a key of thousands of parts costs their square in a reader of TOML
_OPAQUE = re.compile(  # texts and comments; one that is not closed ends with its line or the file
    r'"""(?:\\?.)*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?'
    r"|'''.*?(?:'''|\Z)|'[^'\n]*'?|#[^\n]*",
    re.DOTALL,
)
_PIN_KEYS = {
    "repo",
    "follow",
    "upstream",
    "forks",
    "release",
    "needs",
    "checkouts",
    "gitlink",
}
_ENTRY_KEYS = {"at", "each", "in", "many", "optional", "watch"}
_TABLES = {"preset", "pin", "sites", "watch", "hold", "allow", "carry", "smoke"}


class ConfigError(UsageError):
    """A `dgpin.toml` (or preset) that cannot be used."""

    hint = "docs/reference/dgpin-toml.md explains every table and key."

    def __init__(self, source: str, what: str) -> None:
        super().__init__(f"{source}: {what}")


class Entry(NamedTuple):
    """One line of `[sites]` or `[watch]`: a host file and the text that stands in it."""

    path: str  # relative to the host, with `/`; in a preset it may be a pattern `**/NAME`
    text: str
    scope: str | None = None  # `in`: regions between literals
    each: bool = False  # every match in the scope is an item of one list
    many: bool = False  # may match more than once
    optional: bool = False  # may not match at all
    watch: bool = False  # reported, never rewritten
    file_optional: bool = False  # the file may be absent

    def __str__(self) -> str:
        return self.text if self.scope is None else f"{self.text} in {self.scope}"


class Need(NamedTuple):
    """What must hold at the new commit: a file that exists, and a text in it if one is given."""

    path: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.text}" if self.text else self.path


class Hold(NamedTuple):
    """A frozen pin: why, and until when (free text: a date, an issue)."""

    reason: str
    until: str = ""


class Accepted(NamedTuple):
    """A finding that the host lives with: its fingerprint or name, why, and until which day."""

    name: str
    reason: str
    expires: str = ""


class Config(NamedTuple):
    """Where a host's sites are and what holds for its pin. The commit is never in here."""

    source: str  # the file, or the preset's name
    is_preset: bool = False
    summary: str = ""
    repo: str | None = None
    follow: str | Mapping[str, str] | None = None  # a branch, or one for each repository
    upstream: str | None = None
    forks: tuple[str, ...] = ()
    release: str | None = None  # pypi:NAME, where the pin is a wheel's version
    needs: tuple[Need, ...] = ()
    checkouts: tuple[str, ...] = ()  # where the host's build keeps its copy of the source
    gitlink: str | None = None  # the path of the git submodule whose commit is the pin
    entries: tuple[Entry, ...] = ()
    hold: Hold | None = None
    allow: tuple[Accepted, ...] = ()
    carry_accept: tuple[Accepted, ...] = ()
    smoke: Mapping[str, Any] = MappingProxyType({})

    @property
    def others(self) -> tuple[str, ...]:
        """Return the further repositories in which a commit is looked for."""
        return (*([self.upstream] if self.upstream else []), *self.forks)

    def branch(self, repo: str | None) -> str | None:
        """Return the branch that the pin follows in a repository."""
        if self.follow is None or isinstance(self.follow, str):
            return self.follow
        return self.follow.get((repo or "").removesuffix(".git"))


def load(path: Path) -> Config:
    """Read a host's `dgpin.toml`.

    Raises:
        ConfigError: it is not TOML, or says something that dgpin does not know.
    """
    if path.exists() and not path.is_file():  # a pipe would be read for ever
        raise ConfigError(str(path), "is no file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), f"cannot be read: {error}") from error
    return parse(text, source=path.name)


def parse(text: str, *, source: str, is_preset: bool = False) -> Config:
    """Return the configuration that a TOML text holds.

    Raises:
        ConfigError: as `load`.
    """
    _refuse_large(text, source)
    try:
        raw = tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(source, "is nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, or a number of too many digits
        raise ConfigError(source, f"is not TOML: {error}") from error
    table = _Table(source, raw)
    table.only(_TABLES)
    pin = table.table("pin")
    pin.only(_PIN_KEYS)
    config = Config(
        source=source,
        is_preset=is_preset,
        summary=table.table("preset").text("summary") or "",
        repo=_bare(pin.text("repo")),
        follow=pin.text_or_mapping("follow"),
        upstream=_bare(pin.text("upstream")),
        forks=tuple(fork.removesuffix(".git") for fork in pin.texts("forks")),
        release=pin.text("release"),
        needs=tuple(_need(text) for text in pin.texts("needs")),
        checkouts=pin.texts("checkouts"),
        gitlink=pin.text("gitlink"),
        entries=(*_entries(table, "sites"), *_entries(table, "watch")),
        hold=_hold(table),
        allow=_accepted(table.raw.get("allow", []), source, "allow"),
        carry_accept=_accepted(table.table("carry").raw.get("accept", []), source, "carry.accept"),
        smoke=table.table("smoke").raw,
    )
    if not any(not entry.watch for entry in config.entries):
        raise ConfigError(source, "has no [sites]: nothing says where the pin is written")
    return config


def _refuse_large(text: str, source: str) -> None:
    if len(text) > _LARGEST:
        raise ConfigError(source, f"has {len(text)} characters; {_LARGEST} are the most")
    for number, line in enumerate(_OPAQUE.sub(_newlines, text).split("\n"), 1):
        if line.count(".") > _DOTS:
            raise ConfigError(source, f"line {number} has more than {_DOTS} dots outside of texts")


def _newlines(opaque: "re.Match[str]") -> str:
    return "\n" * opaque[0].count("\n")


def first_path(text: str) -> str | None:
    """Return the first file that a preset's [sites] name, without parsing all of it.

    It is asked of every preset at every start, and parsing takes a hundred times as long.
    """
    key = re.search(r'^\[sites\]\n"([^"?*]+)"', text, re.MULTILINE)
    return key[1] if key else None


def _bare(repo: str | None) -> str | None:
    return repo.removesuffix(".git").rstrip("/") if repo else None


class _Table:
    """A loose table of the file, asked for values of one type."""

    def __init__(self, source: str, raw: Mapping[str, Any], name: str = "") -> None:
        self.source, self.raw, self.name = source, raw, name

    def only(self, known: set[str]) -> None:
        unknown = sorted(set(self.raw) - known)
        if unknown:
            where = f"[{self.name}]" if self.name else "the file"
            raise ConfigError(
                self.source,
                f"{where} holds `{unknown[0]}`, which dgpin does not know; "
                f"it knows {', '.join(sorted(known))}",
            )

    def wrong(self, key: str, wanted: str) -> ConfigError:
        where = f"{self.name}.{key}" if self.name else key
        return ConfigError(self.source, f"`{where}` must be {wanted}")

    def table(self, key: str) -> "_Table":
        value = self.raw.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a table")
        return _Table(self.source, value, key)

    def text(self, key: str) -> str | None:
        value = self.raw.get(key)
        if value is not None and not (isinstance(value, str) and value):
            raise self.wrong(key, "a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.raw.get(key, [])
        if not isinstance(value, list) or not all(isinstance(i, str) and i for i in value):
            raise self.wrong(key, "a list of texts, none of them empty")
        return tuple(value)

    def text_or_mapping(self, key: str) -> str | Mapping[str, str] | None:
        value = self.raw.get(key)
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return {str(repo).removesuffix(".git"): item for repo, item in value.items()}
        return self.text(key)

    def flag(self, key: str, *, default: bool = False) -> bool:
        value = self.raw.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value


def _entries(table: _Table, name: str) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    for path, value in table.table(name).raw.items():
        items = value if isinstance(value, list) else [value]
        entries += [_entry(table.source, path, item, watch=name == "watch") for item in items]
    return tuple(entries)


def _entry(source: str, path: str, item: object, *, watch: bool) -> Entry:
    pure = PurePosixPath(path.removesuffix("?"))
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in path:
        raise ConfigError(source, f"the site path `{path}` leaves the host")
    if isinstance(item, str):
        item = {"at": item}
    if not isinstance(item, dict):
        known = ", ".join(sorted(_ENTRY_KEYS))
        raise ConfigError(source, f"`{path}`: an entry is a text or a table of {known}")
    raw = _Table(source, item, path)
    raw.only(_ENTRY_KEYS)
    at, each = raw.text("at"), raw.text("each")
    text = at or each
    if text is None or (at and each):
        raise ConfigError(source, f"`{path}`: an entry has either `at` or `each`")
    if each and raw.text("in") is None:
        raise ConfigError(source, f"`{path}`: a list (`each`) needs a scope (`in`)")
    return Entry(
        path=str(pure),
        text=text,
        scope=raw.text("in"),
        each=each is not None,
        many=raw.flag("many"),
        optional=raw.flag("optional"),
        watch=raw.flag("watch", default=watch),
        file_optional=path.endswith("?"),
    )


def _need(text: str) -> Need:
    path, _, inside = text.partition(": ")
    return Need(path=path, text=inside)


def _hold(table: _Table) -> Hold | None:
    if "hold" not in table.raw:
        return None
    hold = table.table("hold")
    hold.only({"reason", "until"})
    reason = hold.text("reason")
    if reason is None:
        raise ConfigError(table.source, "[hold] needs a `reason`")
    return Hold(reason=reason, until=hold.text("until") or "")


def _accepted(raw: object, source: str, where: str) -> tuple[Accepted, ...]:
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise ConfigError(source, f"`{where}` must be a list of tables with `name` and `reason`")
    accepted = []
    for item in raw:
        table = _Table(source, item if isinstance(item, dict) else {}, where)
        table.only({"name", "reason", "expires"})
        name, reason = table.text("name"), table.text("reason")
        if name is None or reason is None:
            raise ConfigError(source, f"each entry of `{where}` needs a `name` and a `reason`")
        expires = str(table.raw.get("expires", ""))
        if expires and not _is_day(expires):
            why = f"`{where}` {name}: {expires!r} is no day; write it as 2027-01-31"
            raise ConfigError(source, why)
        accepted.append(Accepted(name=name, reason=reason, expires=expires))
    return tuple(accepted)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def rewritten(text: str, pin: Mapping[str, str], *, paths: Collection[str]) -> str:
    """Return a preset's text as a host's own: `[pin]` values set, `[preset]` gone.

    A path that is a pattern becomes the files that it fits, which are among `paths`. Comments and
    layout stay.
    """
    import tomlkit  # noqa: PLC0415 - start-up: only init writes TOML

    document = tomlkit.parse(text)
    document.pop("preset", None)
    table = document["pin"]
    for key, value in pin.items():
        table[key] = value
    sites = document["sites"]
    for pattern in [key for key in sites if "*" in key]:
        entry = sites.pop(pattern)
        for path in sorted(paths):
            sites[path] = entry
    return document.as_string().lstrip("\n")
