"""One line of megabytes: what reads it takes time by its length, not by its square."""

import contextlib
import gc
import json
import time
from collections.abc import Callable
from typing import NamedTuple

import pytest

from dgpin import config
from dgpin.api import docstring, schema, spelling
from dgpin.api.static import binary, cpp
from dgpin.config import Config, Entry
from dgpin.errors import DgpinError
from dgpin.pin import sites
from dgpin.source import blame, commits, context, entries, fixlike, modules
from tests.fuzz.target import limited
from tests.fuzz.targets import TARGETS

SIZE = 100_000
SOON = 0.2  # seconds of processor time within which nothing is asked of the growth
FACTOR = 8  # for four times the size; the square would be sixteen
SHA = "0123456789abcdef0123456789abcdef01234567"


class Long(NamedTuple):
    """Text that is repeated to a size, what stands around it, and what reads it."""

    name: str
    read: Callable[[str], object]
    unit: str
    before: str = ""
    after: str = ""

    def text(self, size: int) -> str:
        """Return the text of a size."""
        return self.before + self.unit * (size // len(self.unit)) + self.after


def _site(text: str, scope: str | None = None, *, each: bool = False) -> Callable[[str], object]:
    entry = Entry(path="a", text=text, scope=scope, each=each, many=each)
    host = Config(source="a", entries=(entry,))

    def read(contents: str) -> object:
        reading = sites.read_sites(host, {"a": contents.encode()}.get)
        return [reading.near(found) for found in reading.found]

    return read


def _toml(contents: str) -> object:
    return config.parse(contents, source="a")


def _cpp(contents: str) -> object:
    return cpp.Reader({"csrc/a.cpp": contents.encode()}).read()


def _follow(contents: str) -> object:
    link = entries.Entry(entries.Mode.LINK, SHA, "a")
    return entries.follow("a", entries={"a": link}, target=lambda _entry: contents)


def _tree(contents: str) -> object:
    return list(entries.parse(contents.encode()))


MODULE = "PYBIND11_MODULE(_C, m) { m"
LINES = (
    Long("template, no end", _site('TAG "<commit>"'), 'TAG "0'),
    Long("template, head in the value", _site("a<owner>!"), "a"),
    Long("template, blanks in front", _site("  tag <commit>"), " "),
    Long("template, blanks between", _site("a b"), " ", "a"),
    Long("template, address", _site("<repo>!"), "https://="),
    Long("template, version", _site("v<version>+<commit:7>"), "1.", "v"),
    Long("template, many", _site("<libraries>", "A … )", each=True), " cudart", "A", ")"),
    Long("template, comments", _site("<libraries>", "A …", each=True), " # x", "A"),
    Long("template, openings", _site("<libraries>", "A … B", each=True), "A "),
    Long("template, nested regions", _site("<commit>", "A … B"), "A ", "", "B"),
    Long("template, brackets", _site("<commit>", "A( … )"), "A("),
    Long("template, middle", _site("<commit>", "A … C … B"), "A C "),
    Long("template, section", _site("<commit>", "A … ["), "A "),
    Long("template, closest", _site('set(DEEPGEMM_TAG "<commit>")'), "set(DEEPGEM_TAG "),
    Long("conflict, blanks", _site("TAG <commit>"), " ", "<<<<<<< a", "b"),
    Long("conflict, no end", _site("TAG <commit>"), "<<<<<<< a\n"),
    Long("toml, key", _toml, "a.", "", "a = 1"),
    Long("toml, header", _toml, "a.", "[", "a]\nb = 1"),
    Long("toml, array", _toml, "[", "a = "),
    Long("toml, number", _toml, "1", "a = "),
    Long("toml, texts", _toml, '\\"""\n', '"""', "\\"),
    Long("toml, sites", _toml, "'<commit>',", "[sites]\n'a' = [", "]"),
    Long("docstring, angles", docstring.parse, "<", "f(a: ", ") -> None"),
    Long("docstring, brackets", docstring.parse, "[", "f(a: ", ") -> None"),
    Long("docstring, parameters", docstring.parse, "a,", "f(", ") -> None"),
    Long("docstring, slashes", docstring.parse, "a, /, ", "f(", ") -> None"),
    Long("docstring, digits", docstring.parse, "1", "f(arg", ") -> None"),
    Long("docstring, overloads", docstring.parse, "1. f()\n", "f(*args)\nOverloaded function.\n"),
    Long("docstring, quotes", docstring.parse, "'\\", "f(a: "),
    Long("type, nested", spelling.type_of, "Optional["),
    Long("type, union", spelling.type_of, "a|"),
    Long("schema, angles", schema.parse, "<", "f(", ") -> ()"),
    Long("schema, parameters", schema.parse, "Tensor a, ", "f(", "Tensor b) -> ()"),
    Long("extension, word", lambda text: binary.found(text.encode()), "w"),
    Long("extension, parentheses", lambda text: binary.found(text.encode()), "()", "f(", ") -> \0"),
    Long("extension, schemas", lambda text: binary.found(text.encode()), "f(Tensor a) -> ()\0"),
    Long("C++, chain", _cpp, '.def("a", &f)', MODULE, ";}"),
    Long("C++, definitions", _cpp, 'm.def("a", &f);', "PYBIND11_MODULE(_C, m) {", "}"),
    Long(
        "C++, type", _cpp, "std::vector<", 'PYBIND11_MODULE(_C, m) { m.def("a", [](', " a) {}); }"
    ),
    Long("C++, default", _cpp, "f(", MODULE + '.def("a", &f, py::arg("a") = ', "); }"),
    Long("C++, nested", _cpp, 'm.def("a", ', "PYBIND11_MODULE(_C, m) {"),
    Long("C++, brackets", _cpp, "(", MODULE + ".def"),
    Long("C++, blocks", _cpp, "{", "PYBIND11_MODULE(_C, m) "),
    Long("C++, word", _cpp, "a", MODULE),
    Long("gitmodules, blanks", modules.urls, " ", '[submodule "a"]\nurl = a', "b"),
    Long("gitmodules, remark", modules.urls, " x", '[submodule "a"]\nurl = a', ";"),
    Long("gitmodules, name", modules.urls, "\\", '[submodule "'),
    Long("git, link", _follow, "a/"),
    Long("git, tree", _tree, f"100644 blob {SHA}\ta\0"),
    Long("git, commits", commits.parse, "a\x1f"),
    Long("git, refs", lambda text: list(commits.refs(text)), f"commit {SHA}   refs/heads/a\n"),
    Long("git, blame", blame.parse, f"{SHA} 1 1\n\tx\n"),
    Long("code, line", lambda text: fixlike.judge([(text, "")], size=1), "if a "),
    Long("code, function", lambda text: context.function_at([text], 0), "f("),
    Long("evidence, nested", lambda text: TARGETS["evidence"].run(text.encode()), "["),
    Long(
        "evidence, rows",
        lambda text: TARGETS["evidence"].run(text.encode()),
        json.dumps({"verdict": "fail", "rule": "a", "message": "b", "places": []}) + ",",
        '{"schema": "dgpin/check/1", "pin": {"commit": null}, "rows": [',
        '{"verdict": "pass"}]}',
    ),
)


def _seconds(long: Long, size: int) -> float:
    """Return the processor time of the faster of two readings, without the collector's."""
    text = long.text(size)
    gc.disable()
    try:
        return min(_once(long, text) for _ in range(2))
    finally:
        gc.enable()


def _once(long: Long, text: str) -> float:
    begun = time.process_time()
    with limited(30), contextlib.suppress(DgpinError):
        long.read(text)
    return time.process_time() - begun


@pytest.mark.parametrize("long", LINES, ids=[long.name for long in LINES])
def test_a_long_line_takes_no_square(long: Long) -> None:
    """Four times as long a line takes four times as long, or dgpin refuses it at once."""
    whole = _seconds(long, SIZE)

    assert whole < SOON or whole / _seconds(long, SIZE // 4) < FACTOR
