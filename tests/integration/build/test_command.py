"""`dgpin build` as it is typed: exit codes, what is shown, and the JSON."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dgpin
from dgpin.cli import app
from tests.build import small as smalls
from tests.build.jobs import compiler
from tests.build.small import Small
from tests.build.world import write
from tests.example import make_deepgemm, make_host

SCHEMA = json.loads((Path(dgpin.__file__).parent / "render/schemas/build.json").read_text())
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(small: Small, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `dgpin build` on the small source."""

    def go(*words: str, what: str | None = None) -> tuple[int, str, str]:
        source = str(small.source) if what is None else what
        code = app.main(["build", source, "--python", small.python, *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return go


def answer(out: str) -> dict[str, Any]:
    """Return the JSON answer, held against its schema."""
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert isinstance(found, dict)
    return found


def test_build_and_build_again(run: Run) -> None:
    """Both runs end with 0 and name the package; the second compiles nothing."""
    first, again = run("--json"), run("--json")

    assert [0, 0] == [first[0], again[0]]
    (one,), (two,) = answer(first[1])["builds"], answer(again[1])["builds"]
    assert (False, True) == (one["cached"], two["cached"])
    assert one["package"] == two["package"]


def test_progress_is_on_stderr(run: Run) -> None:
    """Each target has a line with the time it took; stdout holds the result alone."""
    _, out, err = run()

    assert ["compiling", "compiled"] == [line.split()[0] for line in err.splitlines()]
    assert "compiling" not in out


def test_preflight_alone_compiles_nothing(run: Run) -> None:
    """--preflight shows the table, and ends with 0 where nothing is missing."""
    code, out, err = run("--preflight", "--json")

    assert (0, "") == (code, err)
    found = answer(out)
    assert ([], 0) == (found["builds"], found["preflight"][0]["missing"])


def test_missing_things_are_exit_3(run: Run, small: Small) -> None:
    """What is missing is shown in the table, and the code is 3, with --preflight or without."""
    write(small.source / "csrc/python_api.cpp", "#include <elfutils/nowhere.h>\n" + smalls.MODULE)

    checked, built = run("--preflight", "--json"), run("--json")

    assert [3, 3] == [checked[0], built[0]]
    assert [["elfutils/nowhere.h"]] * 2 == [
        [i["name"] for i in answer(out)["preflight"][0]["items"] if i["status"] == "missing"]
        for _, out, _ in (checked, built)
    ]


def test_table_in_words(run: Run, small: Small) -> None:
    """The table names what is missing, its line in the source, and how many there are."""
    write(small.source / "csrc/python_api.cpp", "#include <elfutils/nowhere.h>\n" + smalls.MODULE)

    _, out, _ = run()

    assert "MISSING  elfutils/nowhere.h" in out
    assert "needed by csrc/python_api.cpp:1" in out
    assert "\n1 missing\n" in out


def test_compile_error_is_exit_1(run: Run, small: Small) -> None:
    """A source that does not compile is a finding, told by its first error and the log."""
    write(small.source / "csrc/python_api.cpp", smalls.MODULE + "nonsense;\nmore nonsense;\n")

    code, out, _ = run("--json")

    assert 1 == code
    (found,) = answer(out)["builds"]
    assert ("fail", None, 1) == (found["verdict"], found["package"], found["errors"][0]["more"])
    assert "more nonsense" in Path(found["log"]).read_text()


def test_needed_in_exit_codes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 before the build, 0 after it, 1 with the component once something changed."""
    before = run("--needed", "--json")
    run()
    after = run("--needed", "--json")
    monkeypatch.setenv("CXXFLAGS", "-O2")
    changed = run("--needed")

    assert [1, 0, 1] == [before[0], after[0], changed[0]]
    assert [True, False] == [answer(out)["needed"]["needed"] for _, out, _ in (before, after)]
    assert "CXXFLAGS" in changed[1]


def test_needed_looks_where_the_copy_is(run: Run, tmp_path: Path) -> None:
    """With --out it is asked about the copy there, whatever the cache has."""
    run()
    out = ("--out", str(tmp_path / "there"))

    before = run("--needed", *out)
    run(*out)
    after = run("--needed", *out)
    (tmp_path / "there/fingerprint.json").write_text("{}")
    damaged = run("--needed", *out)

    assert [1, 0, 1] == [before[0], after[0], damaged[0]]


def test_needed_is_asked_of_every_toolkit(run: Run, small: Small) -> None:
    """One toolkit with a build does not answer for another one without."""
    new, newer = small.root / "cuda-13.0", small.root / "cuda-13.1"
    smalls.toolkit(new, "13.0")
    smalls.toolkit(newer, "13.1")
    run("--cuda-home", str(new))

    one = run("--needed", "--cuda-home", str(new))
    two = run("--needed", "--cuda-home", str(new), "--cuda-home", str(newer))

    assert [0, 1] == [one[0], two[0]]


def test_wrong_form_is_told_before_the_compile(run: Run) -> None:
    """Nobody waits for a compile to learn that its answer has no such form."""
    _, _, err = run("-o", "html")

    assert "compiling" not in err


def test_two_toolkits_two_verdicts(run: Run, small: Small) -> None:
    """--cuda-home given twice is a verdict for each, and 1 where one of them fails."""
    write(small.source / "csrc/python_api.cpp", smalls.MODULE + "static __nv_fp8_e4m3 value;\n")
    new, old = small.root / "cuda-13.0", small.root / "cuda-12.9"
    smalls.toolkit(new, "13.0", header="struct __nv_fp8_e4m3 { unsigned char raw; };\n")
    smalls.toolkit(old, "12.9")

    code, out, _ = run("--cuda-home", str(new), "--cuda-home", str(old), "--json")

    assert 1 == code
    assert ["pass", "fail"] == [each["verdict"] for each in answer(out)["builds"]]


@pytest.mark.usefixtures("built")
def test_out_and_wheel(run: Run, tmp_path: Path) -> None:
    """--out puts the package with its fingerprint there, --wheel a wheel."""
    code, out, _ = run("--out", str(tmp_path / "there"), "--json")
    again, told, _ = run("--wheel", "--out", str(tmp_path / "wheels"), "--json")

    assert [0, 0] == [code, again]
    assert str(tmp_path / "there/deep_gemm") == answer(out)["copied"]
    assert {"deep_gemm", "fingerprint.json"} == {p.name for p in (tmp_path / "there").iterdir()}
    assert [str(p) for p in (tmp_path / "wheels").iterdir()] == answer(told)["wheels"]


def test_architecture_list_is_spoken_of(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """TORCH_CUDA_ARCH_LIST has a note: it changes nothing in what is built."""
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0a")

    _, out, _ = run("--preflight", "--json")

    assert ["TORCH_CUDA_ARCH_LIST=9.0a changes nothing here: _C is host code"] == (
        answer(out)["notes"]
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"x = '\xe9'\n", "declares no extension"),
        (b"\xef\xbb\xbfx = 1\n", "declares no extension"),
        (b"x = '\0'\n", "cannot be parsed"),
        pytest.param(b"(" * 5000, "cannot be parsed", id="brackets"),
        (b"nonsense nonsense\n", "setup.py:1: cannot be parsed"),
    ],
)
def test_setup_that_cannot_be_read_is_told(run: Run, small: Small, text: bytes, told: str) -> None:
    """Whatever setup.py holds, it is a source that cannot be built and no fault of dgpin's."""
    (small.source / "setup.py").write_bytes(text)

    code, _, err = run()

    assert 3 == code
    assert told in err


@pytest.mark.parametrize(
    ("words", "what", "code"),
    [
        (["--preflight", "--needed"], None, 2),
        ([], "./nowhere", 2),
        (["--python", "/nowhere/python"], None, 2),
        (["-o", "html"], None, 2),
        (["--out", "{cache}/builds"], None, 2),
        (["--wheel", "--out", "{cache}"], None, 2),
        pytest.param([], "./" + "x" * 5000, 2, id="long name"),
        ([], "pypi:deep_gemm", 2),
    ],
)
def test_wrong_requests_are_exit_2(run: Run, words: list[str], what: str | None, code: int) -> None:
    """What cannot be meant is told without a traceback."""
    cache = os.environ["DGPIN_CACHE_DIR"]
    found, out, err = run(*(word.format(cache=cache) for word in words), what=what)

    assert (code, "") == (found, out)
    assert err.startswith("dgpin: ")


def test_directory_without_source_is_told(run: Run, tmp_path: Path) -> None:
    """A directory that holds no DeepGEMM is exit 3 with what it lacks."""
    (tmp_path / "empty").mkdir()

    code, _, err = run(what=str(tmp_path / "empty"))

    assert 3 == code
    assert "it has no setup.py" in err


def test_commit_is_taken_out_of_its_mirror(
    tmp_path: Path, small: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    """A ref is built at its commit with the submodules that it records, and told so."""
    example = make_deepgemm(tmp_path / "example")

    where = ("--repo", example.url, "--python", small.python)
    app.main(["build", "v2.8.0", *where, "--preflight", "--json"])

    source = answer(capsys.readouterr().out)["source"]
    assert example.commits["new"] == source["commit"]
    recorded = {path: sha for path, sha in example.submodules.items() if "fmt" not in path}
    assert recorded == {each["path"]: each["recorded"] for each in source["submodules"]}
    assert recorded == {each["path"]: each["present"] for each in source["submodules"]}


def test_pin_of_the_host_is_the_default(
    tmp_path: Path, small: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an argument the commit is built that the host pins, from where the host has it."""
    example = make_deepgemm(tmp_path / "example")
    host = make_host(tmp_path / "host", example.url, example.commits["old"])

    app.main(["build", "--host", str(host), "--python", small.python, "--preflight", "--json"])

    assert example.commits["old"] == answer(capsys.readouterr().out)["source"]["commit"]


def test_commit_that_was_built_asks_no_repository(
    tmp_path: Path, small: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full SHA whose tree is in the cache is taken from there."""
    example = make_deepgemm(tmp_path / "example")
    words = ["build", example.commits["old"], "--python", small.python, "--preflight", "--json"]
    app.main([*words, "--repo", example.url])
    first = answer(capsys.readouterr().out)["source"]
    shutil.rmtree(tmp_path / "example")

    app.main(words)

    assert first == answer(capsys.readouterr().out)["source"]


def test_hanging_compiler_is_told_by_the_preflight(
    run: Run, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler that does not answer is exit 3 with its name, before anything is compiled."""
    script = write(small.root / "cxx", "#!/bin/sh\nexec sleep 600\n")
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setattr("dgpin.build.compiler.find.__kwdefaults__", {"limit": 0.5})

    code, _, err = run()

    assert 3 == code
    assert f"the compiler `{script}` did not end" in err


def test_compiler_wrapper_is_honoured(
    run: Run, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CXX is what compiles, and the fingerprint shows it."""
    compiler(small, monkeypatch, compiling=f'echo x > "{small.root}/used"')

    _, out, _ = run("--json")

    (found,) = answer(out)["builds"]
    assert f"{small.root}/cxx" == found["fingerprint"]["components"]["CXX"]
    assert (small.root / "used").exists()
