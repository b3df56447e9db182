"""Shapes of one line of megabytes, and what reads each of them.

The tests take 100 kB; `python -m tests.fuzz.lines [TEXT]` reads the shapes whose names hold a text,
or all, at 10 MB, in a quarter of an hour, and exits 1 where one takes more than its share.
"""

import contextlib
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, cast

from dgpin import config
from dgpin.api import docstring, schema, spelling
from dgpin.api.host import scan
from dgpin.api.static import binary, cpp, cpp_text
from dgpin.config import Config, Entry
from dgpin.errors import DgpinError
from dgpin.pin import check, host, pinned, plan, sites, template
from dgpin.pin.derive import derive
from dgpin.pin.host import Fit, Host
from dgpin.source import blame, commits, context, entries, fixlike, modules
from tests.example.tree import DictTree
from tests.fuzz.target import TooSlowError, limited
from tests.fuzz.targets import TARGETS
from tests.pin.hosts import configured, facts

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
    cpp_text.parse.cache_clear()  # each reading is a first one
    return cpp.Reader({"csrc/a.cpp": contents.encode()}).read()


def _follow(contents: str) -> object:
    link = entries.Entry(entries.Mode.LINK, SHA, "a")
    return entries.follow("a", entries={"a": link}, target=lambda _entry: contents)


def _tree(contents: str) -> object:
    return list(entries.parse(contents.encode()))


def _check(contents: str) -> object:
    reading = sites.read_sites(PINNED, {"a": contents.encode()}.get)
    fit = Fit(config=PINNED, reading=reading)
    host = Host(root=Path("/nowhere"))
    return check.check(host, fit, pinned.read_pinned(reading), FACTS, search=_nothing)


def _nothing(_texts: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    return iter(())


def _source(contents: str) -> object:
    return derive(DictTree({"setup.py": SETUP, "a.cpp": contents}), commit=SHA)


def _recorded(contents: str) -> object:
    return derive(DictTree({".gitmodules": contents}), commit=SHA)


def _submodule(contents: str) -> object:
    read = SimpleNamespace(read=lambda _path: contents.encode())
    return host.find_submodule(cast("Host", read))


def _gap(contents: str) -> object:
    """Read what stands between two items of a list."""
    ends = (template.Match(0, 1, ()), template.Match(len(contents) - 1, len(contents), ()))
    return vars(plan)["_between"](ends, contents)


def _remarks(contents: str) -> object:
    return list(vars(scan)["_remarks"]("a.py", contents.encode()))


PINNED = configured("\"a\" = 'PIN=<commit>'")
FACTS = facts(SHA, version="2.8.0", arches=("sm_90",))
COMMENT = {"before": "# ", "after": f"\nPIN={SHA}\n"}
SETUP = "CUDAExtension(name='deep_gemm._C', sources=['a.cpp'], include_dirs=[])"
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
    Long("comment, word", _check, "a", **COMMENT),
    Long("comment, hash", _check, "f", **COMMENT),
    Long("comment, digits", _check, "1", "# 1.1.", f"x\nPIN={SHA}\n"),
    Long("comment, versions", _check, "1.2.3 ", **COMMENT),
    Long("comment, branches", _check, "dev branch ", **COMMENT),
    Long("comment, blanks", _check, " ", "# dev", f"x\nPIN={SHA}\n"),
    Long("comment, path", _check, "a/", **COMMENT),
    Long("script, clones", _check, "git clone ", f"PIN={SHA}\n", "\n"),
    Long("script, blanks", _check, " ", f"PIN={SHA}\ngit", "\n"),
    Long("script, checkouts", _check, "git reset ", f"PIN={SHA}\ngit clone --recursive\n", "\n"),
    Long("script, exports", _check, "export DEEPGEMM_A=1 ", f"PIN={SHA}\n", "\n"),
    Long("list, blanks", _gap, " ", "a", "b"),
    Long("source, word of an assertion", _source, "assert"),
    Long("source, assertions without end", _source, "assert("),
    Long("source, assertions", _source, "assert(CUDA_VERSION >= 12000);"),
    Long("source, lines of assertions", _source, "assert(CUDA_VERSION >= 12000);\n"),
    Long("source, spliced lines", _source, "\\\n"),
    Long("source, quotes", _source, '\\"', '"'),
    Long("source, raw texts", _source, 'R"('),
    Long("source, submodule", _recorded, " ", "path = a", "b"),
    Long("host, submodule's blanks", _submodule, "\n", '[submodule "a"]'),
    Long("host, submodule's address", _submodule, "/DeepGEMM", '[submodule "a"]\nurl = ', "x"),
    Long("host, remarks", _remarks, "# dgpin: ignore["),
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
    Long("evidence, nested", lambda text: TARGETS["evidence"].read(text.encode()), "["),
    Long(
        "evidence, rows",
        lambda text: TARGETS["evidence"].read(text.encode()),
        json.dumps({"verdict": "fail", "rule": "a", "message": "b", "places": []}) + ",",
        '{"schema": "dgpin/check/1", "pin": {"commit": null}, "rows": [',
        '{"verdict": "pass"}]}',
    ),
)


def seconds(long: Long, size: int, *, limit: float = 30) -> float:
    """Return the processor time of the faster of two readings, without the collector's."""
    text = long.text(size)
    gc.disable()
    try:
        return min(_once(long, text, limit) for _ in range(2))
    finally:
        gc.enable()


def _once(long: Long, text: str, limit: float) -> float:
    begun = time.process_time()
    with limited(limit), contextlib.suppress(DgpinError):
        long.read(text)
    return time.process_time() - begun


SHORT, LONG = 100_000, 10_000_000
SLACK = 4  # the square would be a hundred
LEAST = 0.02  # seconds; what takes less is mostly the start


def main() -> int:
    """Print the seconds of each shape, short and long; 1 if one takes more than its share."""
    slow = 0
    for long in LINES:
        if sys.argv[1:] and sys.argv[1] not in long.name:
            continue
        if (child := os.fork()) == 0:  # the memory of one is not left to the next
            os._exit(_compare(long))
        slow += os.waitpid(child, 0)[1] != 0
    return int(slow > 0)


def _compare(long: Long) -> int:
    short = seconds(long, SHORT)
    limit = max(short, LEAST) * LONG / SHORT * SLACK
    text = long.text(LONG)
    gc.disable()
    try:
        took = f"{_once(long, text, limit):.2f}"
    except TooSlowError:
        took = "too long"
    sys.stdout.write(f"{long.name:36} {short:9.4f} {took:>9} (limit {limit:.1f})\n")
    sys.stdout.flush()
    return int(took == "too long")


if __name__ == "__main__":
    sys.exit(main())
