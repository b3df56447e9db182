"""What a host says: the text of its sites, and `dgpin.toml`."""

from dgpin import config
from dgpin.config import Config, Entry
from dgpin.pin import sites, template
from tests.fuzz.target import Fault, Target

_WORDS = (
    *("<commit>", "<commit:7>", "<repo>", "<slug>", "<owner>", "<branch>", "<version>", "<wheel>"),
    *("<submodules>", "<libraries>", "<packages.deb>", "<arches>", "<fmt.commit>", "…", "\x00"),
    *("<<<<<<< ", ">>>>>>> ", "https://", "#", "//"),
)


def _templates(data: bytes) -> None:
    """Read a text by a template: first byte, template, scope and text, with NUL between."""
    head, *rest = data.split(b"\0", 3)
    if len(rest) < 2:
        return
    flags, text, scope = head[0] if head else 0, rest[0], rest[1]
    entry = Entry(
        path="CMakeLists.txt",
        text=sites.decode(text),
        scope=sites.decode(scope) or None,
        each=bool(flags & 1),
        many=bool(flags & 2),
        optional=bool(flags & 4),
        watch=bool(flags & 8),
    )
    contents = rest[2] if len(rest) > 2 else b""
    reading = sites.read_sites(Config(source="fuzz", entries=(entry,)), {entry.path: contents}.get)
    _consistent(reading)


def _consistent(reading: sites.Reading) -> None:
    for found in reading.found:
        text = reading.texts[found.entry.path]
        reading.near(found)
        for site in found.sites:
            hole = site.hole
            assert text[hole.start : hole.end] == hole.value, "a hole is not where it says"
            assert site.line == text.count("\n", 0, hole.start) + 1, "a site is on another line"
        if found.problem and found.entry.each:
            reading.resembling(found.entry, "cudart", but=frozenset())


def _any_length(_text: str, *, fact: str, length: int | None) -> None:
    """Take a fact's short form without asking whether the fact has one."""
    assert length is None or fact == "commit" or fact.endswith(".commit"), "a short form of no hash"


def _toml(data: bytes) -> None:
    found = config.parse(data.decode(errors="replace"), source="dgpin.toml")
    found.branch(found.repo)
    for entry in found.entries:
        str(entry)
    for need in found.needs:
        str(need)


def _unchecked(table: object, key: str) -> tuple[str, ...]:
    """Return a list's items without asking whether they are texts."""
    value: object = getattr(table, "raw").get(key, [])  # noqa: B009 - the class is private
    return tuple(value) if isinstance(value, list) else ()


TEMPLATES = Target(
    name="templates",
    read=_templates,
    words=_WORDS,
    fault=Fault(
        what="a short form is taken of facts that are no hash",
        place=template,
        name="_check_length",
        wrong=_any_length,
        trigger=b"\0<branch:8>\0\0dev",
    ),
)
TOML = Target(
    name="toml",
    read=_toml,
    words=(
        *("[pin]", "[sites]", "[watch]", "[hold]", "[[allow]]", "[[carry.accept]]", "[smoke]"),
        *("repo", "follow", "upstream", "forks", "release", "needs", "checkouts", "gitlink"),
        *("at", "each", "in", "many", "optional", "watch", "reason", "until", "name", "expires"),
        *("true", "false", "1979-05-27", '"""', "'''", "[1]", "{", "}", " = "),
    ),
    fault=Fault(
        what="a list's items are not looked at",
        place=vars(config)["_Table"],
        name="texts",
        wrong=_unchecked,
        trigger=b"[pin]\nneeds = [1]\n[sites]\n'a' = '<commit>'\n",
    ),
)
