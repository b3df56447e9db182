"""The headers that a compile will read, and those that it will not find.

The compiler itself is asked (`-M -MG`): it knows its own directories, the user's CXXFLAGS and
which side of an `#if` counts.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dgpin import cache, process
from dgpin.build.compiler import HEADERS_IN, PROBE_LIMIT, Compiler, HangingCompilerError
from dgpin.verdict import Place

_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """Every header that is read, and the names of those that are nowhere.

    `error` holds the compiler's first error when it gave no answer.
    """

    files: tuple[str, ...]
    missing: tuple[str, ...]
    error: str = ""


def closure(
    compiler: Compiler,
    sources: Sequence[Path],
    *,
    flags: Sequence[str],
    env: Mapping[str, str],
    torch_include: Path | None = None,
    limit: float = PROBE_LIMIT,
) -> Closure:
    """Return what the sources include, directly or not, from the cache while nothing changed.

    `flags` are those of the compile, `-I` and `-std`, the user's among them. torch's thousands of
    operator headers, which include nothing but torch's own, are left out.

    Raises:
        HangingCompilerError: the compiler does not come to an end.
    """
    words = (*compiler.command, *flags)
    searched = [f"{name}={env.get(name, '')}" for name in HEADERS_IN]
    asked = [*words, *map(str, sources), compiler.version, *searched]
    name = f"headers/{_digest(asked)}.json"
    known = _recall(name)
    if known is not None and _still_missing(words, known, env):
        return known
    with tempfile.TemporaryDirectory() as scratch:
        first = _without_operators(torch_include, Path(scratch)) if torch_include else ()
        command = [*compiler.command, *first, *flags, "-M", "-MG", *map(str, sources)]
        done = process.run(command, env=env, timeout=limit)
    if done.returncode is None:
        raise HangingCompilerError(compiler.command, limit)
    if done.returncode:
        return Closure(files=(), missing=(), error=_first_error(done.stderr))
    names = tuple(
        path for path in dependencies(os.fsdecode(done.stdout)) if not path.startswith(scratch)
    )
    missing = tuple(path for path in names if not os.path.isabs(path))  # noqa: PTH117 - thousands
    files = tuple(path for path in names if os.path.isabs(path))  # noqa: PTH117 - thousands
    found = Closure(files=files, missing=missing)
    cache.write_json(
        name,
        {"schema": _SCHEMA, "files": files, "missing": missing, "state": _state(files)},
    )
    return found


_OPERATORS = re.compile(rb"^\s*#\s*include\s*<ATen/ops/.*$", re.MULTILINE)


def _without_operators(include: Path, scratch: Path) -> tuple[str, ...]:
    # ATen/Functions.h and its like name every operator: 4300 of 5700 files, two thirds of the time.
    for path in (include / "ATen").glob("*.h"):
        text = path.read_bytes()
        if text.count(b"#include <ATen/ops/") > 100:  # noqa: PLR2004 - a list, not a user
            (scratch / "ATen").mkdir(exist_ok=True)
            (scratch / "ATen" / path.name).write_bytes(_OPERATORS.sub(b"", text))
    return (f"-I{scratch}",)


def dependencies(rules: str) -> tuple[str, ...]:
    """Return the prerequisites of make rules, each once, with make's quoting undone."""
    text = rules.replace("\\\n", " ")
    names: dict[str, None] = {}
    for line in text.splitlines():
        _, _, rest = line.partition(": ")
        for word in re.findall(r"(?:\\.|\S)+", rest):
            plain = re.sub(r"\\(.)", r"\1", word).replace("$$", "$")
            names[os.path.normpath(plain)] = None
    return tuple(names)


def includers(name: str, files: Iterable[str], *, most: int = 3) -> tuple[Place, ...]:
    """Return the first lines that include a header by this name, in the order of `files`."""
    pattern = re.compile(
        rb"^[ \t]*#[ \t]*include[ \t]*[<\"]" + re.escape(name.encode()) + rb"[>\"]"
    )
    found: list[Place] = []
    wanted = name.encode()
    for file in files:
        try:
            data = Path(file).read_bytes()
        except OSError:
            continue
        if wanted not in data:
            continue
        for number, line in enumerate(data.splitlines(), 1):
            if pattern.match(line):
                found.append(Place(file, number))
                break
        if len(found) == most:
            break
    return tuple(found)


def is_standard(name: str) -> bool:
    """Whether a header is the C++ standard library's: `<format>` has no suffix and no `/`."""
    return re.fullmatch(r"[a-z_]+", name) is not None


def _recall(name: str) -> Closure | None:
    entry = cache.read_json(name)
    if not isinstance(entry, dict) or entry.get("schema") != _SCHEMA:
        return None
    files = tuple(entry["files"])
    if not entry["state"] or entry["state"] != _state(files):
        return None
    return Closure(files=files, missing=tuple(entry["missing"]))


def _still_missing(words: Sequence[str], known: Closure, env: Mapping[str, str]) -> bool:
    """Whether the compiler, asked about these headers alone, still finds none of them."""
    names = known.missing
    if not names:
        return True
    # What is included in quotes is also looked for beside the file that includes it.
    folders = {os.path.dirname(file) for file in known.files}  # noqa: PTH120 - thousands
    if any(os.path.exists(f"{folder}/{name}") for folder in folders for name in names):  # noqa: PTH110 - as above
        return False
    program = "".join(f"#include <{name}>\n" for name in names)
    command = [*words, "-M", "-MG", "-x", "c++", "-"]
    done = process.run(command, env=env, stdin=program.encode(), timeout=PROBE_LIMIT)
    return done.returncode == 0 and set(names) <= set(dependencies(done.text))


def _state(files: Iterable[str]) -> str:
    lines: list[str] = []
    for file in files:
        try:
            info = os.stat(file)  # noqa: PTH116 - thousands of files in a tenth of a second
        except OSError:
            return ""
        lines.append(f"{file}\0{info.st_size}\0{info.st_mtime_ns}")
    return _digest(lines)


def _digest(words: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()


def _first_error(output: bytes) -> str:
    lines = output.decode(errors="replace").splitlines()
    errors = (line for line in lines if re.search(r"(?:^|\s)(?:fatal )?error: ", line))
    return next(errors, lines[0] if lines else "the compiler fails and says nothing")
