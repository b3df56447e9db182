"""Builds that are really compiled, of a DeepGEMM and a torch small enough for it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dgpin.build import interpreter, job, source, store
from dgpin.build.compiling import Event
from dgpin.build.job import ChangedSourceError, Watch
from dgpin.verdict import Verdict
from tests.build import small as smalls
from tests.build.jobs import build, compiler, other_python, prepare
from tests.build.small import Small
from tests.build.world import write

Change = Callable[[Small, pytest.MonkeyPatch], object]


def test_build_for_two_pythons(small: Small) -> None:
    """One package has an extension for each Python; that with torch has imported it."""
    found = build(small, small.python, other_python(small))

    assert Verdict.PASS == found.verdict
    assert found.entry is not None
    own = interpreter.read(small.python)
    names = {path.name for path in found.entry.package.glob("*.so")}
    assert {f"_C{own.ext_suffix}", "_C.cpython-399-x86_64-linux-gnu.so"} == names
    assert [(own.short, True, True), ("3.99", False, False)] == [
        (each.python, each.tried, each.works) for each in found.imports
    ]


def test_two_pythons_of_one_version_are_one_target(small: Small) -> None:
    """Of two Pythons that load the same file, the one with torch stands for both."""
    own = interpreter.read(small.python)
    bare = other_python(small, own.ext_suffix)

    found = prepare(small, bare, small.python).toolchain

    assert [Path(small.python)] == [each.path for each in found.interpreters]
    assert found.torch is not None


def test_package_is_what_setup_would_install(built: Small) -> None:
    """Modules, the environment's defaults and the JIT's three include trees are in it."""
    found = build(built)

    assert found.entry is not None
    package = found.entry.package
    files = {p.relative_to(package).as_posix() for p in package.rglob("*") if p.suffix != ".so"}
    assert {
        "__init__.py",
        "envs.py",
        "include/cute/tensor.hpp",
        "include/cutlass/cutlass.h",
        "include/deep_gemm/impls/sm90_gemm.cuh",
    } == {name for name in files if "__pycache__" not in name and "." in name}


def test_second_run_compiles_nothing(built: Small) -> None:
    """The same inputs give the build that is there."""
    first = build(built)
    events: list[Event] = []

    second = job.run(prepare(built), watch=Watch(event=events.append))

    assert (True, []) == (second.cached, events)
    assert first.entry == second.entry


def test_source_that_changes_meanwhile_is_not_kept(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was compiled out of two states of a source is no build of either."""
    compiler(
        small, monkeypatch, compiling=f'echo "// more" >> "{small.source}/csrc/python_api.cpp"'
    )

    with pytest.raises(ChangedSourceError, match="changed while it was compiled"):
        build(small)

    assert () == store.entries()


@pytest.mark.parametrize("what", ["include/cutlass/cutlass.h", "__init__.py"])
def test_entry_that_lost_a_file_is_built_again(built: Small, what: str) -> None:
    """A header that is gone, or a module that somebody edited, makes another build."""
    first = build(built)
    assert first.entry is not None
    path = first.entry.package / what
    if what.endswith(".py"):
        path.write_text(path.read_text() + "debug = True\n")
    else:
        path.unlink()

    second = build(built)

    assert not second.cached
    assert second.entry is not None
    assert "debug" not in (second.entry.package / "__init__.py").read_text()


def test_damaged_entry_is_built_again(built: Small) -> None:
    """An extension that is not what it was counts as absent."""
    first = build(built)
    assert first.entry is not None
    extension = next(first.entry.package.glob("*.so"))
    extension.write_bytes(b"damaged")

    second = build(built)

    assert not second.cached
    assert extension.read_bytes() != b"damaged"


@pytest.mark.parametrize(
    ("change", "component"),
    [
        (lambda _s, m: m.setenv("CXXFLAGS", "-O1"), "CXXFLAGS"),
        (lambda _s, m: m.setenv("LDFLAGS", "-Wl,-z,now"), "LDFLAGS"),
        (lambda _s, m: m.setenv("CPLUS_INCLUDE_PATH", "/opt/include"), "environment"),
        (lambda s, _m: write(s.source / "csrc/python_api.cpp", smalls.MODULE + "\n"), "source"),
        (lambda s, _m: write(s.source / "setup.py", smalls.SETUP.replace("-O0", "-O2")), "flags"),
    ],
)
def test_needed_names_what_changed(
    built: Small, monkeypatch: pytest.MonkeyPatch, change: Change, component: str
) -> None:
    """`--needed` is silent after a build, and names the component once one differs."""
    build(built)
    assert job.needed(prepare(built), None) is None

    change(built, monkeypatch)

    changed = job.needed(prepare(built), None)
    assert changed is not None
    assert component in [each.component for each in changed]


