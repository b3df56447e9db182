"""Every form of use against builds that are compiled and loaded, one pair for each binding."""

from pathlib import Path

import pytest

from dgpin.api import builds, compare, load
from dgpin.api.bind_findings import impact
from dgpin.api.load import Side
from dgpin.api.surface import Binding
from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter
from tests.api.builds import write
from tests.api.corpus import compiled, every_move
from tests.api.test_uses_every_form import answered, judged, scanned
from tests.real import inputs


@pytest.fixture(scope="module", name="python")
def _python() -> Interpreter:
    return interpreter.read(str(inputs.torch_python()), modules=load.MODULES)


def built(root: Path, side: int, binding: Binding, python: Interpreter) -> Path:
    """Write, and compile, one side of the pair for a binding."""
    native = {
        Binding.PYTHON: every_move.python,
        Binding.PYBIND11: lambda _: "",
        Binding.TORCH: every_move.facade,
    }
    write(root, {**every_move.package(side), "deep_gemm/_C.py": native[binding](side)})
    if binding is Binding.PYTHON:
        return root
    include = compiled.includes(python.path)
    if binding is Binding.PYBIND11:
        (root / "deep_gemm" / "_C.py").unlink()
        target = root / "deep_gemm" / f"_C{python.ext_suffix}"
        compiled.compile_(every_move.pybind(side), target, include)
    else:
        image = compiled.extension(root.parent / f"compiled-{side}", include)
        whole = compiled.registering(image, every_move.schemas(side))
        (root / "deep_gemm" / "_C_extension.abi3.so").write_bytes(whole)
    return root


@pytest.mark.parametrize("binding", list(Binding))
def test_every_use_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: Interpreter, binding: Binding
) -> None:
    """Each line of the host gets the answer that it says, from what the loaded builds tell."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "cache"))
    host = tmp_path / "host"
    host.mkdir()
    a, b = load.both(
        *(
            Side(build=builds.at(built(tmp_path / n, i, binding, python), label=n), python=python)
            for i, n in enumerate("ab")
        )
    )

    actual = judged(impact(scanned(host), compare.compare(a, b)))

    assert answered(binding) == actual
