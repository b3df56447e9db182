"""Builds against the real torch: the small DeepGEMM in its eras and bindings, and 2.8.2 itself.

Only 2.8.2 is kept from run to run, under a name that changes with `dgpin/build`, so that a change
there compiles it again. The small ones are compiled in every run.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dgpin import process
from dgpin.build import artefact, interpreter
from dgpin.verdict import Verdict
from tests.build.world import write
from tests.example.deepgemm import library, sources
from tests.real import inputs, libstdcxx

# Every name of `_C`, of the modules in it and of its classes, with its docstring. Addresses differ
# on every run; the mark of pybind11's own ABI names the compiler.
SURFACE = """\
import json, re, sys, types
sys.path.insert(0, sys.argv[1])
import torch, deep_gemm

def walk(value, prefix):
    for name in vars(value):
        if name.startswith("__pybind11"):
            continue
        found = getattr(value, name)
        yield prefix + name, re.sub("0x[0-9a-f]+", "0x", str(found.__doc__))
        if isinstance(found, (types.ModuleType, type)) and not name.startswith("__"):
            yield from walk(found, f"{prefix}{name}.")

with open(sys.argv[2], "w") as file:
    json.dump(dict(walk(deep_gemm._C, "")), file)
"""


def _of_the_code() -> str:
    package = Path(interpreter.__file__).parent
    total = hashlib.sha256()
    for path in sorted(package.glob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


@pytest.fixture(scope="module")
def of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the build cache of this run, which the tests of this file share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, of_this_run: Path) -> None:
    """Build into the cache of this run, and take every variable away that a compile listens to."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(of_this_run))
    for name in ("CXX", "CC", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "TORCH_CUDA_ARCH_LIST"):
        monkeypatch.delenv(name, raising=False)


def dgpin(*words: str | Path, env: Mapping[str, str] | None = None) -> tuple[int | None, str, str]:
    """Run the command and return its code and both streams."""
    import os

    told = {**os.environ, **(env or {})}
    done = process.run([sys.executable, "-m", "dgpin", *words], env=told)
    return done.returncode, done.text, done.stderr.decode()


def build(
    source: Path, *pythons: str | Path, env: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Build a source and return the one entry of the answer."""
    words = [word for python in pythons for word in ("--python", python)]
    code, out, err = dgpin("build", source, *words, "--json", env=env)
    assert 0 == code, out + err
    (found,) = json.loads(out)["builds"]
    assert isinstance(found, dict)
    return found


def put(root: Path, files: Mapping[str, str]) -> Path:
    """Write a source's files."""
    for path, text in files.items():
        write(root / path, text)
    return root


def test_old_era_for_two_pythons(tmp_path: Path) -> None:
    """The fmt era with pybind11, -lnvrtc without a link name, for two Pythons at once."""
    source = put(tmp_path, sources()["old"])
    pythons = inputs.torch_python(), inputs.other_torch_python()

    found = build(source, *pythons, env={"CXXFLAGS": "-O0"})

    package = Path(found["package"])
    assert 2 == len(list(package.glob("_C.cpython-*.so")))
    assert [True, True] == [each["works"] for each in found["imports"]]
    assert len({each["python"] for each in found["imports"]}) == 2
    again = build(source, *pythons, env={"CXXFLAGS": "-O0"})
    assert again["cached"]
    assert found["fingerprint"] == again["fingerprint"]
    assert found["imports"] == again["imports"]
    sides = ("--python-a", pythons[0], "--python-b", pythons[1])
    code, out, err = dgpin("diff-api", package.parent, package.parent, *sides)
    assert 0 == code, out + err


def test_new_era_is_compared_with_the_old(tmp_path: Path) -> None:
    """The deep_jit era with <format> and elfutils builds too, and diff-api tells them apart."""
    python, env = inputs.torch_python(), libstdcxx.environment()
    old = build(
        put(tmp_path / "old", sources()["old"]),
        python,
        inputs.other_torch_python(),
        env={"CXXFLAGS": "-O0"},
    )
    new = build(put(tmp_path / "new", sources()["new"]), python, env=env)

    a, b = (Path(each["package"]).parent for each in (old, new))
    code, out, err = dgpin("diff-api", a, b, "--python", python)

    assert 1 == code, out + err
    assert "fp8_m_grouped_gemm_nt_masked" in out
    assert "m_indices" in out


def test_torch_library_is_built_once_for_all(tmp_path: Path) -> None:
    """A TORCH_LIBRARY source is built by its own setup.py, without a download, as abi3."""
    python, other = inputs.torch_python(), inputs.other_torch_python()

    found = build(put(tmp_path, library()), python, other, env={"CXXFLAGS": "-O0"})

    package = Path(found["package"])
    assert ["_C_extension.abi3.so"] == [path.name for path in package.glob("*.so")]
    assert [True, True] == [each["works"] for each in found["imports"]]
    rows = artefact.check_artefact(package, interpreter=interpreter.read(str(python)))
    assert [] == [row for row in rows if row.verdict is not Verdict.PASS]
    code, out, err = dgpin("diff-api", package.parent, package.parent, "--python", python)
    assert 0 == code, out + err


def test_preflight_of_2_8_2_names_what_this_machine_lacks() -> None:
    """What the preflight calls missing is what the machine's g++ cannot include, and no more."""
    lacking = {
        name
        for name, header in (("<format>", "format"), ("elfutils/libdwfl.h", "elfutils/libdwfl.h"))
        if process.run(
            ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-"],
            stdin=f"#include <{header}>\n".encode(),
        ).returncode
    }
    python = inputs.torch_python()

    code, out, _ = dgpin(
        "build", inputs.source("2.8.2"), "--preflight", "--json", "--python", python
    )

    (checked,) = json.loads(out)["preflight"]
    assert lacking == {i["name"] for i in checked["items"] if i["status"] == "missing"}
    assert (3 if lacking else 0) == code


def test_2_8_2_is_the_build_of_its_publisher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DeepGEMM 2.8.2 is built and imported, and its `_C` offers what the published build offers."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(inputs.cache() / "dgpin" / _of_the_code()))
    python = inputs.torch_python()
    found = build(inputs.source("2.8.2"), python, env=libstdcxx.environment())
    script = write(tmp_path / "surface.py", SURFACE)

    surfaces = []
    for number, root in enumerate((Path(found["package"]).parent, inputs.build("2.8.2"))):
        out = tmp_path / f"{number}.json"
        process.run([python, "-I", script, root, out], cwd=tmp_path).check()
        surfaces.append(json.loads(out.read_bytes()))

    built, published = surfaces
    assert published == built
    assert len(built) >= 105