def test_another_torch_build_of_one_version_is_a_change(built: Small, made: Small) -> None:
    """torch 2.14.1 is told from torch 2.14.1 by its git hash."""
    version = made.site / "torch/version.py"
    text = version.read_text()
    build(built)
    try:
        version.write_text(text.replace("5" * 40, "6" * 40))
        changed = job.needed(prepare(built), None)
    finally:
        version.write_text(text)

    assert changed is not None
    assert ["torch"] == [each.component for each in changed]


def test_source_and_cache_of_odd_names(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spaces, letters of any alphabet and bytes of none are no obstacle, nor is a cache near."""
    monkeypatch.chdir(small.root)
    monkeypatch.setenv("DGPIN_CACHE_DIR", "ein Lager ü")
    odd = small.root / os.fsdecode(b"so urce \xff")
    small.source.rename(odd)
    recipe = job.read_recipe(odd)
    tree = source.read(odd, recipe, label="odd")

    found = job.run(job.prepare(tree, recipe, [small.python]))

    assert Verdict.PASS == found.verdict
    assert found.log is not None
    assert found.log.is_relative_to(small.root / "ein Lager ü")


def test_commands_in_the_log_can_be_run_again(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has each command as a shell would read it."""
    monkeypatch.setenv("CXXFLAGS", "'-DTEXT=a b'")

    found = build(small)

    assert found.log is not None
    assert " '-DTEXT=a b' " in found.log.read_text()


def test_first_error_is_shown_and_the_rest_folded(small: Small) -> None:
    """What follows from the first error is counted, not shown; the log has it all."""
    wrong = "nonsense one;\nnonsense two;\nnonsense three;\n"
    write(small.source / "csrc/python_api.cpp", smalls.MODULE + wrong)

    found = build(small)

    assert Verdict.FAIL == found.verdict
    ((name, digest),) = found.errors
    assert name.startswith("_C.")
    assert "nonsense" in digest.headline
    assert 2 == digest.more
    assert found.log is not None
    assert found.log.read_text().count("error:") == 3
    assert () == store.entries()


def test_what_cannot_be_imported_is_no_build(small: Small) -> None:
    """An extension that lacks a symbol compiles, fails to import, and is not kept."""
    code = smalls.MODULE.replace("static PyModuleDef", "void gone(); static PyModuleDef").replace(
        "{ return", "{ gone(); return"
    )
    write(small.source / "csrc/python_api.cpp", code)

    found = build(small)

    assert Verdict.FAIL == found.verdict
    assert "there is no `gone` in torch or any library" in found.message
    assert () == store.entries()


def test_user_flags_win(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """CXXFLAGS come after the source's own flags, LDFLAGS at the end of the link."""
    monkeypatch.setenv("CXXFLAGS", "-O1 -DMINE")
    monkeypatch.setenv("LDFLAGS", "-lm")

    found = build(small)

    assert found.log is not None
    compile_line, link_line = (w for w in found.log.read_text().splitlines() if w.startswith("$"))
    assert compile_line.index("-O0") < compile_line.index("-O1 -DMINE")
    assert link_line.index("-l:libcudart.so") < link_line.index("-lm")


def test_each_toolkit_has_its_verdict(small: Small) -> None:
    """A source that compiles with 13.0 and not with 12.9 is told for each, by the first error."""
    uses = smalls.MODULE + "static __nv_fp8_e4m3 value;\n"
    write(small.source / "csrc/python_api.cpp", uses)
    new, old = small.root / "cuda-13.0", small.root / "cuda-12.9"
    smalls.toolkit(new, "13.0", header="struct __nv_fp8_e4m3 { unsigned char raw; };\n")
    smalls.toolkit(old, "12.9")

    verdicts = {home.name: build(small, cuda_home=home) for home in (new, old)}

    assert {"cuda-13.0": Verdict.PASS, "cuda-12.9": Verdict.FAIL} == {
        name: found.verdict for name, found in verdicts.items()
    }
    ((_, digest),) = verdicts["cuda-12.9"].errors
    assert "__nv_fp8_e4m3" in digest.headline


def test_toolkit_of_another_major_is_tried_and_not_kept(small: Small) -> None:
    """What CUDA 12.9 compiles does not fit a torch of 13.0: a verdict, and no build."""
    old = small.root / "cuda-12.9"
    smalls.toolkit(old, "12.9")

    found = build(small, cuda_home=old)

    assert Verdict.PASS == found.verdict
    assert found.entry is None
    assert () == store.entries()
