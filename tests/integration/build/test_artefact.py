"""Artefacts judged: wheels, extensions and environments of small shared objects."""

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from dgpin import process
from dgpin.build import artefact, contents, interpreter
from dgpin.build.contents import DamagedWheelError
from dgpin.build.elf import ElfError
from dgpin.build.interpreter import Interpreter
from dgpin.errors import UsageError
from dgpin.render import artefact as rendered
from dgpin.verdict import Row, Verdict
from tests.build import small as smalls
from tests.build.small import Small
from tests.build.world import write

Files = dict[str, str | bytes]
TREE: dict[str, str] = {
    "deep_gemm/__init__.py": "from . import _C\n",
    "deep_gemm/envs.py": "",
    "deep_gemm/include/deep_gemm/impls/sm90_gemm.cuh": "",
    "deep_gemm/include/cutlass/cutlass.h": "",
    "deep_gemm/include/cute/tensor.hpp": "",
}
CP311 = "_C.cpython-311-x86_64-linux-gnu.so"


def extension(path: Path, code: str = "", *, needs: tuple[str, ...] = ()) -> Path:
    """Compile an extension that names libraries in NEEDED."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for soname in needs:
        smalls.library(path.parent / "needed" / soname, soname=soname)
    words = ["-shared", "-fPIC", "-Wl,--no-as-needed", "-x", "c++", "-", "-x", "none"]
    linked = [str(path.parent / "needed" / soname) for soname in needs]
    process.run(["g++", *words, *linked, "-o", str(path)], stdin=code.encode()).check()
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return an extension that asks for nothing."""
    return extension(tmp_path_factory.mktemp("plain") / CP311).read_bytes()


def wheel(path: Path, files: Files, *, requires: str = "", more: str = "") -> Path:
    """Write a wheel."""
    python = f"Requires-Python: {requires}\n" if requires else ""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        metadata = f"Metadata-Version: 2.1\nName: vllm\nVersion: 1\n{python}{more}"
        archive.writestr("vllm-1.dist-info/METADATA", metadata)
    return path


def verdict(rows: tuple[Row, ...], rule: str) -> tuple[Verdict, str]:
    """Return the one verdict on a rule, and its message."""
    (row,) = [row for row in rows if row.rule == rule]
    return row.verdict, row.message


def test_wheel_for_every_python_needs_each_extension(tmp_path: Path, plain: bytes) -> None:
    """A wheel tagged abi3 with an extension for one Python names those that have none."""
    files: Files = {**TREE, f"deep_gemm/{CP311}": plain}
    path = tmp_path / "vllm-1-cp38-abi3-manylinux_2_28_x86_64.whl"

    rows = artefact.check_artefact(wheel(path, files, requires=">=3.10,<3.15"))

    found, message = verdict(rows, "artefact-pythons")
    assert Verdict.FAIL == found
    assert "Python 3.10, 3.12, 3.13, 3.14" in message


def test_wheel_with_every_extension_passes(tmp_path: Path, plain: bytes) -> None:
    """One extension for each Python of requires-python is enough."""
    names = [f"deep_gemm/_C.cpython-{v}-x86_64-linux-gnu.so" for v in (310, 311, 312)]
    path = tmp_path / "vllm-1-cp38-abi3-linux_x86_64.whl"

    rows = artefact.check_artefact(
        wheel(path, {**TREE, **dict.fromkeys(names, plain)}, requires=">=3.10,<3.13")
    )

    assert Verdict.PASS == verdict(rows, "artefact-pythons")[0]


def test_wheel_for_one_python_needs_one(tmp_path: Path, plain: bytes) -> None:
    """A wheel whose name says cp311 promises no other Python."""
    path = tmp_path / "deep_gemm-1-cp311-cp311-linux_x86_64.whl"

    rows = artefact.check_artefact(
        wheel(path, {**TREE, f"deep_gemm/{CP311}": plain}, requires=">=3.10")
    )

    assert Verdict.PASS == verdict(rows, "artefact-pythons")[0]


