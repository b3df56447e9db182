"""`python -m tests.bench.peers`: who finds which kind of change, on the same builds.

Each tool gets the two packages of the corpus. A kind counts as found when the tool names its
symbol; a kind that must stay quiet counts as a false finding when it does.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from dgpin.api import builds, diff
from dgpin.api.diff import Question
from tests.api.builds import python, write
from tests.api.corpus import python_kinds
from tests.api.corpus.case import Case, joined

_NAMES = re.compile(r"^(?:async def|def|class) (\w+)|^([A-Z]\w*) =", re.MULTILINE)
_GRIFFE = """
import sys, griffe
old, new = (
    griffe.load("deep_gemm", search_paths=[path], allow_inspection=False) for path in sys.argv[1:]
)
for change in griffe.find_breaking_changes(old, new):
    print(change.obj.path, change.explain().splitlines()[0])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many kinds a tool found, and how many it reported for nothing."""

    tool: str
    found: int
    kinds: int
    false: int
    quiet: int


def scored(tool: str, said: str) -> Score:
    """Hold what a tool printed against the corpus."""
    breaking = python_kinds.BREAKING
    silent = (*python_kinds.COMPATIBLE, *python_kinds.QUIET)
    return Score(
        tool=tool,
        found=sum(_is_named(case, said) for case in breaking),
        kinds=len(breaking),
        false=sum(_is_named(case, said) for case in silent),
        quiet=len(silent),
    )


def _is_named(case: Case, said: str) -> bool:
    names = {name for _, name, _ in case.finds}
    names |= {first or second for first, second in _NAMES.findall(case.before)}
    return any(re.search(rf"\b{re.escape(name)}\b", said) for name in names)


def dgpin(a: Path, b: Path, scratch: Path) -> str:
    """Return the names that dgpin says break."""
    interpreter = python(scratch / "python")
    questions = [Question(named=builds.at(p, label=p.name), python=interpreter) for p in (a, b)]
    found = diff.report(*questions, accepted=(), today=date(2026, 1, 1)).comparison
    return "\n".join(f"{c.path} {c.parameter}" for c in found.breaking)


def griffe(a: Path, b: Path, _: Path) -> str:
    """Return what griffe says breaks."""
    return _run([sys.executable, "-c", _GRIFFE, str(a), str(b)])


def stubtest(a: Path, b: Path, scratch: Path) -> str:
    """Return what stubtest says of A's text, taken for a stub, and B at run time."""
    stubs = scratch / "stubs" / "deep_gemm"
    stubs.mkdir(parents=True)
    for path in (a / "deep_gemm").glob("*.py"):
        (stubs / path.with_suffix(".pyi").name).write_bytes(path.read_bytes())
    argv = [sys.executable, "-m", "mypy.stubtest", "deep_gemm", "--concise"]
    return _run(argv, PYTHONPATH=str(b), MYPYPATH=str(stubs.parent))


def _run(argv: Sequence[str], **env: str) -> str:
    done = subprocess.run(
        argv, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    return done.stdout


TOOLS: tuple[Callable[[Path, Path, Path], str], ...] = (dgpin, griffe, stubtest)


def main() -> None:
    """Print the table."""
    print("| tool | kinds found | reported for nothing |")
    print("| --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="dgpin-peers-") as scratch:
        root = Path(scratch)
        a, b = (
            write(
                root / side,
                {"deep_gemm/__init__.py": python_kinds.HEAD + joined(python_kinds.CASES, side)},
            )
            for side in ("before", "after")
        )
        for tool in TOOLS:
            score = scored(tool.__name__, tool(a, b, root))
            print(f"| {score.tool} | {score.found} of {score.kinds} | "
                  f"{score.false} of {score.quiet} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
