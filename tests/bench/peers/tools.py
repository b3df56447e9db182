"""The peers, each as its documentation says, on one pair: the dotted names that it reports.

`_C` is told to the tools that read text by the stubs that pybind11-stubgen makes of it.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from dgpin.api import builds, diff
from dgpin.api.change import Level
from dgpin.api.diff import Question
from tests.bench.peers.environments import Absent, Version, environment
from tests.bench.peers.pairs import PYTHON, Pair

# The versions that the table in the documentation was made with.
ABICHECK = "abicheck==0.7.0"
AEXPY = "aexpy==0.4.3"
GRIFFE = "griffe==2.4.1"
MYPY = "mypy==2.4.1"
STUBGEN = "pybind11-stubgen==3.0.0"
_TORCH_PYTHON: Version = (3, 11)
# aexpy names what pybind11 keeps its functions in.
_RECORD = re.compile(r"pybind11_detail_function_record\w*\.")
_GRIFFE = """
import sys, griffe
old, new = (
    griffe.load("deep_gemm", search_paths=[path], allow_inspection=False) for path in sys.argv[1:]
)
pairs = [(old, new), *((a["_C"], b["_C"]) for a, b in [(old, new)] if "_C" in a.members)]
for pair in pairs:  # it passes over what is named like a private module
    for change in griffe.find_breaking_changes(*pair):
        print(change.obj.path)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool, with the version that is run, and how it is asked."""

    name: str
    ask: Callable[[Pair, Path], Sequence[str]]


def dgpin(pair: Pair, scratch: Path) -> Sequence[str]:
    """Return what dgpin says breaks or is risky."""
    os.environ["DGPIN_CACHE_DIR"] = str(scratch / "cache")
    questions = [
        Question(named=builds.at(p, label=p.name), python=pair.python) for p in (pair.a, pair.b)
    ]
    found = diff.report(*questions, accepted=(), today=date(2026, 1, 1)).comparison
    return [c.path for c in found.changes if c.level in {Level.BREAKING, Level.RISKY}]


def griffe(pair: Pair, scratch: Path) -> Sequence[str]:
    """Return what griffe says breaks, on the Python half and the stubs of the other one."""
    a, b = (_with_stubs(pair, root, scratch / root.name) for root in (pair.a, pair.b))
    python = environment(GRIFFE, python=PYTHON) / "python"
    return _run([str(python), "-c", _GRIFFE, str(a), str(b)]).splitlines()


def stubtest(pair: Pair, scratch: Path) -> Sequence[str]:
    """Return what stubtest says of A's text, taken for a stub, and B at run time."""
    stubs = scratch / "deep_gemm"
    shutil.copytree(_with_stubs(pair, pair.a, scratch / "text") / "deep_gemm", stubs)
    for path in stubs.glob("*.py"):
        # What is wrong in the text is not what is asked; without this nothing would be compared.
        path.write_text(f"# mypy: ignore-errors\n{path.read_text()}")
        path.rename(path.with_suffix(".pyi"))
    version = _TORCH_PYTHON if pair.has_torch else PYTHON
    argv = [str(environment(MYPY, python=version) / "stubtest"), "deep_gemm", "--concise"]
    packages = f":{_site_packages(pair.python.path)}"
    said = _run(argv, PYTHONPATH=f"{pair.b}{packages}", MYPYPATH=str(scratch))
    if said.startswith("error: not checking"):
        raise Absent(said.strip().splitlines()[-1])
    return [line.split()[0] for line in said.splitlines() if line.startswith("deep_gemm")]


def abicheck(pair: Pair, scratch: Path) -> Sequence[str]:
    """Return what abicheck says is more than compatible, on the shared objects and their stubs."""
    if pair.native is None:
        raise Absent("there is no shared object")
    program = environment(ABICHECK, python=_TORCH_PYTHON) / "abicheck"
    libraries = []
    for root, library in zip((pair.a, pair.b), pair.native, strict=True):
        stubs = _stubs(pair, root, scratch / "stubs" / root.name)
        place = scratch / root.name
        place.mkdir(parents=True)
        libraries.append(shutil.copy(library, place))
        if stubs is not None:
            shutil.copytree(stubs, place / "_C")
    answer = scratch / "abicheck.json"
    argv = [str(program), "compare", *map(str, libraries), "-o", f"json={answer}"]
    _run(argv, XDG_CACHE_HOME=str(scratch / "cache"))
    return [
        change["symbol"].removeprefix("python:")
        for change in json.loads(answer.read_text())["changes"]
        if change["severity"] != "compatible"
    ]


def aexpy(pair: Pair, scratch: Path) -> Sequence[str]:
    """Return what aexpy ranks as anything but compatible."""
    if pair.has_torch:
        raise Absent("it needs Python 3.12, the build's torch is of another one")
    program = environment(AEXPY, python=PYTHON) / "aexpy"
    texts = []
    for root in (pair.a, pair.b):
        package, text = (scratch / f"{root.name}-{what}.json" for what in ("package", "api"))
        release = ("-m", "deep_gemm", "-p", "deep_gemm@1", "-P", ".".join(map(str, PYTHON)))
        _must([program, "preprocess", "-s", root, *release, package])
        _must([program, "extract", "-j", "--no-temp", package, text])
        texts.append(text)
    answer = scratch / "difference.json"
    _must([program, "diff", *texts, answer])
    entries = json.loads(answer.read_text())["entries"].values()
    return [name for entry in entries if entry["rank"] for name in _names(entry)]


def _names(entry: dict[str, object]) -> list[str]:
    """Return what an entry of aexpy is about: the old side's name, and a member's below it."""
    side = entry["old"] or entry["new"]
    data = entry["data"]
    assert isinstance(side, dict)
    assert isinstance(data, dict)
    owner = _RECORD.sub("", str(side["id"]))
    return [f"{owner}.{data['name']}" if "name" in data else owner]


def _with_stubs(pair: Pair, root: Path, target: Path) -> Path:
    """Copy a build, with stubs beside its compiled half."""
    shutil.copytree(root, target, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    stubs = _stubs(pair, root, target.with_name(f"{target.name}-stubs"))
    if stubs is not None:
        shutil.copytree(stubs, target / "deep_gemm/_C")
    return target


def _stubs(pair: Pair, root: Path, target: Path) -> Path | None:
    """Let pybind11-stubgen write the stubs of `_C`; ops of torch have none."""
    if pair.native is None or pair.has_torch:
        return None
    python = str(environment(STUBGEN, python=PYTHON) / "python")
    argv = [python, "-m", "pybind11_stubgen", "deep_gemm._C", "-o", str(target)]
    _must(argv, PYTHONPATH=str(root))
    return target / "deep_gemm/_C"  # a package: it has a submodule


def _site_packages(python: Path) -> str:
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return _run([str(python), "-c", ask]).strip()


def _run(argv: Sequence[str], **env: str) -> str:
    done = subprocess.run(
        argv, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    return done.stdout


def _must(argv: Sequence[str | Path], **env: str) -> None:
    done = subprocess.run(
        argv, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Absent(f"{Path(argv[0]).name}: {(done.stderr or done.stdout).strip()[-200:]}")


TOOLS = (
    Tool(name="dgpin", ask=dgpin),
    Tool(name=GRIFFE, ask=griffe),
    Tool(name=f"stubtest ({MYPY})", ask=stubtest),
    Tool(name=ABICHECK, ask=abicheck),
    Tool(name=AEXPY, ask=aexpy),
)
