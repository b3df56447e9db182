"""Scan a host: list, filter by bytes, parse, collect; what was found is kept by content."""

import ast
import gc
import hashlib
import os
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache as remember
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dgpin import cache, record, stamp
from dgpin.api.host.listing import WORD, Listing, listing, read
from dgpin.api.uses import Remark, Scan, Skipped, Use
from dgpin.verdict import Place

if TYPE_CHECKING:
    from dgpin.api.host.module import Module

# A name of the library, or of ops of it; and any word that holds such a name.
_LIBRARY = re.compile(
    rb"\bdeep_gemm(?:_cpp)?\b|\bops(?:\W{1,8}| import )\w*deep_gemm|[\"']\w*deep_gemm\w*[\"']"
)
_NEAR = 100  # bytes before and behind, for the longest word
_WORDS = re.compile(rb"\w*deep_gemm\w*")
_ROUNDS = 3  # re-exports that are followed into files without a word of the API
_REMARK = re.compile(r"#\s*dgpin:\s*ignore(?:\[(?P<rules>[^\]]*)\])?(?P<reason>.*)")


class _Contents(NamedTuple):
    """The files that mention the API, with their bytes, and what could not be read."""

    files: dict[str, bytes]
    skipped: tuple[Skipped, ...]


def scan(root: Path) -> Scan:
    """Return every use in a host's Python files. Nothing of the host is imported or run."""
    found = listing(root)
    stamped = _stamp(found)
    known = _load(f"seen/{stamped}") if stamped else None
    if known is not None:
        return known
    contents = _contents(found, found.paths, lambda data: WORD in data)
    packages = frozenset(p.rpartition("/")[0] for p in found.paths if p.endswith("__init__.py"))
    digest = _digest(contents, found)
    answer, names = _load(f"content/{digest}"), [f"seen/{stamped}"] if stamped else []
    if answer is None:
        answer, alone = _fresh(found, contents, packages)
        names += [f"content/{digest}"] if alone else []
    _store(names, answer)
    return answer


def seen(root: Path) -> str:
    """Return what tells one answer of `scan` from another without reading a file.

    "" when nothing does, because a file changed just now.
    """
    return _stamp(listing(root))


def _contents(found: Listing, paths: Iterable[str], wanted: Callable[[bytes], bool]) -> _Contents:
    files: dict[str, bytes] = {}
    skipped: list[Skipped] = []
    for path in paths:
        data = read(found.root, path)
        if isinstance(data, Skipped):
            skipped.append(data)
        elif data is not None and wanted(data):
            files[path] = data
    return _Contents(files=files, skipped=tuple(skipped))


def _fresh(found: Listing, contents: _Contents, packages: frozenset[str]) -> tuple[Scan, bool]:
    """Return the scan, and whether it rests on the files that mention the API alone."""
    with _without_collection() as comes_back:
        parsed: list[Module] = []
        followed = _followed(found, contents, packages, parsed)
        if comes_back:  # the trees are gone before; where it does not, all goes when dgpin ends
            for module in parsed:
                module.close()
        del parsed
    remarks = [r for path, data in contents.files.items() for r in _remarks(path, data)]
    answer = Scan(
        uses=followed.uses,
        skipped=tuple(sorted((*contents.skipped, *followed.unparsed), key=lambda s: s.path)),
        remarks=tuple(remarks),
        listed=len(found.paths),
        parsed=followed.parsed,
    )
    return answer, not followed.exports


class _Followed(NamedTuple):
    """What the parsed files gave, and what others may still import of them."""

    uses: tuple[Use, ...]
    exports: dict[str, set[str]]
    unparsed: tuple[Skipped, ...]
    parsed: int


def _followed(
    found: Listing, contents: _Contents, packages: frozenset[str], every: list["Module"]
) -> _Followed:
    """Follow the API through the files, and note `every` module that was parsed."""
    from dgpin.api.host.collect import Collector  # noqa: PLC0415 - a cached answer needs none
    from dgpin.api.host.project import Project  # noqa: PLC0415

    modules, unparsed = _namers(contents.files, packages)
    every += modules
    collector = Collector(Project(modules))
    uses, exports = collector.run(), collector.exports()
    for _ in range(_ROUNDS if exports else 0):
        further = _importers(found, modules, packages, exports, every)
        if not further:
            break
        modules += further
        collector = Collector(Project(modules))
        uses, exports = collector.run(), collector.exports()
    return _Followed(uses=uses, exports=exports, unparsed=tuple(unparsed), parsed=len(modules))


def _namers(
    files: dict[str, bytes], packages: frozenset[str]
) -> tuple[list["Module"], list[Skipped]]:
    """Parse the files that name the library, and those that name what they make of it.

    A word such as `use_deep_gemm` that none of them gives a function, a class or a global leads
    nowhere; a tenth of the text of vLLM 0.30.0 has no other.
    """
    others = {path: words for path, data in files.items() if (words := _only_words(data))}
    first = {path: data for path, data in files.items() if path not in others}
    modules, unparsed = _parsed(first, packages)
    new = modules
    while new:
        made = {n.encode() for module in new for n in _made(module) if "deep_gemm" in n}
        made = {name for name in made if not name.startswith(b"test_")}  # which nobody calls
        wanted = [path for path, words in others.items() if words & made]
        new, skipped = _parsed({path: files[path] for path in wanted}, packages)
        others = {path: words for path, words in others.items() if path not in wanted}
        modules, unparsed = modules + new, unparsed + skipped
    return modules, unparsed