@pytest.mark.parametrize("inside", ["", "vllm/third_party/"])
def test_extension_beside_the_package_is_one(tmp_path: Path, plain: bytes, inside: str) -> None:
    """Until v2.1 it was a module of its own."""
    name = "deep_gemm_cpp.cpython-311-x86_64-linux-gnu.so"
    files: Files = {**TREE, "deep_gemm/__init__.py": "import deep_gemm_cpp\n", name: plain}
    path = tmp_path / "deep_gemm-2.1.0-cp311-cp311-linux_x86_64.whl"
    wheel(path, {f"{inside}{each}": text for each, text in files.items()})
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "out")

    for subject in (path, tmp_path / "out" / inside):
        rows = artefact.check_artefact(subject)
        (row,) = [row for row in rows if row.rule == "artefact-extension"]
        assert Verdict.PASS == row.verdict
        assert str(row.places[0]).endswith(name)
        assert ".." not in str(row.places[0])


def test_wheel_without_extension_is_a_failure(tmp_path: Path) -> None:
    """A target that was never built shows as no `_C` in the wheel."""
    rows = artefact.check_artefact(wheel(tmp_path / "a-1-py3-none-any.whl", dict(TREE)))

    assert Verdict.FAIL == verdict(rows, "artefact-extension")[0]
    assert (Verdict.FAIL, "imports what is not in it: _C") == verdict(rows, "artefact-modules")


@pytest.mark.parametrize(
    ("gone", "told"),
    [("deep_gemm/include/deep_gemm", "its own kernels"), ("deep_gemm/include/cutl", "CUTLASS")],
)
def test_missing_headers_are_a_failure(tmp_path: Path, plain: bytes, gone: str, told: str) -> None:
    """A wheel without what the JIT compiles fails, named by what is missing."""
    files = {name: text for name, text in TREE.items() if not name.startswith(gone)}
    path = tmp_path / "a-1-cp311-cp311-linux_x86_64.whl"

    rows = artefact.check_artefact(wheel(path, {**files, f"deep_gemm/{CP311}": plain}))

    found, message = verdict(rows, "artefact-headers")
    assert Verdict.FAIL == found
    assert message.endswith(told)


def test_missing_module_is_a_failure(tmp_path: Path, plain: bytes) -> None:
    """A module that `__init__` imports and that was not packed is named."""
    init = TREE["deep_gemm/__init__.py"] + "from .locality_domain import localize\n"
    files: Files = {**TREE, f"deep_gemm/{CP311}": plain, "deep_gemm/__init__.py": init}

    rows = artefact.check_artefact(wheel(tmp_path / "a-1-cp311-cp311-any.whl", files))

    assert (Verdict.FAIL, "imports what is not in it: locality_domain") == (
        verdict(rows, "artefact-modules")
    )


USES = 'extern "C" int {0}(void*); int f() {{ return {0}(nullptr); }}'


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("PyLong_AsLong", Verdict.PASS),
        ("_PyThreadState_UncheckedGet", Verdict.FAIL),
        # In the limited API since 3.11, and so not in that of 3.10.
        ("PyBuffer_Release", Verdict.FAIL),
    ],
)
def test_abi3_name_is_held_against_its_symbols(
    tmp_path: Path, symbol: str, expected: Verdict
) -> None:
    """A file named abi3 may use the limited API of its oldest Python, and no other."""
    path = extension(tmp_path / "_C_extension.abi3.so", USES.format(symbol))

    rows = artefact.check_artefact(path)

    assert expected == verdict(rows, "artefact-abi3")[0]


def test_version_bound_file_is_not_held_against_the_limited_api(tmp_path: Path) -> None:
    """A file for one Python may use all of its API."""
    code = USES.format("_PyThreadState_UncheckedGet")

    rows = artefact.check_artefact(extension(tmp_path / CP311, code))

    assert "artefact-abi3" not in {row.rule for row in rows}


@pytest.fixture
def python(made: Small) -> Interpreter:
    """Return the interpreter with the small torch."""
    return interpreter.read(made.python)


