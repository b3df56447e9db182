"""What a repository or another machine says: `.gitmodules`, git's answers, evidence."""

import contextlib
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from dgpin.errors import DgpinError
from dgpin.evidence import join
from dgpin.evidence.loose import Loose
from dgpin.render import report
from dgpin.render.terminal import plain
from dgpin.source import address, align, blame, commits, context, entries, fixlike, modules
from dgpin.source.address import Address
from dgpin.source.entries import Entry, Mode
from tests.fuzz.target import Fault, Target

_FAR = address.parse("https://example.org/a/b.git")
_NEAR = address.parse("/srv/a/b")


def _gitmodules(data: bytes) -> None:
    """Take the submodules' addresses as git would get them, below a far and a local repository."""
    for path, url in modules.urls(data.decode(errors="replace")).items():
        assert path, "a submodule without a path"
        for parent in (_FAR, _NEAR):
            with contextlib.suppress(DgpinError):
                found = address.parse(url, relative_to=parent, local=parent.local)
                _safe(found, local=parent.local)


def _safe(found: Address, *, local: bool) -> None:
    assert local or not found.local, f"a far repository reached a local path: {found.secret!r}"
    scheme, marked, _ = found.secret.partition("://")
    assert not found.secret.startswith("-"), "an address that is an option"
    assert not marked or "/" in scheme or scheme in address.SCHEMES, f"another transport: {scheme}"
    assert "::" not in found.secret.partition("/")[0], f"a helper: {found.secret!r}"
    assert len(found.key) < 100, "a name in the cache that no file system takes"


def _any_address(text: str, *, relative_to: Address | None = None, local: bool = True) -> Address:
    """Follow whatever is written."""
    return Address(secret=text, shown=text, local=local and relative_to is not None)


def _git(data: bytes) -> None:
    """Read bytes as the answer of one git command; the first byte chooses it."""
    which, answer = data[:1], data[1:]
    text = answer.decode(errors="replace")
    if which == b"t":
        listing = {entry.path: entry for entry in entries.parse(answer)}
        target = answer[:300].decode("utf-8", "surrogateescape")
        for path in [*listing][:20]:
            entries.follow(path, entries=listing, target=lambda _entry: target)
    elif which == b"c":
        for commit in commits.parse(text):
            assert commit.subject.isprintable(), "a subject that drives the terminal"
            assert commit.author.isprintable(), "an author that drives the terminal"
    elif which == b"n":
        commits.distance(text)
    elif which == b"r":
        commits.refs(text)
    elif which == b"b":
        blame.parse(text)
    elif which == b"d":
        blame.taken_away(cast("blame.History", _Answer(text)), ["HEAD"])
    else:
        _lines(text)


class _Answer:
    """Stands for a history whose git gives one answer."""

    def __init__(self, text: str) -> None:
        self._text = text

    def git(self, _words: object, *, stdin: bytes | None = None) -> str:
        """Return the answer."""
        del stdin
        return self._text


def _lines(text: str) -> None:
    """Read lines as those of two files: where they stand, what is lost, what it looks like."""
    lines = text.split("\n")
    normal = [align.normal(line) for line in lines]
    half = len(lines) // 2
    pairs = align.matches(normal[:half], normal[half:])
    assert all(normal[a] == normal[half + b] for a, b in pairs), "unlike lines were matched"
    for number in range(min(len(lines), 8)):
        context.function_at(lines, number)
    fixlike.judge(((line, "") for line in lines), size=len(lines))


def _trusting(listing: bytes) -> Iterator[Entry]:
    """Take it for granted that each line has three words before the tab."""
    for line in listing.split(b"\0"):
        if b"\t" in line:
            head, _, path = line.partition(b"\t")
            mode, _kind, sha = head.split(b" ")
            yield Entry(Mode(mode.decode()), sha.decode(), path.decode("utf-8", "surrogateescape"))


def _evidence(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        path = Path(file.name)
        path.write_bytes(data)
        joined = join.join([path], required=("sm_90",))
    for render in report.renderers(joined).values():
        shown = render()
        text = shown if isinstance(shown, str) else plain(shown)
        text.encode(errors="surrogateescape")


_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**400,
    1.5,
    "",
    "x",
    "\ud800",
    "\udcff",
    "pass",
    "fail",
    [],
    {},
)


def _other_value(data: bytes, chance: random.Random) -> bytes:
    """Put another value into one place of a document, or take the place out."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data
    here = document
    while isinstance(here, dict | list) and here:
        key = chance.choice(list(here) if isinstance(here, dict) else range(len(here)))
        inner = here[key]
        if not (isinstance(inner, dict | list) and inner and chance.random() < 0.8):
            if chance.random() < 0.2:
                del here[key]
            else:
                here[key] = chance.choice(_VALUES)
            break
        here = inner
    return json.dumps(document).encode()


def _whatever(value: Loose) -> object:
    """Return a value that should be a text or null, whatever it is."""
    return vars(value)["_value"] or ""


GITMODULES = Target(
    name="gitmodules",
    read=_gitmodules,
    words=(
        *('[submodule "', '"]', "path = ", "url = ", "../", "./", "https://", "file://", "ssh://"),
        *("ext::", "git@", "-", "\\", "#", ";", "update = !", "branch = "),
    ),
    fault=Fault(
        what="a submodule's address is followed wherever it leads",
        place=address,
        name="parse",
        wrong=_any_address,
        trigger=b'[submodule "a"]\npath = a\nurl = ext::sh -c x\n',
    ),
)
GIT = Target(
    name="git",
    read=_git,
    words=(
        *("100644 blob ", "120000 blob ", "160000 commit ", "\t", "\x00", "commit ", "\x1f"),
        *("0123456789012345678901234567890123456789", "boundary\n", "--- a/", "-", "refs/heads/"),
        *("min(", "if (", "// fix", "void f(", "__launch_bounds__(", "struct ", ")", "{"),
    ),
    fault=Fault(
        what="a listing is taken to be well formed",
        place=entries,
        name="parse",
        wrong=_trusting,
        trigger=b"t100644 blob\ta",
    ),
)
EVIDENCE = Target(
    name="evidence",
    read=_evidence,
    longest=8192,
    change=_other_value,
    words=(
        *(f'"dgpin/{kind}/1"' for kind in ("smoke", "check", "bump", "diff-api", "carry", "build")),
        *('"dgpin/lint/1"', '"dgpin/verify/1"', "null", "true", "1e999", "NaN", "[]", "{}"),
        *('"schema":', '"verdict":', '"pass"', '"fail"', '"rows":', '"commit":', '"\\ud800"'),
    ),
    fault=Fault(
        what="a text that may be null is taken as it comes",
        place=Loose,
        name="maybe_text",
        wrong=property(_whatever),
        trigger=json.dumps(
            {"schema": "dgpin/check/1", "rows": [], "pin": {"commit": ["x"]}}
        ).encode(),
    ),
)