def _only_words(data: bytes) -> set[bytes]:
    """Return the words of a file that hold the library's name; none when it names the library."""
    words: set[bytes] = set()
    at = data.find(WORD)
    while at >= 0:
        near = data[max(0, at - _NEAR) : at + _NEAR]  # whole texts would take longer than all else
        if _LIBRARY.search(near):
            return set()
        words.update(_WORDS.findall(near))
        at = data.find(WORD, at + len(WORD))
    return words


def _made(module: "Module") -> Iterator[str]:
    """Yield the names that a module gives to functions, classes and globals, and imports."""
    yield from module.top.bindings
    yield from (scope.name.rpartition(".")[2] for scope in module.scopes.values())
    for node, _ in module.imports:
        yield from (alias.asname or alias.name for alias in node.names)


def _parsed(
    files: dict[str, bytes], packages: frozenset[str]
) -> tuple[list["Module"], list[Skipped]]:
    from dgpin.api.host.module import parse  # noqa: PLC0415 - as above
    from dgpin.api.host.project import module_names  # noqa: PLC0415

    modules: list[Module] = []
    skipped: list[Skipped] = []
    for path, data in files.items():
        module = parse(path, data, module_names(path, packages))
        if isinstance(module, Skipped):
            skipped.append(module)
        else:
            modules.append(module)
    return modules, skipped


def _importers(
    found: Listing,
    modules: list["Module"],
    packages: frozenset[str],
    exports: dict[str, set[str]],
    every: list["Module"],
) -> list["Module"]:
    """Return the modules that import a wrapper or a handle without a word of the API."""
    stems = [
        (module.rpartition(".")[2].encode(), [name.encode() for name in names])
        for module, names in exports.items()
    ]

    def wanted(data: bytes) -> bool:
        return any(stem in data and any(n in data for n in names) for stem, names in stems)

    known = {module.path for module in modules}
    others = [path for path in found.paths if path not in known]
    parsed, _ = _parsed(_contents(found, others, wanted).files, packages)
    every += parsed
    return [module for module in parsed if _imports_one(module, exports)]


def _imports_one(module: "Module", exports: dict[str, set[str]]) -> bool:
    for node, _ in module.imports:
        if isinstance(node, ast.ImportFrom):
            source = module.absolute(node)
            names = {alias.name for alias in node.names}
            if names & (exports.get(source, set()) | {"*"}) and source in exports:
                return True
            if any(f"{source}.{name}" in exports for name in names):
                return True
        elif any(alias.name in exports for alias in node.names):
            return True
    return False


@contextmanager
def _without_collection() -> Iterator[bool]:
    """Keep the cycle collector away while millions of nodes are made that all stay.

    Gives whether it comes back.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield was
    finally:
        if was:
            gc.enable()


def _remarks(path: str, data: bytes) -> Iterator[Remark]:
    """Yield the comments that tell dgpin to leave a line alone."""
    if b"dgpin:" not in data:
        return
    try:
        for token in tokenize.tokenize(BytesIO(data).readline):
            match = _REMARK.search(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                rules = (match["rules"] or "").split(",")
                yield Remark(
                    place=Place(path, token.start[0]),
                    rules=tuple(rule.strip() for rule in rules if rule.strip()),
                    reason=_reason(match["reason"]),
                )
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return


def _reason(text: str) -> str:
    """Return the words of a reason, "" for none; what another `#` begins is another comment."""
    words = text.partition("#")[0].strip()
    return words if any(map(str.isalnum, words)) else ""


# The cache ------------------------------------------------------------------------------------


@remember
def _version() -> str:
    """Return what tells one state of this reader, and of Python's parser, from another."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), here.parent / "uses.py", Path(record.__file__)]
    whole = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]
    return f"{whole}-{sys.version_info.major}.{sys.version_info.minor}"


def _digest(contents: _Contents, found: Listing) -> str:
    """Return the hash of all that the answer depends on: contents, and who is a package."""
    whole = hashlib.sha256(_version().encode())
    packages = [path for path in found.paths if path.endswith("__init__.py")]
    whole.update(repr((len(found.paths), packages, contents.skipped)).encode())
    for path, data in contents.files.items():
        whole.update(os.fsencode(path) + b"\0" + hashlib.sha256(data).digest())
    return whole.hexdigest()


def _stamp(found: Listing) -> str:
    stamped = stamp.of_files(found.root, found.paths)
    return hashlib.sha256(f"{_version()}{stamped}".encode()).hexdigest() if stamped else ""


def _load(name: str) -> Scan | None:
    value = cache.read_json(f"uses/{name}.json")
    if value is None:
        return None
    try:
        scanned: Scan = record.from_json(Scan, value)
    except (KeyError, TypeError, ValueError):
        return None
    return scanned


def _store(names: Iterable[str], answer: Scan) -> None:
    value = record.to_json(answer)
    for name in names:
        cache.write_json(f"uses/{name}.json", value)