@pytest.mark.parametrize(
    ("soname", "expected"), [("libcudart.so.13", Verdict.PASS), ("libcudart.so.12", Verdict.FAIL)]
)
def test_cuda_library_fits_torch(
    tmp_path: Path, python: Interpreter, soname: str, expected: Verdict
) -> None:
    """An extension that needs another major version of CUDA than torch's fails."""
    path = extension(tmp_path / f"_C{python.ext_suffix}", needs=(soname,))

    rows = artefact.check_artefact(path, interpreter=python)

    found, message = verdict(rows, "artefact-cuda")
    assert expected == found
    assert soname in message


def test_missing_torch_symbol_is_demangled_with_its_cure(
    tmp_path: Path, python: Interpreter
) -> None:
    """What this torch lacks is named as C++ has it, and the row says how to rebuild."""
    code = "namespace c10 { void warn_gone(int); } void f() { c10::warn_gone(1); }"
    path = extension(tmp_path / f"_C{python.ext_suffix}", code)

    rows = artefact.check_artefact(path, interpreter=python)

    (row,) = [row for row in rows if row.rule == "artefact-torch"]
    assert Verdict.FAIL == row.verdict
    assert "c10::warn_gone" in row.message
    assert f"dgpin build --python {python.path}" in row.hint


def test_other_string_abi_is_told(tmp_path: Path, python: Interpreter) -> None:
    """Symbols with the new std::string, and a torch without: the row says which has which."""
    torch = tmp_path / "site/torch"
    shutil.copytree(python.search[-1] / "torch", torch)
    smalls.library(torch / "lib/libc10.so", code="void touch() {}")
    code = "#include <string>\nnamespace c10 { void f(std::string); } void g() { c10::f({}); }"
    path = extension(tmp_path / f"_C{python.ext_suffix}", code)

    rows = artefact.check_artefact(path, interpreter=replace(python, search=(torch.parent,)))

    found, message = verdict(rows, "artefact-torch")
    assert Verdict.FAIL == found
    assert message.endswith("by the C++11 ABI, and this torch is built without")


def test_without_torch_nothing_is_claimed(tmp_path: Path, plain: bytes) -> None:
    """Where there is no torch to compare with, the row is skipped and says so."""
    path = tmp_path / CP311
    path.write_bytes(plain)

    found, message = verdict(artefact.check_artefact(path), "artefact-torch")

    assert Verdict.SKIP == found
    assert "no torch" in message


@pytest.mark.parametrize(
    ("torch", "expected"),
    [
        ("2.14.1+cu130 git " + "5" * 40, Verdict.PASS),
        ("2.14.1+cu130 git " + "6" * 40, Verdict.FAIL),
        ("2.13.0+cu130 git " + "5" * 40, Verdict.FAIL),
    ],
)
def test_fingerprint_is_held_against_torch(
    tmp_path: Path, plain: bytes, python: Interpreter, torch: str, expected: Verdict
) -> None:
    """A build knows its torch by git hash, so an equal version number does not pass for it."""
    for name, text in TREE.items():
        write(tmp_path / name, text)
    (tmp_path / "deep_gemm" / f"_C{python.ext_suffix}").write_bytes(plain)
    write(tmp_path / "fingerprint.json", f'{{"components": {{"torch": "{torch}"}}}}')

    rows = artefact.check_artefact(tmp_path, interpreter=python)

    assert expected == verdict(rows, "artefact-torch-build")[0]


