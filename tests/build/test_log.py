"""A compiler's log: the first error, and how many more."""

import pytest

from dgpin.build import log

# One missing include and what follows from it, as g++ prints it.
LONG = """\
$ g++ -c a.cpp
In file included from csrc/apis/gemm.hpp:7,
                 from csrc/python_api.cpp:4:
include/impls/layout.cuh:12:10: error: '__nv_fp8_e4m3' does not name a type
   12 | __device__ __nv_fp8_e4m3 value;
      |            ^~~~~~~~~~~~~
include/impls/layout.cuh:20:3: error: 'value' was not declared in this scope
   20 |   value.x = 1;
      |   ^~~~~
include/impls/layout.cuh:21:3: error: 'value' was not declared in this scope
"""


def test_first_error_with_its_context() -> None:
    """The first error comes with the lines that lead to it and those that explain it."""
    found = log.digest(LONG)

    assert tuple(LONG.splitlines()[1:6]) == found.first
    assert "include/impls/layout.cuh:12:10: error: '__nv_fp8_e4m3' does not name a type" == (
        found.headline
    )
    assert 2 == found.more


@pytest.mark.parametrize(
    ("line", "machine"),
    [
        ("a.cpp:1:10: fatal error: elfutils/libdwfl.h: No such file or directory", ""),
        ("/usr/bin/ld: cannot find -lcuda: No such file or directory", ""),
        ("ld.lld: error: unable to find library -lnvrtc", ""),
        ("x.o: in function `f': undefined reference to `g'", ""),
        ("fatal error: error writing to /tmp/x.s: No space left on device", "the disk is full"),
        (
            "g++: fatal error: Killed signal terminated program cc1plus",
            "the compiler ran out of memory",
        ),
        (
            "ccache: error: Failed to create directory /root/.ccache: Read-only file system",
            "ccache does not work",
        ),
        (
            "clang++: error: unable to execute command: Killed",
            "the compiler ran out of memory",
        ),
    ],
)
def test_kinds_of_error_are_known(line: str, machine: str) -> None:
    """Compiler's, linker's and the machine's errors are all errors."""
    found = log.digest(f"$ g++\nwarming up\n{line}\ncompilation terminated.\n")

    assert (line, 0, machine) == (found.headline, found.more, found.machine)


def test_warnings_are_no_errors() -> None:
    """A word in a warning or a file's name does not make it an error."""
    warned = "error.cpp:1:1: warning: unused\n/usr/bin/ld: warning: x.o: missing .note.GNU-stack\n"
    found = log.digest(f"{warned}make: *** stopped\n")

    assert 0 == found.more
    assert "make: *** stopped" == found.headline


def test_silence_is_said() -> None:
    """A failure without a word is told as that."""
    assert "the compiler said nothing" == log.digest("").headline
