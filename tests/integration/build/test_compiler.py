"""The machine's own g++, asked which C++ library it links."""

import os
import shutil
from pathlib import Path

import pytest

from dgpin.build import compiler
from dgpin.build.compiler import Compiler, FlagsError
from tests.build.world import write

# A g++ that was installed without libstdc++.so, and one that only answers as if it were.
STATIC = '#!/bin/sh\ncase "$*" in *-print-file-name*) echo libstdc++.so; exit ;; esac\n{link}\n'
ALONE, MISTAKEN = 'exec g++ -static-libstdc++ "$@"', 'exec g++ "$@"'


@pytest.mark.parametrize(
    ("link", "flags", "shared"),
    [
        (ALONE, "", False),
        (ALONE, "-lstdc++", True),
        (MISTAKEN, "", True),
        (MISTAKEN, "-static-libstdc++", False),
        (MISTAKEN, "-lno_such_library", False),
    ],
)
def test_the_linker_has_the_last_word(
    tmp_path: Path, link: str, flags: str, *, shared: bool
) -> None:
    """Without a libstdc++.so of its own, or told to do without, what a probe needs decides."""
    program = write(tmp_path / "g++", STATIC.format(link=link))
    program.chmod(0o755)
    env = {**os.environ, "CXX": str(program), "LDFLAGS": flags, "CXXFLAGS": "", "CPPFLAGS": ""}
    found = compiler.find(env)

    assert found is not None
    assert shared == compiler.has_shared_library(found, env)


def found(**variables: str) -> Compiler | None:
    """Return the compiler that is taken under these variables alone."""
    return compiler.find({"PATH": os.environ["PATH"], **variables})


GXX = shutil.which("g++")


@pytest.mark.parametrize(
    ("named", "command"),
    [
        ("g++", (GXX,)),
        ("g++ -isystem /tmp", (GXX, "-isystem", "/tmp")),
        ("g++ -m64 -I /", (GXX, "-m64", "-I", "/")),
        (" ", (GXX,)),
        ("-O2", None),
        ("no-such-compiler", None),
        ("true", None),
        ("'echo' garbage", None),
    ],
)
def test_compiler_is_asked_as_it_is_named(named: str, command: tuple[str, ...] | None) -> None:
    """CXX may hold options with words of their own; what does not answer is no compiler."""
    answer = found(CXX=named)

    assert command == (answer.command if answer else None)


@pytest.mark.parametrize("text", ["garbage", "#!/no/such/interpreter\n", "#!/bin/sh\nexit 1\n", ""])
def test_file_that_is_no_program_is_no_compiler(tmp_path: Path, text: str) -> None:
    """What the system cannot start is no compiler, and no fault either."""
    program = write(tmp_path / "cxx", text)
    program.chmod(0o755)

    assert found(CXX=str(program)) is None


def test_broken_program_on_path_is_passed_over(tmp_path: Path) -> None:
    """Of g++, c++ and clang++ the first that answers is taken."""
    write(tmp_path / "g++", "garbage").chmod(0o755)
    (tmp_path / "c++").symlink_to(str(GXX))

    answer = compiler.find({"PATH": f"{tmp_path}:{os.environ['PATH']}"})

    assert answer is not None
    assert (str(tmp_path / "c++"),) == answer.command


@pytest.mark.parametrize("variable", ["CXX", "CPPFLAGS", "CXXFLAGS", "LDFLAGS"])
def test_open_quote_is_told_with_its_variable(variable: str) -> None:
    """Flags that no shell would read are the user's to mend."""
    with pytest.raises(FlagsError, match=rf"^{variable}=g\+\+ -DA='x cannot be read") as caught:
        found(**{variable: "g++ -DA='x"})

    assert variable in caught.value.hint


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("-Ihere", ["-I{0}/here"]),
        ("-I here", ["-I", "{0}/here"]),
        ("-isystem 'a b'", ["-isystem", "{0}/a b"]),
        ("--sysroot=here", ["--sysroot={0}/here"]),
        ("-I=here -Inowhere -DI -I/usr", ["-I=here", "-Inowhere", "-DI", "-I/usr"]),
    ],
)
def test_relative_directories_hold_wherever_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, expected: list[str]
) -> None:
    """A directory that flags name from here is the same one where the compiler runs."""
    (tmp_path / "here").mkdir()
    (tmp_path / "a b").mkdir()
    monkeypatch.chdir(tmp_path)

    answer = found(CXXFLAGS=flags)

    assert answer is not None
    assert tuple(word.format(tmp_path) for word in expected) == answer.flags


def test_probe_is_compiled_as_the_source_is() -> None:
    """The user's own -std wins in the compile, and so in what is tried before."""
    env = {"PATH": os.environ["PATH"]}
    answer = found(CXXFLAGS="-std=c++98")

    assert answer is not None
    assert not compiler.probe(answer, "auto x = [] {};\n", std=20, env=env).compiles


def test_directories_of_the_linker_are_searched(tmp_path: Path) -> None:
    """-L in LDFLAGS counts as for the linker itself, which knows of /usr/local besides."""
    (tmp_path / "stubs").mkdir()
    answer = found(LDFLAGS=f"-L{tmp_path}/stubs -L {tmp_path}")

    assert answer is not None
    env = {"PATH": os.environ["PATH"]}
    assert (tmp_path / "stubs", tmp_path) == compiler.library_directories(answer, env)[:2]
    assert Path("/usr/local/lib") in compiler.more_library_directories(answer, env)
