"""The machine's own g++, asked which C++ library it links."""

import os
from pathlib import Path

import pytest

from dgpin.build import compiler
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
