"""Our include scanner against the compiler's own."""

from pathlib import Path
from posixpath import normpath

import pytest

from dgpin import process
from dgpin.pin.includes import closure
from tests.example.deepgemm import sources
from tests.example.tree import DictTree

DIRECTORIES = {
    "old": ("deep_gemm/include", "third-party/cutlass/include", "third-party/fmt/include"),
    "new": ("deep_gemm/include", "third-party/deep_jit/include", "third-party/cutlass/include"),
}
ROOT = "csrc/python_api.cpp"


def dependencies(root: Path, directories: tuple[str, ...]) -> set[str]:
    """Return what `g++ -M` lists, headers that it cannot find included."""
    argv = ["g++", "-std=c++20", "-nostdinc", "-nostdinc++", "-M", "-MG"]
    argv += [f"-I{directory}" for directory in directories]
    rule = process.run([*argv, ROOT], cwd=root).check().text.replace("\\\n", " ")
    return set(rule.partition(":")[2].split())


@pytest.mark.parametrize("name", DIRECTORIES)
def test_example(tmp_path: Path, name: str) -> None:
    """On the small DeepGEMM both find the same files and the same external headers."""
    files = sources()[name]
    for path, text in files.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    found = closure(DictTree(files), [ROOT], DIRECTORIES[name])
    listed = {normpath(path) for path in dependencies(tmp_path, DIRECTORIES[name])}
    ours = set(found.files) | {each.header for each in found.externals}

    assert listed == ours