def test_requirement_is_held_against_torch(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """A wheel that requires torch 2.13.0 does not fit torch 2.14.1."""
    path = tmp_path / "vllm-1-cp311-cp311-linux_x86_64.whl"
    files: Files = {**TREE, f"deep_gemm/{CP311}": plain}
    wheel(path, files, more="Requires-Dist: torch==2.13.0\n")

    rows = artefact.check_artefact(path, interpreter=python)

    assert (Verdict.FAIL, "made for torch 2.13.0, and torch 2.14.1+cu130 is installed") == (
        verdict(rows, "artefact-torch-build")
    )


def install(site: Path, plain: bytes, *owners: str) -> None:
    """Put a package into site-packages that some distributions claim."""
    for name, text in TREE.items():
        write(site / name, text)
    (site / "deep_gemm" / CP311).write_bytes(plain)
    for owner in owners:
        info = site / f"{owner}-1.dist-info"
        write(info / "METADATA", f"Metadata-Version: 2.1\nName: {owner}\nVersion: 1\n")
        write(info / "RECORD", f"deep_gemm/__init__.py,sha256=x,1\ndeep_gemm/{CP311},sha256=x,1\n")


@pytest.mark.parametrize(
    ("owners", "expected"),
    [(("deep_gemm",), Verdict.PASS), (("deep_gemm", "kernels"), Verdict.FAIL)],
)
def test_two_owners_are_a_failure(
    tmp_path: Path, plain: bytes, python: Interpreter, owners: tuple[str, ...], expected: Verdict
) -> None:
    """Two distributions that claim one package are both named."""
    install(tmp_path, plain, *owners)
    suffix = ".cpython-311-x86_64-linux-gnu.so"
    there = replace(python, version="3.11.7", ext_suffix=suffix, search=(tmp_path,))

    found, message = verdict(artefact.check_environment(there), "artefact-owners")

    assert expected == found
    assert all(owner in message for owner in owners)


def test_installed_package_goes_before_the_one_in_vllm(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """vLLM's own copy is judged only where no other can be imported, wherever that lies."""
    for name, text in TREE.items():
        write(tmp_path / "a/vllm/third_party" / name, text)
    install(tmp_path / "b", plain, "deep_gemm")
    first = replace(python, search=(tmp_path / "a", tmp_path / "b"))
    alone = replace(python, search=(tmp_path / "a",))

    assert ["deep_gemm", "vllm/third_party/deep_gemm"] == [
        contents.installed(each).prefix for each in (first, alone)
    ]


def test_nested_name_is_not_taken_for_the_package(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """What is imported is the package itself, though a directory in it has its name."""
    install(tmp_path, plain, "deep_gemm")
    write(tmp_path / "deep_gemm/deep_gemm/__init__.py")

    found = contents.installed(replace(python, search=(tmp_path,)))

    assert "envs.py" in found.files


def test_environment_without_the_package_is_said(python: Interpreter) -> None:
    """An interpreter without deep_gemm is a usage error that names it."""
    with pytest.raises(UsageError, match=r"has no deep_gemm$"):
        artefact.check_environment(python)


def test_place_that_is_left_out_is_said(
    tmp_path: Path, python: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What PYTHONPATH or the user's own packages bring is not taken for what is installed."""
    write(tmp_path / "mine/deep_gemm/__init__.py")
    write(tmp_path / "path/deep_gemm/__init__.py")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}/path")

    with pytest.raises(UsageError, match=f"; {tmp_path}/mine, {tmp_path}/path is left out"):
        artefact.check_environment(replace(python, user=tmp_path / "mine"))


def test_wheel_for_another_python_is_not_compared(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """Where no extension would be loaded, that is said of the comparison with torch."""
    name = "_C.cpython-399-x86_64-linux-gnu.so"
    path = wheel(
        tmp_path / "a-1-cp399-cp399-linux_x86_64.whl", {**TREE, f"deep_gemm/{name}": plain}
    )

    rows = artefact.check_artefact(path, interpreter=python)

    assert Verdict.SKIP == verdict(rows, "artefact-torch")[0]


def test_damaged_files_are_errors(tmp_path: Path, plain: bytes) -> None:
    """A cut wheel and a cut extension are told as that."""
    with pytest.raises(DamagedWheelError):
        artefact.check_artefact(write(tmp_path / "a-1-py3-none-any.whl", "no zip"))
    cut = tmp_path / CP311
    cut.write_bytes(plain[:100])
    with pytest.raises(ElfError):
        artefact.check_artefact(cut)


def test_development_install_has_its_headers(tmp_path: Path, plain: bytes) -> None:
    """A checkout links to CUTLASS's headers; a circle of links has an end."""
    inside = {name: text for name, text in TREE.items() if "/cutlass" not in name}
    for name, text in inside.items():
        write(tmp_path / name, text)
    (tmp_path / "deep_gemm" / CP311).write_bytes(plain)
    write(tmp_path / "third-party/cutlass/cutlass.h")
    include = tmp_path / "deep_gemm/include"
    (include / "cutlass").symlink_to("../../third-party/cutlass")
    (include / "again").symlink_to("..")

    rows = artefact.check_artefact(tmp_path)

    assert Verdict.PASS == verdict(rows, "artefact-headers")[0]


@pytest.mark.parametrize(
    ("name", "machine", "expected"),
    [
        ("a-1-cp311-cp311-manylinux_2_28_x86_64.whl", 62, Verdict.PASS),
        ("a-1-cp311-cp311-manylinux2014_x86_64.linux_x86_64.whl", 62, Verdict.PASS),
        ("a-1-cp311-cp311-manylinux_2_28_aarch64.whl", 183, Verdict.PASS),
        ("a-1-cp311-cp311-manylinux_2_28_x86_64.whl", 183, Verdict.FAIL),
        ("a-1-cp311-cp311-manylinux_2_28_aarch64.whl", 62, Verdict.FAIL),
        ("a-1-cp311-cp311-any.whl", 62, Verdict.FAIL),
        ("a.whl", 62, Verdict.PASS),
    ],
)
def test_extension_is_for_the_machine_of_the_name(
    tmp_path: Path, plain: bytes, name: str, machine: int, expected: Verdict
) -> None:
    """What a wheel holds is for the machine that its name promises (e_machine in ELF's header)."""
    files: Files = {**TREE, f"deep_gemm/{CP311}": plain[:18] + bytes([machine, 0]) + plain[20:]}

    rows = artefact.check_artefact(wheel(tmp_path / name, files))

    assert expected == verdict(rows, "artefact-extension")[0]


def test_extension_of_another_machine_than_the_interpreter_s(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """An extension for aarch64 is of no use to a Python on x86_64."""
    path = tmp_path / f"_C{python.ext_suffix}"
    path.write_bytes(plain[:18] + b"\xb7\0" + plain[20:])

    found, message = verdict(
        artefact.check_artefact(path, interpreter=replace(python, platform="linux-x86_64")),
        "artefact-extension",
    )

    assert Verdict.FAIL == found
    assert message.startswith("compiled for aarch64, and ")


@pytest.mark.parametrize(
    ("name", "requires", "extensions", "expected"),
    [
        # Free-threaded Pythons load only what is theirs.
        ("a-1-cp313-cp313t-linux_x86_64.whl", "", ["313t"], Verdict.PASS),
        ("a-1-cp313-cp313t-linux_x86_64.whl", "", ["313"], Verdict.FAIL),
        ("a-1-cp313-cp313-linux_x86_64.whl", "", ["313t"], Verdict.FAIL),
        # abi3 from 3.12 on is installed on no older Python, whatever requires-python allows.
        ("a-1-cp312-abi3-linux_x86_64.whl", ">=3.10,<3.14", ["312", "313"], Verdict.PASS),
        ("a-1-cp312-abi3-linux_x86_64.whl", ">=3.10,<3.14", ["312"], Verdict.FAIL),
        ("a-1-cp38-abi3-linux_x86_64.whl", ">=3.99", ["312"], Verdict.SKIP),
    ],
)
def test_pythons_are_those_that_install_the_wheel(
    tmp_path: Path,
    plain: bytes,
    name: str,
    requires: str,
    extensions: list[str],
    *,
    expected: Verdict,
) -> None:
    """The wheel's name and requires-python together tell who gets it."""
    inner = [f"deep_gemm/_C.cpython-{each}-x86_64-linux-gnu.so" for each in extensions]

    rows = artefact.check_artefact(
        wheel(tmp_path / name, {**TREE, **dict.fromkeys(inner, plain)}, requires=requires)
    )

    assert expected == verdict(rows, "artefact-pythons")[0]


def test_limited_api_serves_a_python_that_no_table_knows(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """What abi3 promises holds for Pythons that are not out yet."""
    for name, text in TREE.items():
        write(tmp_path / name, text)
    (tmp_path / "deep_gemm/_C.abi3.so").write_bytes(plain)
    new = replace(python, version="3.99.0", ext_suffix=".cpython-399-x86_64-linux-gnu.so")

    rows = artefact.check_artefact(tmp_path, interpreter=new)

    assert Verdict.PASS == verdict(rows, "artefact-pythons")[0]


@pytest.mark.parametrize("name", ["kernels.so", "libdeep_gemm.so"])
def test_single_file_of_another_name_is_judged(tmp_path: Path, plain: bytes, name: str) -> None:
    """A file that is named on the command line is the extension, whatever it is called."""
    (tmp_path / name).write_bytes(plain)

    assert (
        Verdict.PASS == verdict(artefact.check_artefact(tmp_path / name), "artefact-extension")[0]
    )


def test_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    """A name that is too long names no file."""
    with pytest.raises(UsageError, match="there is no such file"):
        artefact.check_artefact(tmp_path / ("x" * 5000))


def test_interrupted_installation_is_an_owner(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """A RECORD whose METADATA is gone still claims its files, by its directory's name."""
    install(tmp_path, plain, "deep_gemm", "kernels")
    (tmp_path / "kernels-1.dist-info/METADATA").unlink()
    suffix = ".cpython-311-x86_64-linux-gnu.so"
    there = replace(python, version="3.11.7", ext_suffix=suffix, search=(tmp_path,))

    found, message = verdict(artefact.check_environment(there), "artefact-owners")

    assert Verdict.FAIL == found
    assert "kernels" in message


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("torch==2.14.1", [Verdict.PASS]),
        ("torch (==2.14.1.0)", [Verdict.PASS]),
        ("torch==2.14", [Verdict.FAIL]),
        ('torch==2.13.0 ; extra == "old"', []),
        ("torch==2.*", []),
    ],
)
def test_requirement_is_read_as_pip_reads_it(
    tmp_path: Path, plain: bytes, python: Interpreter, requirement: str, expected: list[Verdict]
) -> None:
    """Versions are compared as versions, and what only an extra asks for is not asked for."""
    path = tmp_path / "vllm-1-cp311-cp311-linux_x86_64.whl"
    files: Files = {**TREE, f"deep_gemm/{CP311}": plain}
    wheel(path, files, more=f"Requires-Dist: {requirement}\n")

    rows = artefact.check_artefact(path, interpreter=python)

    assert expected == [row.verdict for row in rows if row.rule == "artefact-torch-build"]


def test_fingerprint_of_any_bytes_is_read(
    tmp_path: Path, plain: bytes, python: Interpreter
) -> None:
    """A fingerprint that is no text tells another torch, or none, and is no fault."""
    for name, text in TREE.items():
        write(tmp_path / name, text)
    (tmp_path / "deep_gemm" / f"_C{python.ext_suffix}").write_bytes(plain)
    (tmp_path / "fingerprint.json").write_bytes(b'{"torch": "2.\xff git "}')

    rows = artefact.check_artefact(tmp_path, interpreter=python)

    assert Verdict.FAIL == verdict(rows, "artefact-torch-build")[0]


def test_number_in_a_name_makes_no_torch_symbol(tmp_path: Path, python: Interpreter) -> None:
    """`_Z12attach_thing` holds `2at`, and is not of namespace at."""
    code = "void attach_thing(int); void f() { attach_thing(1); }"
    path = extension(tmp_path / f"_C{python.ext_suffix}", code)

    rows = artefact.check_artefact(path, interpreter=python)

    assert Verdict.PASS == verdict(rows, "artefact-torch")[0]


def test_any_name_reads_as_it_is_in_markdown() -> None:
    """A file's name is code: what GitHub takes for markup stays what it is."""
    shown = rendered.renderers("my__init__<b>[x].whl", ())["markdown"]()

    assert isinstance(shown, str)
    assert shown.startswith("## `my__init__<b>[x].whl`: ")
