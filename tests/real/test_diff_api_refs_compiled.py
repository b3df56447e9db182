"""Two commits that are compiled to be compared: `dgpin diff-api A B --compile`."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dgpin import process
from tests.example.deepgemm import history, make_deepgemm
from tests.example.repository import write
from tests.real import inputs


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Build into a cache of this test, and take every variable away that a compile listens to."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("CXX", "CC", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "TORCH_CUDA_ARCH_LIST"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> str:
    """Write a repository whose two commits name one parameter differently; return its address."""
    example = make_deepgemm(tmp_path / "git")
    old = next(commit for commit in history(example.submodules) if commit.name == "old")
    path = "csrc/apis/gemm.hpp"
    text = old.files[path].replace('py::arg("m_indices")', 'py::arg("grouped_layout")')
    pair = [
        replace(old, name="before", parents=(), refs=["refs/tags/before"], tags=()),
        replace(
            old,
            name="after",
            files={**old.files, path: text},
            parents=["before"],
            refs=["refs/heads/main"],
            tags=(),
        ),
    ]
    write(tmp_path / "git" / "pair" / "DeepGEMM.git", pair)
    return f"file://{tmp_path}/git/pair/DeepGEMM"


def dgpin(*words: str | Path, **environment: str) -> tuple[int | None, str, str]:
    """Run the command for the interpreter with torch; return its code and both streams."""
    done = process.run(
        [sys.executable, "-m", "dgpin", *words, "--python", inputs.torch_python()],
        env={**os.environ, **environment},
    )
    return done.returncode, done.text, done.stderr.decode()


def test_refs_are_compiled_once(repository: str, tmp_path: Path) -> None:
    """Both commits are compiled, loaded and compared; the second time neither is compiled."""
    asked = ("diff-api", "before", "main", "--compile", "--repo", repository, "--json")

    code, out, err = dgpin(*asked, CXXFLAGS="-O0")

    assert 1 == code, out + err
    found = json.loads(out)
    (change,) = found["changes"]
    assert ("parameter-renamed", "m_indices") == (change["rule"], change["parameter"])
    assert "m_grouped_fp8_gemm_nt_contiguous" == change["path"].removeprefix("deep_gemm.")
    assert "TypeError" in change["witness"]["in_b"]
    assert ([], []) == (found["unreadable"], found["disagreements"])
    assert [False, False] == [found[side]["static"] for side in "ab"]
    assert all(found[side]["label"].endswith(", built now") for side in "ab")
    kept = {path.name for path in (tmp_path / "cache" / "builds").iterdir()}

    code, out, err = dgpin(*asked, CXX="/bin/false")  # what compiles now fails

    assert 1 == code, out + err
    again = json.loads(out)
    assert all(again[side]["label"].endswith(", from the build cache") for side in "ab")
    assert found["changes"] == again["changes"]
    assert kept == {path.name for path in (tmp_path / "cache" / "builds").iterdir()}


def test_what_cannot_be_compiled_is_said(repository: str) -> None:
    """Without a compiler there is no comparison; the answer names the command that says why."""
    code, out, err = dgpin(
        "diff-api", "before", "main", "--compile", "--repo", repository, CXX="/bin/false"
    )

    assert (3, "") == (code, out), err
    assert "could not be built here: 1 thing missing" in err
    assert f"--repo {repository}" in err
